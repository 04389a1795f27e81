"""The words of the scale: three tiers of ratings, and the reasons why an image is invalid.

Source: the written instruction of the BodyRealism data set, with 7 in the middle tier.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from scoring.realism.protocol import INVALID_REASONS


@dataclass(frozen=True)
class Tier:
    """A tier of the scale: its ratings and what belongs there."""

    slug: str
    title: str
    gist: str
    text: str
    ratings: tuple[int, ...]


TIERS: Final = (
    Tier(
        "major",
        "Major errors",
        "obvious at first glance",
        "Limb missing or extra, body deformed, pose impossible.",
        (1, 2, 3),
    ),
    Tier(
        "moderate",
        "Moderate errors",
        "borderline",
        "Fingers missing or extra, part of the body blurred.",
        (4, 5, 6, 7),
    ),
    Tier("none", "None or negligible", "", "No obvious error of the body.", (8, 9, 10)),
)

DECISION_STEPS: Final = (
    ("Is an error obvious at once?", "Rate 1 to 3."),
    ("Is nothing obvious, even on a second look?", "Rate 8 to 10."),
    ("Otherwise", "Rate 4 to 7."),
)
"""How to find the tier: the questions in their order."""

REASONS: Final = dict(
    zip(
        INVALID_REASONS,
        (
            ("Several people", "More than one person is visible."),
            ("No person", "No person is visible."),
            ("Too little visible", "Fewer than three body parts are visible, not counting the head."),
            (
                "Not a photo",
                "It does not look like a photograph but like a painting, a drawing or a cartoon.",
            ),
            ("Other", "Say why in the note."),
        ),
        strict=True,
    )
)
"""The title and the definition of each reason."""


EXEMPLARS: Final = {
    "1": "One arm is missing, the other is apart, a leg bends sideways.",
    "2": "A third arm, and a trunk cut at the waist.",
    "3": "An arm is missing.",
    "4": "A huge hand, and a foot turned inwards.",
    "5": "A hand bent sharply at the wrist.",
    "6": "A hand that is blurred.",
    "7": "A waving hand lacks a finger.",
    "8": "A neck that is a little too long.",
    "9": "One foot that is a little too small.",
    "10": "No error.",
    "invalid": "Two people.",
}
"""What our drawing of each rating, and of an invalid image, shows."""


def in_words(rating: object, reason: object) -> str:
    """Return what an annotation says: `7`, `Invalid: no person`, or the empty text."""
    if reason:
        title, _ = REASONS.get(str(reason), (str(reason), ""))
        return f"Invalid: {title.lower()}"
    return "" if rating is None else str(rating)
