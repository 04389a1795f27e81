"""The protocol *defect-quality*: descriptions by models, rated against the reference of a checked image."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Final

from scoring.protocol import CheckedAnnotation, Payload, Protocol, Rating, Variable
from scoring.rating_form.definition import FormDefinition, Item
from scoring.rating_form.repeated import Repeated, given_by

COMPLETENESS, PRECISION = "completeness", "precision"
CRITERIA: Final[Mapping[str, str]] = {COMPLETENESS: "Completeness", PRECISION: "Precision"}
CANDIDATES: Final = "candidates"
REFERENCE_GIVEN: Final = "reference"
QUALITY_FORM: Final = Repeated(
    FormDefinition(
        name="quality",
        title="How good are these descriptions?",
        headline=COMPLETENESS,
        instructions="Compare each description with the reference. Completeness: is each defect of the "
        "reference mentioned? Whether it is described well does not count. Precision: do place, kind and "
        "severity agree with the reference?",
        items=(
            Item(
                COMPLETENESS,
                "scale",
                "Completeness",
                required=True,
                better="high",
                points=((0, "No defect mentioned"), (1, "Some"), (2, "All or nearly all")),
            ),
            Item(
                PRECISION,
                "scale",
                "Precision",
                required=True,
                better="high",
                points=((0, "Contradicts or wrong"), (1, "Major differences"), (2, "Small differences")),
            ),
        ),
    ),
    things=CANDIDATES,
    others=(REFERENCE_GIVEN,),
    beside=(REFERENCE_GIVEN,),
)
VARIABLES: Final = tuple(
    Variable(
        name=name,
        title=title,
        level_of_measurement="interval",
        value_domain="mean over the descriptions of an image, each 0, 1 or 2",
        headline=name == COMPLETENESS,
        higher_is_better=True,
        limits=(0.0, 2.0),
    )
    for name, title in CRITERIA.items()
)


def scores_of(payload: Payload, criterion: str) -> dict[str, int]:
    """Return the scores of a complete rating by candidate."""
    return dict(QUALITY_FORM.answers_of(payload, criterion))


def ratings(answer: CheckedAnnotation, _: Mapping[str, Fraction]) -> tuple[Rating, ...]:
    """Return the mean of each criterion over the candidates; none without candidates.

    The settings are ignored. Raises TypeError for another protocol's annotation.
    """
    payload = given_by(answer).payload()
    scores = {name: list(scores_of(payload, name).values()) for name in CRITERIA}
    return tuple((name, "", Fraction(sum(own), len(own))) for name, own in scores.items() if own)


QUALITY: Final = Protocol(
    slug="defect-quality",
    title="Defects: quality of descriptions",
    version=1,
    variables=VARIABLES,
    clean=QUALITY_FORM.clean,
    ratings=ratings,
    empty=QUALITY_FORM.empty,
    # All raters count.
    adjudicated=False,
    raters=3,
)
