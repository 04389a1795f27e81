"""Telling the workers that an image waits for its copy for display."""

from __future__ import annotations

import logging

from kombu.exceptions import KombuError

log = logging.getLogger(__name__)


class DisplaySender:
    """Sends one message per image until the broker fails once, then none.

    An unreachable broker costs seconds per attempt, and the sweep sends what was not sent.
    """

    def __init__(self) -> None:
        self.sent = 0
        self._reachable = True

    def send(self, image_id: int) -> None:
        """Send one image; call it after the row is committed. Never raises for a broker that is down."""
        from annotator.tasks import make_display_task

        if not self._reachable:
            return
        try:
            make_display_task.delay(image_id)
        except (KombuError, OSError) as error:
            self._reachable = False
            log.warning("Copies for display wait: the message broker cannot be reached (%s).", error)
        else:
            self.sent += 1
