"""The protocol *defect-quality*: descriptions by models, rated against the reference of a checked image."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Final

from scoring.defect.repeated import Repeated, RepeatedAnswers
from scoring.protocol import Protocol, Rating, Variable
from scoring.rating_form.definition import FormDefinition, Item

COMPLETENESS, PRECISION = "completeness", "precision"
CRITERIA: Final[Mapping[str, str]] = {COMPLETENESS: "Completeness", PRECISION: "Precision"}
_POINTS: Final = {
    COMPLETENESS: ("No defect mentioned", "Some", "All or nearly all"),
    PRECISION: ("Contradicts or wrong", "Major differences", "Small differences"),
}
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
        items=tuple(
            Item(name, "scale", title, required=True, better="high", points=tuple(enumerate(_POINTS[name])))
            for name, title in CRITERIA.items()
        ),
    ),
    things=CANDIDATES,
    others=(REFERENCE_GIVEN,),
    beside=(REFERENCE_GIVEN,),
)
_MEAN: Final = "mean over the descriptions of an image, each 0, 1 or 2"
_SCORE: Final = Variable(
    COMPLETENESS, "", "interval", _MEAN, headline=True, higher_is_better=True, limits=(0.0, 2.0)
)
VARIABLES: Final = tuple(
    replace(_SCORE, name=name, title=title, headline=name == COMPLETENESS) for name, title in CRITERIA.items()
)


def ratings(answer: RepeatedAnswers, _: Mapping[str, Fraction]) -> tuple[Rating, ...]:
    """Return the mean of each criterion over the candidates; none without candidates.

    The settings are ignored.
    """
    payload = answer.payload()
    scores = {name: list(QUALITY_FORM.answers_of(payload, name).values()) for name in CRITERIA}
    return tuple((name, "", Fraction(sum(own), len(own))) for name, own in scores.items() if own)


QUALITY: Final = Protocol(
    slug="defect-quality",
    title="Defects: quality of descriptions",
    version=1,
    variables=VARIABLES,
    clean=QUALITY_FORM.clean,
    ratings=ratings,
    # All raters count.
    adjudicated=False,
    raters=3,
)
