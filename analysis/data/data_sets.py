"""Read a project's images as a data set: their scores under a protocol, and what the filters leave out."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final

from analysis.data.ratings_table import submitted
from annotator.annotations.unreadable import annotations_without_numbers
from annotator.data_sets.settings import DataSetSettings, settings_of
from annotator.models import Project
from annotator.models.data_sets import REAL
from scoring.data_sets.images import EXCLUDED, NOT_RATED, DataImage
from scoring.protocol import Outcome
from scoring.service import get_protocol

CHUNK: Final = 5000
FIELDS: Final = (
    *("pk", "sha256", "generator", "prompt", "number", "source_name", "attributes"),
    *("screening__reasons", "screening__kept"),
)


@dataclass(frozen=True)
class DataSetRead:
    """The images of a project in the order of their rows, its settings, and how many people rated."""

    images: list[DataImage]
    settings: DataSetSettings
    raters: int
    ratings: int


def read_data_set(
    project: Project, protocol: str, told: Callable[[int], None] = lambda _: None
) -> DataSetRead:
    """Return the images of a project with their scores; `told` receives the number of ratings read.

    Each rater's latest annotation counts, as in reports. Raise ValueError for a protocol without scores.
    """
    outcome_of = get_protocol(protocol).outcome
    if outcome_of is None:
        raise ValueError(f"{protocol} gives images no score from which a data set can be made")
    settings, answers = settings_of(project), _answers(project, protocol, told)
    images = []
    for row in _image_rows(project):
        given = answers.get(row[0], {})
        outcome = (
            outcome_of(list(given.values()), settings.invalid_from) if given else Outcome(None, NOT_RATED)
        )
        images.append(_image(row, outcome, len(given), settings.real_score))
    people = {person for given in answers.values() for person in given}
    return DataSetRead(images, settings, len(people), sum(map(len, answers.values())))


def _image(row: tuple[Any, ...], outcome: Outcome, raters: int, fixed: Fraction) -> DataImage:
    _, sha256, generator, prompt, number, name, attributes, reasons, kept = row
    real = attributes.get("source") == REAL
    excluded = tuple((reasons or "").split()) if not kept else ()
    score = None if excluded else fixed if real else outcome.score
    return DataImage(
        key=sha256,
        generator=generator,
        prompt=prompt,
        number=number,
        real=real,
        score=score,
        without=EXCLUDED if excluded else "" if score is not None else outcome.reason,
        reasons=excluded,
        rated=outcome.score,
        raters=raters,
        votes=outcome.votes,
        name=name,
        action=str(attributes.get("action", "")),
        corrected_from=str(attributes.get("corrected_from", "")),
    )


def _image_rows(project: Project) -> Iterator[tuple[Any, ...]]:
    """Yield the images by id, in finished queries: an open one would hold a snapshot on SQLite."""
    last = 0
    while rows := list(project.images.filter(pk__gt=last).order_by("pk").values_list(*FIELDS)[:CHUNK]):
        yield from rows
        last = rows[-1][0]


def _answers(project: Project, protocol: str, told: Callable[[int], None]) -> dict[int, dict[int, Any]]:
    """Return the payloads by image and rater, of each rater the latest."""
    unread = set(annotations_without_numbers(project).values_list("pk", flat=True))
    by_image: dict[int, dict[int, tuple[Any, Any]]] = {}
    last = read = 0
    names = ("pk", "assignment__image_id", "assignment__annotator_id", "submitted_at", "payload")
    rows = submitted(project, protocol).order_by("pk")
    while chunk := list(rows.filter(pk__gt=last).values_list(*names)[:CHUNK]):
        for pk, image, person, moment, payload in chunk:
            if pk in unread:
                continue
            own = by_image.setdefault(image, {})
            if person not in own or own[person][0] <= (moment, pk):
                own[person] = ((moment, pk), payload)
        last, read = chunk[-1][0], read + len(chunk)
        told(read)
    return {image: {who: payload for who, (_, payload) in own.items()} for image, own in by_image.items()}
