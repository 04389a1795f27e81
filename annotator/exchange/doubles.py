"""Whether images judged by several people elsewhere were drawn at random: unknown unless stated."""

from __future__ import annotations

from typing import Final

from annotator.models import Assignment, Batch, Event, User
from annotator.models.counting import is_work, mark_random

AT_RANDOM: Final = "random"
UNKNOWN: Final = "unknown"


def stated(batch: Batch, doubles: str | None) -> str:
    """Return how the images of an imported batch were drawn, as stated now or by an earlier import; unknown
    otherwise."""
    if doubles is not None:
        return doubles
    work = batch.assignments.filter(is_work())
    earlier = work.exists() and not work.filter(drawn=Assignment.Drawn.UNKNOWN).exists()
    return AT_RANDOM if earlier else UNKNOWN


def state_doubles(batch: Batch, doubles: str, actor: User | None) -> None:
    """Store this in the assignments of an imported batch, and record a correction in an Event.

    Call it inside a transaction, after storing. Targeted assignments stay as they are.
    """
    known = (Assignment.Drawn.SINGLE, Assignment.Drawn.RANDOM)
    replaced, drawn = (
        ((Assignment.Drawn.UNKNOWN,), Assignment.Drawn.SINGLE)
        if doubles == AT_RANDOM
        else (known, Assignment.Drawn.UNKNOWN)
    )
    changed = batch.assignments.filter(is_work(), drawn__in=replaced).update(drawn=drawn)
    if doubles == AT_RANDOM:
        mark_random(batch)
    if changed:
        was = UNKNOWN if doubles == AT_RANDOM else AT_RANDOM
        data = {"batch": batch.pk, "replaced": {"doubles": was}, "settings": {"doubles": doubles}}
        Event.objects.create(
            project_id=batch.project_id, actor=actor, verb="batch_settings_changed", data=data
        )
