"""A Redis transport whose workers survive a lost connection, and a Redis that does not answer for a while.

A worker that loses Redis while holding messages returns them when it closes the old channel. Kombu's channel
no longer knows the address then and raises AttributeError, which ends the worker. Raised as a lost connection
instead, the worker retries until Redis is back. The sweep resends messages that could not be returned.

A worker holds as many messages as it may, and takes the next one when one is acknowledged. Kombu keeps the
place of a message whose acknowledgement Redis did not answer in time, so that a worker whose jobs ended while
Redis was frozen took none ever again.
"""

from __future__ import annotations

from typing import Any

from kombu.transport import redis, virtual


class QoS(redis.QoS):
    """Acknowledgements that free their place also where Redis does not answer.

    Redis then delivers the message again after the visibility timeout, which is harmless: every task can run
    twice.
    """

    def ack(self, delivery_tag: str) -> None:
        """Acknowledge a message; raise the error of the connection."""
        try:
            super().ack(delivery_tag)
        except Exception:
            virtual.QoS.ack(self, delivery_tag)
            raise


class Channel(redis.Channel):
    """A channel that raises ConnectionError once closed."""

    QoS = QoS

    def _connparams(self, asynchronous: bool = False) -> Any:
        if self.connection is None or self.connection.client is None:
            raise ConnectionError("This channel to Redis is closed.")
        return super()._connparams(asynchronous=asynchronous)  # type: ignore[misc]  # its stubs know less


class Transport(redis.Transport):
    """Kombu's transport with the channel above."""

    Channel = Channel
