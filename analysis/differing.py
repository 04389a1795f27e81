"""The images that annotators judged most differently, ready to be looked at."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from analysis.models import Report
from annotator.adjudications import answers_of, is_outdated
from annotator.models import Adjudication, Annotation, Image
from scoring.anatomy.notation import Term, format_cell
from scoring.anatomy.taxonomy import BODY_PARTS, ERROR_TYPE_TITLES, ERROR_TYPES

Entry = Mapping[str, Any]
Marks = Mapping[str, str]


@dataclass(frozen=True)
class DiffCell:
    """One cell as both annotators left it, in the sheet's notation; `kind` is differs, agrees or empty."""

    kind: str
    first: str = ""
    second: str = ""


@dataclass(frozen=True)
class DiffRow:
    """One error type, a cell for each body part."""

    title: str
    cells: Sequence[DiffCell]


@dataclass(frozen=True)
class Person:
    """One of the two, with their score and their annotation, if it is still there."""

    code: str
    score: float
    annotation: int | None


@dataclass(frozen=True)
class Disagreement:
    """One image; `changed` says that an answer is not any more what the report saw.

    Of a changed answer only the cells are known in which the two differed then. `settled` is what a lead has
    decided since, `outdated` that an answer has changed after that.
    """

    place: int
    entry: Entry
    image: Image | None
    people: Sequence[Person]
    rows: Sequence[DiffRow]
    changed: bool
    settled: Adjudication | None = None
    outdated: bool = False


def disagreements_of(
    report: Report, placed: Sequence[tuple[int, Entry]], settled: Mapping[int, Adjudication]
) -> list[Disagreement]:
    """Return entries of a report's list, each with its place, with image, answers and what was settled.

    Two queries, and one for each settled image.
    """
    entries = [entry for _, entry in placed]
    images = Image.objects.filter(project=report.project_id).in_bulk([entry["image"] for entry in entries])
    answers = Annotation.objects.filter(assignment__batch__project=report.project_id).in_bulk(
        [pk for entry in entries for pk in entry["annotations"]]
    )
    return [
        _disagreement(place, entry, images.get(entry["image"]), answers, report, settled.get(entry["image"]))
        for place, entry in placed
    ]


def _disagreement(
    place: int,
    entry: Entry,
    image: Image | None,
    answers: Mapping[int, Annotation],
    report: Report,
    settled: Adjudication | None,
) -> Disagreement:
    two = [answers.get(pk) for pk in entry["annotations"]]
    changed = any(answer is None or _since(answer, report) for answer in two)
    agreed = {} if changed else _marks(two[0])
    people = [
        Person(code, score, None if answer is None else answer.pk)
        for code, score, answer in zip(entry["annotators"], entry["scores"], two, strict=True)
    ]
    outdated = settled is not None and image is not None and _is_outdated(settled, image)
    return Disagreement(place, entry, image, people, _rows(entry, agreed), changed, settled, outdated)


def _is_outdated(settled: Adjudication, image: Image) -> bool:
    return is_outdated(settled, answers_of(image, settled.protocol))


def _since(answer: Annotation, report: Report) -> bool:
    """Whether the answer is another one than the report counted."""
    if answer.status != Annotation.Status.SUBMITTED:
        return True
    return report.started_at is not None and answer.saved_at > report.started_at


def _marks(answer: Annotation | None) -> Marks:
    terms: dict[str, tuple[Term, ...]] = {}
    for mark in answer.payload["marks"] if answer else ():
        key = f"{mark['type']}.{mark['part']}"
        terms[key] = (*terms.get(key, ()), Term(mark["affected"], mark["total"], mark["severity"]))
    return {key: format_cell(found) for key, found in terms.items()}


def _rows(entry: Entry, agreed: Marks) -> list[DiffRow]:
    differing = {cell["cell"]: cell["marks"] for cell in entry["cells"]}
    return [
        DiffRow(ERROR_TYPE_TITLES[kind], [_cell(f"{kind}.{part}", differing, agreed) for part in BODY_PARTS])
        for kind in ERROR_TYPES
    ]


def _cell(key: str, differing: Mapping[str, Sequence[str]], agreed: Marks) -> DiffCell:
    if key in differing:
        # With a space a long cell breaks between two marks.
        first, second = (marks.replace(",", ", ") for marks in differing[key])
        return DiffCell("differs", first, second)
    if key not in agreed:
        return DiffCell("empty")
    both = agreed[key].replace(",", ", ")
    return DiffCell("agrees", both, both)
