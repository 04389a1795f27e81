"""What is shown to whom: only an assignment of the arm *with* ever gets a suggestion."""

from __future__ import annotations

from typing import Any

from annotator.models import Assignment, Suggestion


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
