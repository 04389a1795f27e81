"""Send tasks to the workers by name.

Tasks import the services they call, so a service that imported its task would create an import cycle.
`annotator.tasks` and `analysis.tasks` register under these names.
"""

from __future__ import annotations

import logging
from typing import Final, NewType, Self

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


class DisplaySender:
    """Send the ids of images without display copies, many per message, until the broker fails; then none.

    An unreachable broker costs seconds per attempt, and the sweep resends the rest. At the end of the block
    the last message is sent.
    """

    def __init__(self) -> None:
        self.sent = 0
        self._waiting: list[int] = []
        self._reachable = True

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._send()

    def send(self, *image_ids: int) -> None:
        """Send images after their rows are committed. Does not raise if the broker is down."""
        for image_id in image_ids:
            self._waiting.append(image_id)
            if len(self._waiting) >= DISPLAYS_AT_ONCE:
                self._send()

    def _send(self) -> None:
        if self._waiting and self._reachable:
            self._reachable = send(MAKE_DISPLAY, *self._waiting)
            self.sent += len(self._waiting) if self._reachable else 0
        self._waiting.clear()
