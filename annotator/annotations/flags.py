"""Flags of annotations as questions to the leads.

A flag is part of the annotation, so the annotation is authoritative: its question follows in the same
transaction. Removing a flag resolves its question; a new reason or note opens it again. Answering or
resolving the question leaves the flag, which is the annotator's statement; lists show both. Flags of imported
annotations open nothing: they belong to work done elsewhere.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.db.models import F
from django.utils import timezone

from annotator.models import Assignment, Question


def flag_of(payload: object) -> dict[str, str] | None:
    """Return the flag in a payload as a question's `reason` and `text`; None without a flag."""
    flag = payload.get("flag") if isinstance(payload, dict) else None
    if not isinstance(flag, dict):
        return None
    return {"reason": str(flag.get("reason") or ""), "text": str(flag.get("note") or "")}


def follow_flag(assignment: Assignment, before: object, after: object) -> None:
    """Open, change or resolve the question of a flag after an annotation's payload has changed.

    Runs in the transaction of the change. Without a change of the flag it does nothing, not even a query.
    """
    old, new = flag_of(before), flag_of(after)
    if old == new:
        return
    flags = Question.objects.filter(assignment=assignment.pk, kind=Question.Kind.FLAG)
    version = F("version") + 1
    if new is None:
        resolved = Question.State.RESOLVED
        flags.exclude(state=resolved).update(state=resolved, version=version)
        return
    now = timezone.now()
    # A changed note of an open flag keeps its age.
    if flags.filter(state=Question.State.OPEN).update(**new, version=version):
        return
    if not flags.update(**new, state=Question.State.OPEN, open_since=now, version=version):
        _question(assignment, new).save()


def _question(assignment: Assignment, flag: Mapping[str, Any]) -> Question:
    return Question(
        project_id=assignment.batch.project_id,
        assignment_id=assignment.pk,
        annotator_id=assignment.annotator_id,
        kind=Question.Kind.FLAG,
        **flag,
    )
