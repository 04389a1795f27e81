"""The definitions and rules shown on the labelling page and in the guideline."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

ERROR_TYPE_DEFINITIONS: Final[Mapping[str, str]] = {
    "missing": (
        "a part, or a piece of one, that should be visible is absent. A part hidden by pose, clothing, "
        "framing or another object is not missing. A part left unfinished, and so too small, is missing."
    ),
    "extra": (
        "more of a part than a body has, whole or in pieces: a third hand, a sixth toe, two rows of teeth."
    ),
    "configuration": (
        "parts that are detached, misplaced, merged with other parts, objects or the background, or "
        "dissolved by blur."
    ),
    "orientation": "a part turned or bent in a way that is anatomically impossible.",
    "proportion": (
        "a part of the wrong size or thickness for its body, unless it is plausible for the person, such as "
        "an athlete or a child."
    ),
}

BODY_PART_DEFINITIONS: Final[Mapping[str, str]] = {
    "torso": "the trunk, with neck and head as a mass.",
    "limbs": "arms and legs, down to the wrist and ankle.",
    "feet": "from the ankle to the toes.",
    "hands": "from the wrist to the fingers.",
    "face": "from the forehead to the jaw, with eyes, ears, nose and mouth.",
}

SEVERITY_DEFINITIONS: Final[Mapping[str, str]] = {
    "a": "a minor flaw: the part is as it should be otherwise, and the body looks whole.",
    "b": "clearly wrong at first glance, but the part and its correct form are recognisable.",
    "c": "a part that is lost, surplus, unrecognisable, or in a state impossible for a living body.",
}

COUNT_DEFINITIONS: Final[Mapping[str, str]] = {
    "expected": (
        "parts that should be visible, given the people, the framing and the pose. A person with a missing "
        "arm still counts as four limbs."
    ),
    "visible": "parts that are visible, whatever their state, including extra parts.",
}

GENERAL_REMINDERS: Final[tuple[tuple[str, str], ...]] = (
    (
        "Judge in order.",
        "Start with missing and extra parts. Within each error type, go from torso to limbs, feet, hands and "
        "face.",
    ),
    ("Judge at first glance.", "Do not zoom in or search: an error is something you notice at a glance."),
    ("Judge the image, not the prompt.", "Count the people in the image, not those in the prompt."),
    (
        "Ignore skin and texture.",
        "Gloss, wrinkles and odd colours are not anatomical errors. Blur is an error if it dissolves a "
        "feature, not if it only softens the image.",
    ),
    ("Ignore objects.", "They count only if they damage a body part, such as a cup merged with a hand."),
    (
        "Count a loss once.",
        "If a forearm is missing, so is its hand: that is one error, of the limb.",
    ),
)

# The extent of blur in a face determines its severity.
FACE_BLUR: Final = (
    "If blur dissolves features of a face, mark Configuration · Face by how much is lost: the mouth alone is "
    "mild, nose and mouth are moderate, the whole face is severe."
)

# The hints for the total of a term, by its count.
TOTAL_HINTS: Final[Mapping[str, str]] = {
    "expected": "The total is the number of {parts} that should be visible, for example 1/4c.",
    "visible": "The total is the number of visible {parts}, for example 1/4c.",
}

# A cell has room for two short lines; the message line shows the full sentence.
SHORT_REASONS: Final[Mapping[str, str]] = {
    "no_severity": "Add a, b or c",
    "no_total": "Add the total",
    "total_zero": "Total is 0",
    "affected_zero": "0 affected",
    "affected_above_total": "Above total",
    "repeated_severity": "Repeated severity",
    "empty_term": "Extra comma",
    "leading_zero": "Starts with 0",
    "above_limit": "Above 99",
}
OTHER_REASON: Final = "Write 1/4b"
REFUSED_REASON: Final = "Refused"
