"""What an annotator sees after submitting a training image: their annotation next to the reference."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final, NamedTuple

from annotator.models import Annotation, Assignment, Batch, Reference
from annotator.protocols.adjudication_form import AdjudicationForm, Pin
from annotator.protocols.registry import page_of
from annotator.training.references import reference_of
from scoring.comparison import Compared, ComparedComponent, Verdict, pooled
from scoring.grid.taxonomy import SEVERITIES
from scoring.protocol import Payload
from scoring.service import get_protocol

ASPECT_WORDS: Final = {"affected": "count", "total": "total", "severities": "severity"}
VERDICT_WORDS: Final[Mapping[Verdict, str]] = {
    "missed": "You missed this",
    "alone": "Not in the reference",
    "hit": "Written differently",
}


@dataclass(frozen=True)
class FeedbackCell:
    """One cell for display: `number` counts the differences in published order, None for none."""

    key: str
    title: str
    own: str
    reference: str
    number: int | None = None
    words: str = ""
    rationale: str = ""

    @property
    def sides(self) -> list[tuple[str, list[tuple[str, str]]]]:
        """Return the terms of both sides, each with its severity, empty if it has none."""
        return [("You", _terms(self.own)), ("Ref.", _terms(self.reference))]

    @property
    def kind(self) -> str:
        """Return `differs`, `agrees` or `empty`."""
        if self.number is not None:
            return "differs"
        return "agrees" if self.own else "empty"


@dataclass(frozen=True)
class Feedback:
    """One training image compared with its reference; scores are headlines as exact fractions."""

    heads: Sequence[str]
    rows: Sequence[tuple[str, Sequence[FeedbackCell]]]
    compared: Compared
    own_score: Fraction | None
    reference_score: Fraction | None
    pins: Sequence[Pin]
    reference: Reference

    @property
    def cells(self) -> list[FeedbackCell]:
        """Return all cells, row by row."""
        return [cell for _, cells in self.rows for cell in cells]

    @property
    def differing(self) -> list[FeedbackCell]:
        """Return the cells that differ, in published order."""
        return sorted((cell for cell in self.cells if cell.number), key=lambda cell: cell.number or 0)

    @property
    def numbered_pins(self) -> list[tuple[Pin, int | None]]:
        """Return the reference's pins, each with the number of its difference, None if the cells agree."""
        numbers = {cell.key: cell.number for cell in self.cells}
        return [(pin, numbers.get(pin.key)) for pin in self.pins]

    @property
    def matching(self) -> list[FeedbackCell]:
        """Return the marked cells that agree."""
        return [cell for cell in self.cells if cell.kind == "agrees"]


class TrainingProgress(NamedTuple):
    """A member's latest pass through a training batch: images `done` of `total`, with what was found."""

    done: int
    total: int
    compared: Compared


def feedback_on(assignment: Assignment) -> Feedback | None:
    """Return the feedback on a submitted training annotation; None without annotation or reference."""
    annotation = getattr(assignment, "annotation", None)
    if assignment.purpose != Assignment.Purpose.TRAINING or annotation is None:
        return None
    if annotation.status != Annotation.Status.SUBMITTED:
        return None
    reference = reference_of(assignment.image, assignment.batch.protocol)
    return None if reference is None else _feedback(annotation, reference)


def progress_by_annotator(batch: Batch, people: Sequence[int]) -> dict[int, TrainingProgress]:
    """Return each of these members' progress in their latest pass through a training batch; two queries."""
    given = Assignment.objects.filter(
        batch=batch, purpose=Assignment.Purpose.TRAINING, position__isnull=False, annotator__in=people
    )
    rows: dict[int, list[Assignment]] = defaultdict(list)
    related = given.select_related("annotation").defer("annotation__source", "annotation__capture")
    for row in related.order_by("pass_no", "position"):
        passed = rows[row.annotator_id]
        if passed and passed[0].pass_no < row.pass_no:
            passed.clear()
        passed.append(row)
    active = Reference.objects.filter(
        image__in={row.image_id for passed in rows.values() for row in passed},
        protocol=batch.protocol,
        status=Reference.Status.ACTIVE,
    )
    references = dict(active.values_list("image", "payload"))
    return {member: _progress(batch.protocol, passed, references) for member, passed in rows.items()}


def _progress(
    protocol: str, rows: Sequence[Assignment], references: Mapping[int, Payload]
) -> TrainingProgress:
    submitted = [
        row
        for row in rows
        if hasattr(row, "annotation") and row.annotation.status == Annotation.Status.SUBMITTED
    ]
    compared = [
        compare(protocol, references[row.image_id], row.annotation.payload)
        for row in submitted
        if row.image_id in references
    ]
    return TrainingProgress(len(submitted), len(rows), pooled(compared))


def compare(protocol: str, reference: Payload, answer: Payload) -> Compared:
    """Compare two complete payloads under a protocol that has `compare`."""
    known = get_protocol(protocol)
    assert known.compare is not None  # a reference exists
    return known.compare(known.clean(reference), known.clean(answer))


def _feedback(annotation: Annotation, reference: Reference) -> Feedback:
    protocol = get_protocol(reference.protocol)
    form = page_of(reference.protocol).adjudicating([], stored=reference.payload)
    compared = compare(reference.protocol, reference.payload, annotation.payload)
    verdicts = {component.component: component for component in compared.components}
    numbers: dict[str, int] = {}
    for key in form.titles:
        if form.text_of(annotation.payload, key) != form.text_of(reference.payload, key):
            numbers[key] = len(numbers) + 1

    def cell(key: str) -> FeedbackCell:
        return FeedbackCell(
            key,
            form.titles[key],
            _text(form, annotation.payload, key),
            _text(form, reference.payload, key),
            numbers.get(key),
            _words(verdicts[key]) if key in numbers else "",
            reference.rationales.get(key, ""),
        )

    return Feedback(
        form.heads,
        [(title, [cell(key) for key in keys]) for title, keys in form.rows],
        compared,
        protocol.headline_of(annotation.ratings or []),
        protocol.headline_of(reference.ratings),
        form.pins_of(reference.payload),
        reference,
    )


def _text(form: AdjudicationForm, payload: Payload, key: str) -> str:
    return form.text_of(payload, key).replace(",", ", ")


def _terms(text: str) -> list[tuple[str, str]]:
    terms = [term for term in text.split(", ") if term]
    return [(term, term[-1] if "/" in term and term[-1] in SEVERITIES else "") for term in terms]


def _words(one: ComparedComponent) -> str:
    if one.verdict != "hit" or not one.differs:
        return VERDICT_WORDS[one.verdict]
    named = [ASPECT_WORDS[aspect] for aspect in one.differs]
    *first, last = named
    listed = f"{', '.join(first)} and {last}" if first else last
    return f"{listed.capitalize()} {'differs' if not first else 'differ'}"
