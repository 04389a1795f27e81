"""The report on suggestions: what annotators of both arms entered, and what was suggested.

Only `suggestions_result` imports the numeric stack, because web processes import this module too.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from django.db.models import QuerySet

from analysis.data.ratings_table import adjudicated, input_digests, submitted
from analysis.models import Report
from analysis.protocols.interface import Compared
from analysis.protocols.registry import numbers_of
from annotator.models import Annotation, Assignment, Suggestion, SuggestionRun
from annotator.protocols.page import ALL_OF_THEM, SUGGESTIONS
from annotator.work.execution import WorkRefused
from scoring.grid.taxonomy import BODY_PARTS
from scoring.protocol import Payload
from scoring.service import get_protocol

if TYPE_CHECKING:
    from analysis.stats.suggestions import Answers

PEOPLE: Final = "people"
NAN: Final = float("nan")
_FIELDS: Final = (
    *("assignment__annotator__code", "assignment__image", "assignment__arm"),
    *(f"assignment__batch__settings__{SUGGESTIONS.name}", "capture", "active_ms", "payload"),
)


def suggestions_digest(report: Report) -> str:
    """Return a digest that changes whenever the report would."""
    # What later stages make of the annotations decides which suggestions are right.
    later = report.project.batches.filter(follows__protocol=report.protocol)
    slugs = sorted({report.protocol, *later.values_list("protocol", flat=True)})
    digests = [input_digests(report.project, slug) for slug in slugs]
    runs = list(report.project.suggestion_runs.order_by("pk").values_list("pk", "withdrawn_at"))
    told = [*((digest.answers, digest.adjudicated) for digest in digests), runs]
    return hashlib.sha256(str(told).encode()).hexdigest()


def suggestions_result(report: Report, steps: Callable[[int, int], None]) -> tuple[dict[str, Any], int]:
    """Compute the report; return its result and the number of annotations used.

    Raise WorkRefused if no annotation is of an image with a suggestion.
    """
    from analysis.stats.suggestions import suggestions_tables

    project, protocol = report.project, get_protocol(report.protocol)
    rows = submitted(project, protocol.slug).exclude(assignment__arm=Assignment.Arm.NONE)
    runs = project.suggestion_runs.filter(pk__in=rows.values("assignment__batch__suggestions")).order_by("pk")
    compared_runs = [
        _answers(run, protocol.slug, rows.filter(assignment__batch__suggestions=run)) for run in runs
    ]
    if not compared_runs:
        none = f"No submitted annotation under “{protocol.title}” is of an image with a suggestion"
        raise WorkRefused(f"{none} that a batch shows.")
    steps(1, 2)
    made = suggestions_tables(compared_runs)
    titles = [answers.title for answers in compared_runs]
    return {"suggestions": titles, **made}, made["settings"]["annotations"]


def _answers(run: SuggestionRun, slug: str, rows: QuerySet[Annotation]) -> Answers:
    """Return annotations, at least one, of images for which the run has a suggestion."""
    import pandas as pd

    from analysis.stats.suggestions import ANNOTATION, ITEM, Answers

    masks = run.kind == SuggestionRun.Kind.MASKS
    compared = (numbers_of(slug).compared or partial(_counts_compared, slug))(run)
    annotations: list[tuple[Any, ...]] = []
    items: list[tuple[Any, ...]] = []
    for code, image, arm, share, capture, active_ms, payload in rows.order_by("pk").values_list(*_FIELDS):
        differences = enumerate(compared(image, payload), start=int(masks))
        items += [(len(annotations), number, *difference) for number, difference in differences]
        shown_ms = capture.get("shown_ms", 0) if capture.get("suggestion") == run.pk else NAN
        how = (arm == Assignment.Arm.WITH, share != ALL_OF_THEM, shown_ms, active_ms)
        annotations.append((code, image, *how, len(payload["defects" if masks else "marks"])))
    made = pd.DataFrame(annotations, columns=ANNOTATION), pd.DataFrame(items, columns=ITEM)
    return Answers(str(run), not masks, run.withdrawn_at is not None, *made)


def _counts_compared(slug: str, run: SuggestionRun) -> Callable[[int, Payload], Compared]:
    """Return what compares the annotation of an image with its suggested and its adjudicated counts."""
    suggested, decided = (
        {image: _numbers({"counts": payload, **payload}) for image, payload in rows}
        for rows in (
            Suggestion.objects.filter(run=run).values_list("image", "payload"),
            adjudicated(run.project, slug).values_list("image", "payload"),
        )
    )
    nothing = [NAN] * (1 + len(BODY_PARTS))

    def compared(image: int, payload: Payload) -> Compared:
        entered = (part in payload["counts_set"]["visible"] for part in BODY_PARTS)
        by_hand = [payload[PEOPLE] is not None, *entered]
        return zip(suggested[image], _numbers(payload), decided.get(image, nothing), by_hand, strict=True)

    return compared


def _numbers(payload: Payload) -> list[float]:
    """Return people and visible parts of an annotation, NaN where there is no number."""
    visible = payload["counts"]["visible"]
    numbers = [payload.get(PEOPLE), *(visible.get(part) for part in BODY_PARTS)]
    return [NAN if number is None else float(number) for number in numbers]
