"""The examples of the guideline: one drawn error per error type and severity."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from scoring.grid.notation import Term, parse_cell
from scoring.grid.taxonomy import CELL_BY_KEY, SEVERITY_TITLES, Cell, parts_in_words

PICTURE_SIZE: Final = (640, 480)


@dataclass(frozen=True)
class Example:
    """One drawn error: its cell, its term, what is visible, and the reason for its severity.

    `shown` is the alternative text; `series` begins the image's name if it is not the error type.
    """

    cell_key: str
    written: str
    seen: str
    why: str
    shown: str
    series: str = ""

    @property
    def cell(self) -> Cell:
        """The cell of the error."""
        return CELL_BY_KEY[self.cell_key]

    @property
    def term(self) -> Term:
        """The term as numbers and a severity."""
        (term,) = parse_cell(self.written)
        return term

    @property
    def severity_title(self) -> str:
        """Mild, moderate or severe."""
        return SEVERITY_TITLES[self.term.severity]

    @property
    def name(self) -> str:
        """The name of the image, such as `missing-a`."""
        return f"{self.series or self.cell.error_type}-{self.term.severity}"

    @property
    def picture(self) -> str:
        """The path of the image among the static files."""
        return f"img/guide/{self.name}.webp"

    @property
    def counted(self) -> str:
        """The fraction as text: `1 of 2 expected hands`."""
        term = self.term
        return f"{term.affected} of {parts_in_words(term.total, self.cell.body_part, self.cell.count_kind)}"


EXAMPLES: Final[tuple[Example, ...]] = (
    Example(
        "missing.hands",
        "1/2a",
        "A finger of the waving hand is missing and not hidden.",
        "The hand is otherwise correct.",
        "A woman waves. The close-up shows her hand with a thumb, three fingers and a wide gap.",
    ),
    Example(
        "missing.feet",
        "1/2b",
        "One foot has only two toes.",
        "More than half of the toes are missing and the foot ends in a point, but it is clearly a foot.",
        "A barefoot man. The close-up shows a foot that tapers to two toes.",
    ),
    Example(
        "missing.limbs",
        "1/4c",
        "One arm ends in its sleeve. Its missing hand is not marked again under Hands.",
        "A whole limb is missing.",
        "A man with one arm. The close-up shows a short sleeve with nothing in it.",
    ),
    Example(
        "extra.hands",
        "1/2a",
        "The waving hand has a thumb and five long fingers.",
        "One finger too many is easily overlooked, and the hand keeps its shape.",
        "A woman waves. The close-up shows her hand with six fingers in all.",
    ),
    Example(
        "extra.limbs",
        "1/4b",
        "Half an arm grows next to a whole one. Four limbs are expected, so the total is 4.",
        "Only a piece of a limb is extra, and the two real arms are correct.",
        "A woman with two whole arms. The close-up shows a stump in a sleeve that sticks out behind one.",
    ),
    Example(
        "extra.limbs",
        "1/4c",
        "Two arms grow from one shoulder. The hand of the third arm is not marked again.",
        "A whole limb is extra.",
        "A man with three arms. The close-up shows two arms that share a sleeve.",
    ),
    Example(
        "configuration.face",
        "1/1a",
        "One eye is lower than the other.",
        "All features are present and almost in position.",
        "A man looks at the viewer. The close-up shows his face; one eye is about its own height too low.",
    ),
    Example(
        "configuration.torso",
        "1/1b",
        "The upper half of the trunk is shifted sideways from the lower half.",
        "The error is obvious, but both halves are present and clearly belong together.",
        "A man whose chest has slid sideways. The close-up shows a step on both sides of the waist.",
    ),
    Example(
        "configuration.hands",
        "2/4c",
        "The hands of two people have merged into one lump. One hand of each is affected: 2 of 4.",
        "Neither hand is recognisable.",
        "Two people shake hands. The close-up shows a shapeless mass of both skins between their sleeves.",
    ),
    Example(
        "orientation.face",
        "1/1a",
        "Eyes, nose and mouth are tilted on an upright head.",
        "The tilt is small, and every feature is correct in itself.",
        "A woman with her head upright. The close-up shows her face turned, like a picture hung askew.",
    ),
    Example(
        "orientation.hands",
        "1/2b",
        "One hand bends sideways from its wrist at a right angle.",
        "No wrist bends so far, but hand and arm are whole, and half of that angle would be natural.",
        "A woman, arms hanging down. The close-up shows a hand that points straight away from her.",
    ),
    Example(
        "orientation.limbs",
        "1/4c",
        "One knee bends outwards until the shin is horizontal.",
        "A knee bent this way would be broken.",
        "A man on one leg. The close-up shows the other, whose shin goes straight to the side.",
    ),
    Example(
        "proportion.torso",
        "1/1a",
        "The neck is too long. Neck and head, as a mass, belong to the torso.",
        "The neck is very long, but hardly noticeable.",
        "A man with a long neck. The close-up shows it: twice the normal length.",
    ),
    Example(
        "proportion.limbs",
        "1/4b",
        "One arm is 1.5 times as long as the other.",
        "The arms clearly do not match, but each is correct in itself.",
        "A man, arms hanging down. The close-up shows one end at the hip, the other at mid-thigh.",
    ),
    Example(
        "proportion.hands",
        "1/2c",
        "One hand is twice as large as the other.",
        "Such a hand is impossible: it is longer than its forearm.",
        "A man with one huge hand. The close-up shows it, far wider than its wrist.",
    ),
)

# One face, dissolved step by step.
BLURRED: Final[tuple[Example, ...]] = (
    Example(
        "configuration.face",
        "1/1a",
        "The mouth is a red smear without lips or corners.",
        "One feature is lost, but the face is still recognisable.",
        "A woman looks at the viewer. The close-up shows her face, all of it sharp except the mouth.",
        "blur",
    ),
    Example(
        "configuration.face",
        "1/1b",
        "Nose and mouth are one smear. The eyes are sharp.",
        "Half of the face is clearly lost, but the missing features are obvious.",
        "The same woman. The close-up shows sharp eyes, and below them a smear instead of nose and mouth.",
        "blur",
    ),
    Example(
        "configuration.face",
        "1/1c",
        "Eyes, nose and mouth have dissolved into shadows.",
        "No feature is recognisable.",
        "The same woman. The close-up shows smooth skin with faint shadows where eyes and mouth should be.",
        "blur",
    ),
)

# The published example: two people, of whom four limbs, three hands and two faces should be visible.
WORKED: Final[Mapping[str, tuple[Term, ...]]] = {
    "missing.limbs": parse_cell("1/4c"),
    "missing.hands": parse_cell("1/3b"),
    "missing.face": parse_cell("2/2a"),
    "configuration.hands": parse_cell("1/3b,1/3c"),
}
