"""Send tasks to the workers by name.

Tasks import the services they call, so a service that imported its task would create an import cycle.
`annotator.tasks` and `analysis.tasks` register under these names.
"""

from __future__ import annotations

import logging
from typing import Final, NewType

from celery import current_app
from kombu.exceptions import KombuError

TaskName = NewType("TaskName", str)
"""The name of a registered task, defined only in the module that sends it."""

MAKE_DISPLAY: Final = TaskName("annotator.tasks.make_display")

log = logging.getLogger(__name__)


def send(task: TaskName, *ids: int) -> bool:
    """Send a task with its ids; return False if the broker is down and a sweep has to resend it."""
    try:
        current_app.send_task(task, args=ids, ignore_result=True)
    except (KombuError, OSError) as error:
        log.warning("%s %s waits for the next sweep: the broker cannot be reached (%s).", task, ids, error)
        return False
    return True


class DisplaySender:
    """Send one message per image until the broker fails, then none.

    An unreachable broker costs seconds per attempt, and the sweep resends the rest.
    """

    def __init__(self) -> None:
        self.sent = 0
        self._reachable = True

    def send(self, image_id: int) -> None:
        """Send one image after its row is committed. Does not raise if the broker is down."""
        if not self._reachable:
            return
        self._reachable = send(MAKE_DISPLAY, image_id)
        self.sent += self._reachable
