"""What the demo's simulated annotators submit: known errors seen with known habits, and ratings of a file."""

from __future__ import annotations

import csv
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from random import Random
from typing import Any, Final

from django.utils import timezone

from annotator.annotations.saving import checked_annotation
from annotator.annotations.summaries import summarise
from annotator.models import Annotation, Assignment, Batch, Event, Image, Reference, User
from annotator.protocols.registry import counted_cells_of
from annotator.training.references import add_reference
from scoring.grid.notation import Term
from scoring.grid.taxonomy import CELLS, SEVERITIES, SEVERITY_TITLES, parts_in_words
from scoring.service import get_protocol

ANATOMY: Final = "anatomy"
DAYS: Final = 14
"""The days over which they have submitted."""
Place = tuple[str, str, int]
"""Generator, prompt and number of an image."""
Row = dict[str, str]
"""A row of the table of planted errors, or of the table of ratings."""
PEOPLE: Final = {"person": 1, "two": 2, "group": 4}
"""By the first word of a prompt."""
ALIKE: Final = 0.2
"""The share of the images with several people that have the demo's tag."""
Terms = dict[str, dict[str, Term]]
"""Terms by cell and severity."""


@dataclass(frozen=True)
class Habits:
    """How somebody works: the chances of missing an error and of another severity, and the usual time.

    `leaves` is how many images at the end of their queue they have not done. From the anchor `drifts_from`
    on, every error seems one step more severe, and one more is seen.
    """

    seconds: float
    leaves: int = 0
    misses: float = 0.0
    shifts: float = 0.0
    drifts_from: int | None = None


Answer = Callable[[Assignment, Habits, Random, bool], dict[str, Any]]
"""Returns the payload for an assignment, of somebody with these habits who drifts or not."""


def rows_by_image(path: Path) -> dict[Place, list[Row]]:
    """Return the rows of a table by the image that they are about."""
    rows: dict[Place, list[Row]] = defaultdict(list)
    with path.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            rows[row["generator"], row["prompt"], int(row["number"])].append(row)
    return rows


def place_of(image: Image) -> Place:
    """Return the generator, prompt and number by which the tables name an image."""
    return image.generator, image.prompt, image.number or 0


def make_reference(image: Image, errors: Sequence[Row], lead: User, protocol: str = ANATOMY) -> Reference:
    """Make the planted errors of an image its reference under a protocol, each with its reason."""
    reasons: dict[str, list[str]] = defaultdict(list)
    pins = {}
    for error in errors:
        reasons[error["cell"]].append(_reason(error))
        pins[error["cell"], error["severity"]] = [{"x": float(error["x"]), "y": float(error["y"])}]
    payload = true_payload(errors)
    for mark in payload["marks"]:
        mark["pins"] = pins[f"{mark['type']}.{mark['part']}", mark["severity"]]
    if protocol != ANATOMY:
        whole = get_protocol(ANATOMY).clean(payload).payload()
        payload = dict(get_protocol(protocol).shown_as[ANATOMY](whole))
    return add_reference(
        image=image,
        protocol=protocol,
        payload=payload,
        origin=Reference.Origin.PLANTED,
        actor=lead,
        rationales={cell: " ".join(texts) for cell, texts in reasons.items()},
    )


def _reason(error: Row) -> str:
    """Return why a cell has its value, such as `Hand missing: 1 of 2 hands, severe (c).`"""
    severity = f"{SEVERITY_TITLES[error['severity']]} ({error['severity']})"
    parts = parts_in_words(int(error["total"]), error["cell"].partition(".")[2])
    return f"{error['error'].capitalize()}: {error['affected']} of {parts}, {severity}."


def true_payload(errors: Sequence[Row]) -> dict[str, Any]:
    """Return the annotation of an image that states its planted errors."""
    return _payload(_seen(Habits(0), errors, Random(0), drifts=False))  # noqa: S311 - simulated, no secret


def _payload(terms: Terms) -> dict[str, Any]:
    marked = {cell: list(of_cell.values()) for cell, of_cell in terms.items()}
    return counted_cells_of(ANATOMY).payload(marked, not marked)


def _seen(habits: Habits, errors: Sequence[Row], chance: Random, *, drifts: bool) -> Terms:
    """Return what somebody marks of the errors that are there."""
    terms: Terms = defaultdict(dict)
    for error in errors:
        if chance.random() < habits.misses:
            continue
        step = chance.choice((-1, 1)) if chance.random() < habits.shifts else 0
        at = min(max(SEVERITIES.index(error["severity"]) + step + drifts, 0), len(SEVERITIES) - 1)
        affected, total = int(error["affected"]), int(error["total"])
        earlier = terms[error["cell"]].get(SEVERITIES[at])
        affected = min(total, affected + (earlier.affected if earlier else 0))
        terms[error["cell"]][SEVERITIES[at]] = Term(affected, total, SEVERITIES[at])
    if drifts or chance.random() < habits.misses:
        severity = "c" if drifts else "a"
        terms[chance.choice(CELLS).key].setdefault(severity, Term(1, 2, severity))
    return terms


def marking(planted: Mapping[Place, Sequence[Row]]) -> Answer:
    """Answer with what somebody sees of the planted errors."""

    def answer(row: Assignment, habits: Habits, chance: Random, drifts: bool) -> dict[str, Any]:
        payload = _payload(_seen(habits, planted.get(place_of(row.image), ()), chance, drifts=drifts))
        people = PEOPLE.get(row.image.prompt.split()[0])
        alike = people != 1 and Random(row.image.sha256).random() < ALIKE  # noqa: S311 - simulated
        return {**payload, "people": people, "tags": [1] if alike else []}

    return answer


def rating(ratings: Mapping[Place, Sequence[Row]]) -> Answer:
    """Answer with the rating that a file has of somebody."""

    def answer(row: Assignment, *_: object) -> dict[str, Any]:
        given = next(own for own in ratings[place_of(row.image)] if own["annotator"] == row.annotator.code)
        number = int(given["rating"]) if given["rating"] else None
        return {"rating": number, "invalid": given["invalid"] or None, "note": given["note"]}

    return answer


def submit(batch: Batch, people: Mapping[str, Habits], answer: Answer) -> None:
    """Store what people, by code, submitted until an hour ago."""
    for code, habits in people.items():
        queue = batch.assignments.filter(annotator__code=code).select_related("image", "annotator")
        _submit(batch, list(queue.order_by("position")), habits, answer)
    done = batch.assignments.filter(status=Assignment.Status.DONE).select_related("annotator__user")
    Event.objects.bulk_create(
        Event(project_id=batch.project_id, assignment=row, actor=row.annotator.user, verb="submitted")
        for row in done.order_by("annotation__submitted_at", "pk")
    )
    work = [row.image_id for row in done if row.purpose == Assignment.Purpose.WORK]
    summarise(batch.project_id, work, batch.protocol)


def _submit(batch: Batch, queue: Sequence[Assignment], habits: Habits, answer: Answer) -> None:
    """Store the annotations of somebody's queue at equal distances, in its order."""
    protocol, weights = get_protocol(batch.protocol), batch.project.exact_weights
    rows = queue[: len(queue) - habits.leaves]
    moment, step = timezone.now() - timedelta(days=DAYS, hours=1), timedelta(days=DAYS) / len(rows)
    annotations, anchors = [], 0
    for row in rows:
        moment += step
        anchors += row.purpose == Assignment.Purpose.ANCHOR
        drifts = habits.drifts_from is not None and anchors > habits.drifts_from
        chance = Random(f"{row.annotator.code} {row.image.sha256} {row.pass_no}")  # noqa: S311 - simulated
        payload, ratings = checked_annotation(answer(row, habits, chance, drifts), protocol, weights)
        annotations.append(
            Annotation(
                assignment=row,
                payload=payload,
                ratings=ratings,
                status=Annotation.Status.SUBMITTED,
                active_ms=round(1000 * habits.seconds * chance.uniform(0.6, 1.6)),
                saved_at=moment,
                submitted_at=moment,
            )
        )
    Annotation.objects.bulk_create(annotations)
    Assignment.objects.filter(pk__in=[row.pk for row in rows]).update(status=Assignment.Status.DONE)
