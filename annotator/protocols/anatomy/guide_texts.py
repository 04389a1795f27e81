"""The definitions and rules of the annotation page, the guideline and publication bundles."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

ERROR_TYPE_DEFINITIONS: Final[Mapping[str, str]] = {
    "missing": (
        "a part, or a piece of one, that should be in view is not there. A part hidden by pose, clothing, "
        "framing or another object does not count as missing. A part that is half-made, and therefore too "
        "small, counts here."
    ),
    "extra": (
        "more of a part than a body has, whole or in pieces: a third hand, a sixth toe, two rows of teeth."
    ),
    "configuration": (
        "parts that are detached, in the wrong place, melted into other parts, objects or the background, or "
        "blurred until they dissolve."
    ),
    "orientation": "a part turned or bent in a way that no body can turn or bend it.",
    "proportion": (
        "a part of the wrong size or thickness for the body it belongs to, unless it could be natural for "
        "the person: an athlete, a child."
    ),
}

BODY_PART_DEFINITIONS: Final[Mapping[str, str]] = {
    "torso": "trunk, with neck and head as a mass.",
    "limbs": "arms and legs, down to wrist and ankle.",
    "feet": "from ankle to toes.",
    "hands": "from wrist to fingers.",
    "face": "forehead to jaw, with eyes, ears, nose and mouth.",
}

SEVERITY_DEFINITIONS: Final[Mapping[str, str]] = {
    "a": "a flaw: the part is still what it should be, and the body looks whole.",
    "b": "plainly wrong at first glance, but one can tell which part it is and what it should look like.",
    "c": "a part lost, one too many, beyond recognition, or in a state that no living body can be in.",
}

COUNT_DEFINITIONS: Final[Mapping[str, str]] = {
    "expected": (
        "parts that should be in view, given the people, the framing and the pose. A person without an arm "
        "still counts as four limbs."
    ),
    "visible": "parts that can be seen, whatever state they are in. Extra parts are among them.",
}

GENERAL_REMINDERS: Final[tuple[tuple[str, str], ...]] = (
    (
        "Judge in order.",
        "Missing and extra parts come first. Within each kind of error, go from torso to limbs, feet, hands "
        "and face.",
    ),
    ("Judge at first glance.", "Do not zoom in and do not search: an error is what a glance shows."),
    ("Judge the image, not the prompt.", "Count the people in the image, not those in the prompt."),
    (
        "Leave out skin and texture.",
        "Gloss, wrinkles and odd colours are not errors of anatomy. Blur is one where a feature dissolves in "
        "it, not where it only softens the image.",
    ),
    (
        "Leave out objects.",
        "They count only where they damage a part of a body, such as a cup that has grown into a hand.",
    ),
    (
        "Count a loss once.",
        "Where a forearm is missing, its hand is missing too: that is one error, of the limb. The hand then "
        "leaves the total of hands: lower the count that the number of people filled in.",
    ),
)

# The extent of blur in a face determines its severity.
FACE_BLUR: Final = (
    "Where features of a face dissolve in blur, mark Configuration · Face by how much of it is lost: the "
    "mouth alone is mild, nose and mouth are moderate, the whole face is severe."
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
