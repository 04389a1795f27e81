"""Django app of operations, without tables."""

from __future__ import annotations

from typing import Any

from django.apps import AppConfig


class OperationsConfig(AppConfig):
    """Write the workers' heartbeats."""

    name = "config.operations"
    verbose_name = "Operations"

    def ready(self) -> None:
        """Connect them."""
        from celery.signals import heartbeat_sent

        heartbeat_sent.connect(_heard_of, dispatch_uid="config.operations.heartbeats")


def _heard_of(sender: Any, **_: Any) -> None:
    from config.operations.heartbeats import leave

    leave(sender.eventer.hostname)
