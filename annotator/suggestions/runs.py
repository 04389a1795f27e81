"""Store the suggestions of a run, show them to the arm *with* alone, and withdraw a run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from django.utils import timezone

from annotator.database.transactions import write_transaction
from annotator.inputs.refusal import Refusal
from annotator.models import Assignment, Event, Project, Suggestion, SuggestionRun, User
from scoring.protocol import Payload

_CHUNK: Final = 2000


class SuggestionsRefused(Refusal, ValueError):
    """A run that cannot be stored; the message names the cause and the remedy."""


def run_to_show(project: Project, kind: str) -> SuggestionRun | None:
    """Return the run of a kind that counts now: the latest that is not withdrawn."""
    return project.suggestion_runs.filter(kind=kind, withdrawn_at=None).order_by("-pk").first()


def suggestion_shown(assignment: Assignment) -> dict[str, Any]:
    """Return what the page of an assignment says about suggestions; {} if its batch has none.

    `{"suggestion": None}` is the same for an image without one and for the arm *without*.
    """
    run = assignment.batch.suggestions_id
    if run is None:
        return {}
    found = None
    if assignment.arm == Assignment.Arm.WITH:
        rows = Suggestion.objects.filter(run=run, run__withdrawn_at=None, image=assignment.image_id)
        found = rows.select_related("run").first()
    if found is None:
        return {"suggestion": None}
    return {"suggestion": {"run": run, "source": str(found.run), **found.payload}}


def store_run(
    *,
    project: Project,
    suggested: Mapping[int, Payload],
    actor: User | None,
    source: str,
    kind: str = SuggestionRun.Kind.COUNTS,
    source_version: str = "",
    settings_text: str = "",
    sha256: str = "",
    adds: bool = False,
) -> tuple[SuggestionRun, int]:
    """Store suggestions by image id as a run, with an Event; return the run and how many are new.

    Repeating it changes nothing. With `adds`, further images join the run if it is shown nowhere yet;
    otherwise a run of this kind, source and version must be new. Raises SuggestionsRefused.
    """
    with write_transaction():
        held = Project.locked(project.pk)
        if held.goes_at is not None:
            raise SuggestionsRefused("The project is being deleted. Undo the deletion first.", "deleted")
        if gone := len(suggested) - held.images.filter(pk__in=suggested).count():
            raise SuggestionsRefused(
                f"{gone:,} of the images were deleted. Check the file again.", "images-gone"
            )
        run, is_new = held.suggestion_runs.get_or_create(
            kind=kind,
            source=source,
            source_version=source_version,
            defaults={"settings_text": settings_text, "sha256": sha256, "made_by": actor},
        )
        known = dict(run.suggestions.filter(image__in=suggested).values_list("image", "payload"))
        if changed := sum(suggested[pk] != payload for pk, payload in known.items()):
            raise SuggestionsRefused(
                f"“{run}” has other suggestions for {changed:,} of these images. A run is never edited: give "
                "the new one another version.",
                "run-differs",
            )
        new = {pk: payload for pk, payload in suggested.items() if pk not in known}
        if new and not is_new:
            _refuse_more(run, adds)
        Suggestion.objects.bulk_create(
            [Suggestion(run=run, image_id=pk, payload=payload) for pk, payload in new.items()],
            batch_size=_CHUNK,
        )
        if new:
            data = {"run": run.pk, "source": str(run), "sha256": sha256, "images": len(new)}
            Event.objects.create(project=held, actor=actor, verb="suggestions_imported", data=data)
    return run, len(new)


def withdraw_run(run: SuggestionRun, *, actor: User | None) -> bool:
    """Show a run no more, with an Event; return False if it is withdrawn already."""
    with write_transaction():
        changed = SuggestionRun.objects.filter(pk=run.pk, withdrawn_at=None).update(
            withdrawn_at=timezone.now()
        )
        if changed:
            data = {"run": run.pk, "source": str(run)}
            Event.objects.create(
                project_id=run.project_id, actor=actor, verb="suggestions_withdrawn", data=data
            )
    return bool(changed)


def _refuse_more(run: SuggestionRun, adds: bool) -> None:
    if not adds:
        raise SuggestionsRefused(
            f"There is already a run “{run}” with other images. Give the new one another version.",
            "run-there",
        )
    if run.withdrawn_at is not None:
        raise SuggestionsRefused(f"“{run}” is withdrawn. Give the new run another version.", "run-withdrawn")
    if run.batches.exists():
        raise SuggestionsRefused(
            f"A batch already shows “{run}”, so nothing can be added. Give the new run another version.",
            "run-shown",
        )
