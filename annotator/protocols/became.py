"""What became of an annotation, for its annotator: once the batch is closed, where its lead allows it."""

from __future__ import annotations

from collections.abc import Sequence

from annotator.annotations.adjudication import adjudications_of
from annotator.models import Annotation, Assignment, Batch
from annotator.protocols.base import Difference
from annotator.protocols.page import OUTCOME_SHOWN
from annotator.protocols.registry import page_of


def what_became(assignment: Assignment, annotation: Annotation | None) -> Sequence[Difference] | None:
    """Return how an annotation differs from what was decided; nothing if it was taken over unchanged.

    None while nobody has decided, and where it is not to be seen: only work in a closed batch with this
    setting is told of. It never says who decided, or who said what.
    """
    batch = assignment.batch
    is_told = batch.status == Batch.Status.CLOSED and batch.settings.get(OUTCOME_SHOWN.name)
    if annotation is None or not is_told or assignment.purpose != Assignment.Purpose.WORK:
        return None
    page = page_of(batch.protocol)
    if page.became:
        return page.became(assignment)
    decided = adjudications_of(assignment.image).get(batch.protocol)
    if decided is None or not decided.is_adjudicated:
        return None
    form = page.form(stored=annotation.payload)
    differing = form.differences(annotation.payload, decided.payload)
    # An adjudicated value has no note.
    return [row for row in differing if row.title != "Note"]
