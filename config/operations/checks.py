"""Checks of `manage.py check --deploy`, besides Django's own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Error, register
from django.core.checks import Warning as Warned

from config.operations import prerequisites
from config.operations.health import HealthCheck
from config.operations.starting import SAID_ONLY

IDS = {
    prerequisites.DATABASE: "operations.E001",
    prerequisites.MIGRATIONS: "operations.E002",
    prerequisites.MEDIA: "operations.E003",
    prerequisites.QUEUE: "operations.W004",
    prerequisites.CLOCK: "operations.W005",
    prerequisites.LIBRARIES: "operations.E007",
}


@register(deploy=True)
def what_must_be_there(app_configs: Any, **kwargs: Any) -> Sequence[CheckMessage]:  # noqa: ARG001
    """Return a message for each failed health check."""
    from config.operations.starting import faults

    return [_message(light) for light in faults()]


@register(deploy=True)
def a_team_needs_servers(app_configs: Any, **kwargs: Any) -> Sequence[CheckMessage]:  # noqa: ARG001
    """Warn of what a server needs but a single user's machine does not."""
    if not settings.EMBEDDED and not settings.REDIS_URL:
        return [Warned("REDIS_URL is not set, so workers use a folder as queue.", id="operations.W006")]
    return []


def _message(light: HealthCheck) -> CheckMessage:
    kind = Warned if light.name in SAID_ONLY else Error
    return kind(f"{light.name}: {light.words}", hint=light.advice or None, id=IDS[light.name])
