"""Sending tasks to the workers. Every message leaves here, by the name of its task.

A service knows the name alone. A task imports the services it calls; a service that imported its task in
order to send it would close a circle. `annotator.tasks` and `analysis.tasks` register under these names.
"""

from __future__ import annotations

import logging
from typing import Final, NewType

from celery import current_app
from kombu.exceptions import KombuError

TaskName = NewType("TaskName", str)
"""The name of a registered task; only the module that sends it makes one."""

MAKE_DISPLAY: Final = TaskName("annotator.tasks.make_display")

log = logging.getLogger(__name__)


def send(task: TaskName, *ids: int) -> bool:
    """Send a task with the ids it takes; False where the broker is down and a sweep has to do it."""
    try:
        current_app.send_task(task, args=ids, ignore_result=True)
    except (KombuError, OSError) as error:
        log.warning("%s %s waits for the next sweep: the broker cannot be reached (%s).", task, ids, error)
        return False
    return True


class DisplaySender:
    """Sends one message per image until the broker fails once, then none.

    An unreachable broker costs seconds per attempt, and the sweep sends what was not sent.
    """

    def __init__(self) -> None:
        self.sent = 0
        self._reachable = True

    def send(self, image_id: int) -> None:
        """Send one image; call it after the row is committed. Never raises for a broker that is down."""
        if not self._reachable:
            return
        self._reachable = send(MAKE_DISPLAY, image_id)
        self.sent += self._reachable
