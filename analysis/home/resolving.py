"""Needs that a lead resolved with a reason: Events, so that nothing else has to remember them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from analysis.home.need_row import Need
from annotator.inputs.plain_text import checked_reason
from annotator.models import Event, Project, User

RESOLVED: Final = "need_resolved"
REMEMBERED: Final = 1_000
"""Resolved needs that are searched, the latest first."""


def resolved_keys(projects: Sequence[Project]) -> set[tuple[int, str]]:
    """Return project and key of the needs that were resolved last, in one query."""
    rows = Event.objects.filter(project__in=projects, verb=RESOLVED).order_by("-pk")
    return {
        (project, key)
        for project, key in rows.values_list("project", "data__key")[:REMEMBERED]
        if project is not None
    }


def resolve(need: Need, project: Project, reason: str, actor: User) -> None:
    """Resolve a need of a project for all its leads; raises InvalidReason."""
    why = checked_reason(reason)
    data = {"key": need.key, "code": need.code, "name": need.title, "reason": why}
    Event.objects.create(project=project, actor=actor, verb=RESOLVED, data=data)
