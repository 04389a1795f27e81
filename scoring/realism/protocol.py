"""The realism protocol: how realistic the body's anatomy is, from 1 to 10, or why it cannot be rated.

Source: the expert ratings of the BodyRealism data set; `consolidation` makes one score of an image's ratings.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Final

from scoring.comparison import Compared, ComparedComponent
from scoring.payloads import Refusals, read_choice, read_object, read_remarks, read_whole_number
from scoring.protocol import (
    INVALID_FROM,
    Flaggable,
    Outcome,
    Payload,
    Protocol,
    Rating,
    Variable,
)
from scoring.qualification_rules import RECALL
from scoring.realism.consolidation import FEWEST_RATINGS, HIGHEST, LOWEST, Consolidated, consolidate

INVALID_REASONS: Final = ("multiple_people", "no_person", "too_few_parts", "not_photorealistic", "other")
"""Why an image cannot be rated; every rule treats them alike."""
_KEYS: Final = ("rating", "invalid", "note", "flag", "tags")
_TOLERANCE: Final = 1
RATERS: Final = 5
"""How many people rate each image. Source: BodyRealism."""
RATING: Final = Variable(
    name="rating",
    title="Realism",
    level_of_measurement="ordinal",
    value_domain="whole numbers from 1 (major errors) to 10 (no obvious error); none if the image is invalid",
    values=tuple(range(LOWEST, HIGHEST + 1)),
    headline=True,
    optional=True,
    higher_is_better=True,
)
INVALID: Final = Variable(
    name="invalid",
    title="Invalid",
    level_of_measurement="nominal",
    value_domain="1 where the image is invalid for this reason, else 0; by reason",
    components=INVALID_REASONS,
    values=(0, 1),
)


@dataclass(frozen=True)
class RealismAnnotation(Flaggable):
    """The checked content of one annotation, built by `clean`: a rating or the reason why there is none."""

    rating: int | None
    invalid: str | None

    def payload(self) -> Payload:
        """Return the canonical payload, ready for JSON."""
        return {
            "rating": self.rating,
            "invalid": self.invalid,
            "note": self.note,
            **self.remarks(),
        }


def clean(payload: object, *, complete: bool = True) -> RealismAnnotation:
    """Return the checked annotation of a payload. Missing keys have the values of an untouched draft.

    `complete=False` accepts drafts, which may have neither rating nor reason. Raises only InvalidPayload,
    which names every invalid field.
    """
    refusals = Refusals()
    given = read_object(payload, _KEYS, "", refusals) or {}
    rating, invalid = given.get("rating"), given.get("invalid")
    answer = RealismAnnotation(
        rating=None if rating is None else read_whole_number(rating, LOWEST, HIGHEST, "rating", refusals),
        invalid=None
        if invalid is None
        else read_choice(invalid, INVALID_REASONS, "reason", "invalid", refusals),
        **read_remarks(given, refusals),
    )
    if rating is not None and invalid is not None:
        refusals.add("invalid", "Refused: give a rating or a reason why the image is invalid, not both.")
    refusals.raise_if_any()
    if complete and answer.rating is None and answer.invalid is None:
        refusals.add("", "Not submitted: give a rating from 1 to 10, or say why the image is invalid.")
    if complete and answer.invalid == "other" and not answer.note.strip():
        refusals.add("note", "Refused: say in the note why the image is invalid.")
    refusals.raise_if_any()
    return answer


def ratings(answer: RealismAnnotation, _: Mapping[str, Fraction]) -> tuple[Rating, ...]:
    """Return the rating, or 1 for the reason why there is none. The settings are ignored."""
    if answer.invalid is not None:
        return ((INVALID.name, answer.invalid, Fraction(1)),)
    return () if answer.rating is None else ((RATING.name, "", Fraction(answer.rating)),)


def compare(reference: RealismAnnotation, answer: RealismAnnotation) -> Compared:
    """Compare two complete annotations: a rating is a hit within 1 of the reference, invalid by any reason.

    The reference is a hit or missed, so that recall is the share of hits; *alone* is a rating of an image
    that is invalid, or the reverse.
    """
    theirs, ours = _kind(reference), _kind(answer)
    if theirs != ours:
        missed, alone = ComparedComponent(theirs, "missed"), ComparedComponent(ours, "alone")
        return Compared((missed, alone) if theirs == RATING.name else (alone, missed))
    if reference.rating is None or answer.rating is None:
        return Compared((ComparedComponent(theirs, "hit"),))
    close = abs(reference.rating - answer.rating) <= _TOLERANCE
    return Compared((ComparedComponent(theirs, "hit" if close else "missed"),))


def consolidated(payloads: Sequence[Payload], invalid_from: int = INVALID_FROM) -> Consolidated:
    """Return the consolidation of the complete payloads of one image by different people."""
    given = [payload.get("rating") for payload in payloads]
    rated = [rating for rating in given if rating is not None]
    return consolidate(rated, len(given) - len(rated), invalid_from=invalid_from)


def outcome(payloads: Sequence[Payload], invalid_from: int = INVALID_FROM) -> Outcome:
    """Return the consolidated score of an image; without one, the branch that gave none."""
    consolidation = consolidated(payloads, invalid_from)
    votes = tuple(str(payload["invalid"]) for payload in payloads if payload.get("invalid"))
    return Outcome(
        consolidation.score, "" if consolidation.score is not None else consolidation.branch, votes
    )


def _kind(answer: RealismAnnotation) -> str:
    return INVALID.name if answer.rating is None else RATING.name


REALISM: Final = Protocol(
    slug="realism",
    title="Realism of the body from 1 to 10",
    version=1,
    variables=(RATING, INVALID),
    clean=clean,
    ratings=ratings,
    compare=compare,
    rule_terms=(
        replace(
            RECALL,
            title="Images rated as the reference",
            help="Share of images rated within 1 of the reference, or invalid as it is.",
            default=Fraction(4, 5),
        ),
    ),
    adjudicated=False,
    outcome=outcome,
    raters=RATERS,
    scored_from=FEWEST_RATINGS,
)
