"""Redis as the queue, so that a worker outlives it.

A worker that loses Redis while it holds messages gives them back as it closes the old channel. Kombu's
channel has forgotten by then where Redis is, and raises an AttributeError, which ends the worker. As a lost
connection it is what it looks like from outside: the worker tries again until Redis is back. What could not
be given back is sent again by the sweep.
"""

from __future__ import annotations

from typing import Any

from kombu.transport import redis


class Channel(redis.Channel):
    """A channel that, once closed, refuses as a lost connection does."""

    def _connparams(self, asynchronous: bool = False) -> Any:
        if self.connection is None or self.connection.client is None:
            raise ConnectionError("This channel to Redis is closed.")
        return super()._connparams(asynchronous=asynchronous)  # type: ignore[misc]  # its stubs know less


class Transport(redis.Transport):
    """Kombu's transport with the channel above."""

    Channel = Channel
