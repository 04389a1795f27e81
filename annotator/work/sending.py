"""Send tasks to the workers by name.

Tasks import the services they call, so a service that imported its task would create an import cycle.
`annotator.tasks` and `analysis.tasks` register under these names.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable
from typing import Final, NewType

from celery import current_app
from kombu.exceptions import KombuError

TaskName = NewType("TaskName", str)
"""The name of a registered task, defined only in the module that sends it."""

MAKE_DISPLAY: Final = TaskName("annotator.tasks.make_display")
DISPLAYS_AT_ONCE: Final = 32
"""Images per message: about a second's work, after which a worker serves its other queues."""

log = logging.getLogger(__name__)


def send(task: TaskName, *ids: int) -> bool:
    """Send a task with its ids; return False if the broker is down and a sweep has to resend it."""
    try:
        current_app.send_task(task, args=ids, ignore_result=True)
    except (KombuError, OSError) as error:
        log.warning("%s %s waits for the next sweep: the broker cannot be reached (%s).", task, ids, error)
        return False
    return True


def send_all(task: TaskName, ids: Iterable[int], at_once: int = 1) -> int:
    """Send a task for all ids, so many in a message, until the broker fails; return how many were sent.

    An unreachable broker costs seconds per attempt, and the sweep resends the rest.
    """
    waiting = list(ids)
    for start in range(0, len(waiting), at_once):
        if not send(task, *waiting[start : start + at_once]):
            return start
    return len(waiting)


def send_displays(image_ids: Iterable[int]) -> int:
    """Send images without display copies, after their rows are committed; return how many were sent."""
    return send_all(MAKE_DISPLAY, image_ids, DISPLAYS_AT_ONCE)
