"""A Redis transport whose workers survive a lost connection.

A worker that loses Redis while holding messages returns them when it closes the old channel. Kombu's channel
no longer knows the address then and raises AttributeError, which ends the worker. Raised as a lost connection
instead, the worker retries until Redis is back. The sweep resends messages that could not be returned.
"""

from __future__ import annotations

from typing import Any

from kombu.transport import redis


class Channel(redis.Channel):
    """A channel that raises ConnectionError once closed."""

    def _connparams(self, asynchronous: bool = False) -> Any:
        if self.connection is None or self.connection.client is None:
            raise ConnectionError("This channel to Redis is closed.")
        return super()._connparams(asynchronous=asynchronous)  # type: ignore[misc]  # its stubs know less


class Transport(redis.Transport):
    """Kombu's transport with the channel above."""

    Channel = Channel
