"""What an annotator sees after submitting a training image: their annotation next to the reference."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any, Final

from annotator.models import Annotation, Assignment, Batch, Reference
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


def feedback_on(assignment: Assignment) -> dict[str, Any] | None:
    """Return a submitted training annotation compared with its reference; None without one of them.

    Scores are headlines as exact fractions. The `number` of a cell counts the differences in published order.
    """
    annotation = getattr(assignment, "annotation", None)
    if assignment.purpose != Assignment.Purpose.TRAINING or annotation is None:
        return None
    reference = reference_of(assignment.image, assignment.batch.protocol)
    if annotation.status != Annotation.Status.SUBMITTED or reference is None:
        return None
    protocol = get_protocol(reference.protocol)
    form = page_of(reference.protocol).adjudicating([], stored=reference.payload)
    compared = compare(reference.protocol, reference.payload, annotation.payload)
    verdicts = {component.component: component for component in compared.components}
    cells: dict[str, dict[str, Any]] = {}
    differing: list[dict[str, Any]] = []
    for key, title in form.titles.items():
        own, right = (form.text_of(payload, key) for payload in (annotation.payload, reference.payload))
        cell = cells[key] = {"key": key, "title": title, "kind": "agrees" if own else "empty"}
        if own != right:
            differing.append(cell)
            cell |= {"kind": "differs", "number": len(differing), "words": _words(verdicts[key])}
        cell["sides"] = [("You", _terms(own)), ("Ref.", _terms(right))]
        cell["rationale"] = reference.rationales.get(key, "")
    return {
        "heads": form.heads,
        "rows": [(title, [cells[key] for key in keys]) for title, keys in form.rows],
        "differing": differing,
        "matching": [cell for cell in cells.values() if cell["kind"] == "agrees"],
        "compared": compared,
        "own_score": protocol.headline_of(annotation.ratings or []),
        "reference_score": protocol.headline_of(reference.ratings),
        "pins": [(pin, cells[pin["key"]].get("number")) for pin in form.pins_of(reference.payload)],
        "reference": reference,
    }


def progress_by_annotator(batch: Batch, people: Sequence[int]) -> dict[int, dict[str, Any]]:
    """Return each of these members' progress in their latest pass through a training batch; two queries.

    It has images `done` of `total`, and what was found, `compared`.
    """
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


def _progress(protocol: str, rows: Sequence[Assignment], references: Mapping[int, Payload]) -> dict[str, Any]:
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
    return {"done": len(submitted), "total": len(rows), "compared": pooled(compared)}


def compare(protocol: str, reference: Payload, answer: Payload) -> Compared:
    """Compare two complete payloads under a protocol that has `compare`."""
    known = get_protocol(protocol)
    assert known.compare is not None  # a reference exists
    return known.compare(known.clean(reference), known.clean(answer))


def _terms(text: str) -> list[tuple[str, str]]:
    """Return the terms of a cell, each with its severity, empty if it has none."""
    terms = [term for term in text.split(",") if term]
    return [(term, term[-1] if "/" in term and term[-1] in SEVERITIES else "") for term in terms]


def _words(one: ComparedComponent) -> str:
    if one.verdict != "hit" or not one.differs:
        return VERDICT_WORDS[one.verdict]
    *first, last = (ASPECT_WORDS[aspect] for aspect in one.differs)
    listed = f"{', '.join(first)} and {last}" if first else last
    return f"{listed.capitalize()} {'differs' if not first else 'differ'}"
