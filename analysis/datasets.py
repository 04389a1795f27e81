"""From rows to the table the statistics read.

The numeric stack is imported inside `load_frame` only: web processes read this module too.
"""

from __future__ import annotations

import hashlib
import json
from collections import deque
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from itertools import groupby
from typing import TYPE_CHECKING, Any

from django.db.models import Case, QuerySet, When
from django.db.models.fields.json import KeyTextTransform, KeyTransform

from analysis.versions import code_version
from annotator.models import Annotation, Project
from scoring.anatomy.protocol import ANATOMY

if TYPE_CHECKING:
    from analysis.stats.frames import RatedAnnotation, RatingsFrame

CHUNK = 2000
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MICROSECOND = timedelta(microseconds=1)
# What a number can depend on besides the answer itself; the order is that of `RatedAnnotation`.
DESCRIPTION = (
    "assignment__image_id",
    "assignment__annotator__code",
    "assignment__image__generator",
    "assignment__image__prompt",
    "assignment__image__prompt_group",
    "assignment__batch__name",
)
# Of the answer only what a number is made of travels: the first rating's value, the cumulative score, and the
# marks as they were counted (ratings hold them in lowest terms).
SCORE = KeyTextTransform(2, KeyTransform(0, "ratings"))
MARKS = KeyTransform("marks", "payload")


class NoAnnotations(ValueError):
    """The project has no submitted annotation to compute anything from."""


def submitted(project: Project | int) -> QuerySet[Annotation]:
    """Return the answers that count: submitted ones of the project, under the anatomy protocol."""
    return Annotation.objects.filter(
        status=Annotation.Status.SUBMITTED,
        assignment__batch__project=project,
        assignment__batch__protocol=ANATOMY.slug,
    )


def load_frame(project: Project, steps: Callable[[int, int], None] | None = None) -> RatingsFrame:
    """Return the project's table: one row per image and annotator, the latest answer where there are two.

    Scores are made with the project's present weights. `steps` hears how many of the answers are read.
    Raises NoAnnotations for an empty project and ValueError, naming the image, for an answer whose ratings
    cannot be read.
    """
    from analysis.stats.frames import build_frame

    rated = _rated(project)
    if steps:
        rated = _counting(rated, submitted(project).count(), steps)
    frame = build_frame(rated, project.exact_weights)
    if not len(frame):
        raise NoAnnotations(f"{project.name} has no submitted annotations yet.")
    return frame


def input_digest(project: Project) -> str:
    """Return a digest that changes whenever `load_frame` or the code that computes would give another report.

    An answer is named by id and version, which rises with every change of its payload.
    """
    digest = hashlib.sha256(f"{code_version()}|{json.dumps(project.weights, sort_keys=True)}".encode())
    rows = (
        submitted(project)
        .order_by("pk")
        .values_list("pk", "version", "assignment__image__number", *DESCRIPTION)
    )
    for row in rows.iterator(chunk_size=CHUNK):
        digest.update(repr(row).encode())
    return digest.hexdigest()


def _counting(
    rated: Iterator[RatedAnnotation], total: int, steps: Callable[[int, int], None]
) -> Iterator[RatedAnnotation]:
    for done, row in enumerate(rated):
        if not done % CHUNK:
            steps(done, total)
        yield row


def _rated(project: Project) -> Iterator[RatedAnnotation]:
    # In this order the latest answer is the last of its group, and one row at a time has to be held.
    rows = (
        submitted(project)
        .order_by("assignment__image_id", "assignment__annotator_id", "submitted_at", "pk")
        .values_list(
            *DESCRIPTION,
            SCORE,
            MARKS,
            "assignment__image__number",
            "pk",
            Case(When(source__isnull=True, then="submitted_at")),
            "assignment__annotator_id",
        )
    )
    for _, group in groupby(rows.iterator(chunk_size=CHUNK), key=lambda row: (row[0], row[-1])):
        yield _rated_annotation(*deque(group, maxlen=1).pop())


def _rated_annotation(
    image: int,
    annotator: str,
    generator: str,
    prompt: str,
    prompt_group: str,
    batch: str,
    score: str | None,
    marks: list[dict[str, Any]],
    number: int | None,
    pk: int,
    moment: datetime | None,
    *_: object,
) -> RatedAnnotation:
    from analysis.stats.building import UNKNOWN_TIME, RatedAnnotation

    ratings = [] if score is None else [("cumulative_score", "", score)]
    # Imported answers carry the time of the import, which says nothing of when they were made.
    made = UNKNOWN_TIME if moment is None else (moment - EPOCH) // MICROSECOND
    return RatedAnnotation(
        image, annotator, generator, prompt, prompt_group, batch, ratings, number or 0, pk, made, marks
    )
