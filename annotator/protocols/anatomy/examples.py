"""What the guide's pictures show and how each is judged: one per error type and severity."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from scoring.grid.notation import Term, parse_cell
from scoring.grid.taxonomy import CELL_BY_KEY, SEVERITY_TITLES, Cell, parts_in_words

PICTURE_SIZE: Final = (640, 480)


@dataclass(frozen=True)
class Example:
    """One drawn error: the cell it goes to, the term that is written, what is seen and why it is so bad.

    `shown` describes the picture for those who cannot see it; `series` is how its picture's name begins where
    that is not its error type.
    """

    cell_key: str
    written: str
    seen: str
    why: str
    shown: str
    series: str = ""

    @property
    def cell(self) -> Cell:
        """The cell that the error goes to."""
        return CELL_BY_KEY[self.cell_key]

    @property
    def term(self) -> Term:
        """What is written, as numbers and a severity."""
        (term,) = parse_cell(self.written)
        return term

    @property
    def severity_title(self) -> str:
        """Mild, moderate or severe."""
        return SEVERITY_TITLES[self.term.severity]

    @property
    def name(self) -> str:
        """The name of the picture, such as `missing-a`."""
        return f"{self.series or self.cell.error_type}-{self.term.severity}"

    @property
    def picture(self) -> str:
        """The picture's place among the static files."""
        return f"img/guide/{self.name}.webp"

    @property
    def counted(self) -> str:
        """The fraction in words: `1 of 2 expected hands`."""
        term = self.term
        return f"{term.affected} of {parts_in_words(term.total, self.cell.body_part, self.cell.count_kind)}"


EXAMPLES: Final[tuple[Example, ...]] = (
    Example(
        "missing.hands",
        "1/2a",
        "A finger of the waving hand is not there. Nothing hides it.",
        "The hand is still a hand, and everything else about it is right.",
        "A woman waves. The close-up shows her hand with a thumb, three fingers and a wide gap.",
    ),
    Example(
        "missing.feet",
        "1/2b",
        "Of the toes of one foot only two are left.",
        "More than half of the toes are gone and the foot ends in a point, yet it is plainly a foot.",
        "A barefoot man. The close-up shows a foot that tapers to two toes.",
    ),
    Example(
        "missing.limbs",
        "1/4c",
        "One arm ends in its sleeve. Its hand went with it and is not marked again under Hands.",
        "A whole limb is lost.",
        "A man with one arm. The close-up shows a short sleeve with nothing in it.",
    ),
    Example(
        "extra.hands",
        "1/2a",
        "The waving hand has a thumb and five long fingers.",
        "One finger too many; the hand keeps its shape, and one easily looks past it.",
        "A woman waves. The close-up shows her hand with six fingers in all.",
    ),
    Example(
        "extra.limbs",
        "1/4b",
        "Half an arm grows beside a whole one. Four limbs are expected, so it is out of 4.",
        "A piece of a limb, not a whole one, and the two real arms are as they should be.",
        "A woman with two whole arms. The close-up shows a stump in a sleeve that sticks out behind one.",
    ),
    Example(
        "extra.limbs",
        "1/4c",
        "Two arms come out of one shoulder. The hand of the third arm came with it and is not marked again.",
        "A whole limb too many.",
        "A man with three arms. The close-up shows two arms that share a sleeve.",
    ),
    Example(
        "configuration.face",
        "1/1a",
        "One eye lies lower than the other.",
        "Everything is there and almost in its place.",
        "A man looks at the viewer. The close-up shows his face; one eye is about its own height too low.",
    ),
    Example(
        "configuration.torso",
        "1/1b",
        "The upper half of the trunk stands beside the lower half.",
        "It is seen at once, but both halves are there, and one can tell how they belong together.",
        "A man whose chest has slid sideways. The close-up shows a step on both sides of the waist.",
    ),
    Example(
        "configuration.hands",
        "2/4c",
        "The hands of two people have melted into one lump. It takes a hand of each: 2 of 4.",
        "Neither hand can be recognised.",
        "Two people shake hands. The close-up shows a shapeless mass of both skins between their sleeves.",
    ),
    Example(
        "orientation.face",
        "1/1a",
        "Eyes, nose and mouth sit askew on a head that is upright.",
        "The slant is small, and every feature is right in itself.",
        "A woman with her head upright. The close-up shows her face turned, like a picture hung askew.",
    ),
    Example(
        "orientation.hands",
        "1/2b",
        "One hand stands sideways from its wrist at a right angle.",
        "No wrist goes so far, but hand and arm are whole, and half of that bend would be natural.",
        "A woman, arms hanging down. The close-up shows a hand that points straight away from her.",
    ),
    Example(
        "orientation.limbs",
        "1/4c",
        "One knee bends outwards, so that the shin lies level.",
        "A knee that bends this way is broken.",
        "A man on one leg. The close-up shows the other, whose shin goes straight to the side.",
    ),
    Example(
        "proportion.torso",
        "1/1a",
        "The neck is too long. It belongs to the torso, as the head does where it is a mass.",
        "A very long neck, but nobody would stop at it.",
        "A man with a long neck. The close-up shows it: twice as long as a neck is.",
    ),
    Example(
        "proportion.limbs",
        "1/4b",
        "One arm is half as long again as the other.",
        "The two arms plainly do not match, though each is a sound arm.",
        "A man, arms hanging down. The close-up shows one end at the hip, the other at mid-thigh.",
    ),
    Example(
        "proportion.hands",
        "1/2c",
        "One hand is twice as large as the other.",
        "No body carries such a hand: it is longer than its forearm.",
        "A man whose one hand is huge. The close-up shows it, far wider than the wrist that it hangs on.",
    ),
)

# One face that is lost step by step.
BLURRED: Final[tuple[Example, ...]] = (
    Example(
        "configuration.face",
        "1/1a",
        "The mouth is a red smear without lips or corners.",
        "One feature is lost, and the face is still a face.",
        "A woman looks at the viewer. The close-up shows her face, all of it sharp but the mouth.",
        "blur",
    ),
    Example(
        "configuration.face",
        "1/1b",
        "Nose and mouth are gone in one smear. The eyes are sharp.",
        "Half of the face is lost at first glance, yet one can tell what should be there.",
        "The same woman. The close-up shows sharp eyes, and below them a smear instead of nose and mouth.",
        "blur",
    ),
    Example(
        "configuration.face",
        "1/1c",
        "Eyes, nose and mouth have dissolved into shadows.",
        "No feature can be recognised.",
        "The same woman. The close-up shows smooth skin with faint shadows where eyes and mouth should be.",
        "blur",
    ),
)

# The published example: two people, of whom four limbs, three hands and two faces ought to be in view.
WORKED: Final[Mapping[str, tuple[Term, ...]]] = {
    "missing.limbs": parse_cell("1/4c"),
    "missing.hands": parse_cell("1/3b"),
    "missing.face": parse_cell("2/2a"),
    "configuration.hands": parse_cell("1/3b,1/3c"),
}
