"""What a drawn person is: a frozen description from which the same figure is always drawn.

Lengths are in head heights (`unit` pixels each), angles in degrees. A limb's angle counts from hanging
straight down, outwards on its own side. The defaults describe a body without errors; an error is a
changed value (see `defects`), so a scene with and without it differ in nothing else.
"""

from __future__ import annotations

from dataclasses import dataclass

from tools.painter.palettes import Colour
from tools.painter.shapes import Point

LEFT, RIGHT = -1, 1  # as the viewer sees it


@dataclass(frozen=True)
class Hand:
    """A hand; `gone` are absent long fingers by number from the thumb, `extra` are fingers too many."""

    size: float = 1.0
    extra: int = 0
    gone: tuple[int, ...] = ()
    melted: bool = False
    doubled: bool = False
    flipped: bool = False
    turn: float = 0.0


@dataclass(frozen=True)
class Arm:
    """An arm; with `reach` (pixels) the wrist goes there; `cut` is where it ends: arm, forearm or hand."""

    side: int
    upper: float = 13.0
    fore: float = 6.0
    reach: Point | None = None
    length: float = 1.0
    girth: float = 1.0
    cut: str = ""
    shift: Point = (0.0, 0.0)
    hand: Hand = Hand()


@dataclass(frozen=True)
class Foot:
    """A foot; `turn` away from its natural direction, `shift` away from the ankle."""

    size: float = 1.0
    turn: float = 0.0
    extra_toes: int = 0
    missing_toes: int = 0
    melted: bool = False
    doubled: bool = False
    shift: Point = (0.0, 0.0)


@dataclass(frozen=True)
class Leg:
    """A leg; `cut` is where it ends: leg, shin or foot."""

    side: int
    thigh: float = 6.0
    shin: float = 3.0
    length: float = 1.0
    girth: float = 1.0
    cut: str = ""
    shift: Point = (0.0, 0.0)
    foot: Foot = Foot()


@dataclass(frozen=True)
class Face:
    """A face; turned about its middle, with each eye, the mouth and what is too many or misplaced.

    `blurred` is what of it dissolves: mouth, nose and mouth, or all.
    """

    turn: float = 0.0
    eyes: tuple[bool, bool] = (True, True)
    eye_drop: float = 0.0
    mouth: bool = True
    mouth_shift: Point = (0.0, 0.0)
    third_eye: bool = False
    second_mouth: bool = False
    nose: bool = True
    blurred: str = ""


@dataclass(frozen=True)
class Head:
    """A head; `look` moves the face sideways (-1 to 1)."""

    size: float = 1.0
    tilt: float = 0.0
    look: float = 0.0
    shift: Point = (0.0, 0.0)
    doubled: bool = False
    neck: float = 1.0
    face: Face = Face()


@dataclass(frozen=True)
class Torso:
    """A trunk; `slip` moves its upper half sideways, `gap` leaves the waist out."""

    lean: float = 0.0
    length: float = 1.0
    width: float = 1.0
    slip: float = 0.0
    gap: bool = False


@dataclass(frozen=True)
class Look:
    """Colours and clothes: sleeves short or long; trousers, shorts or skirt; no shoes is barefoot."""

    skin: Colour
    hair: Colour
    hair_style: str
    top: Colour
    bottom: Colour
    sleeves: str = "short"
    bottoms: str = "trousers"
    shoes: Colour | None = None


@dataclass(frozen=True)
class Figure:
    """One person standing at (x, ground) pixels; arms and legs: the viewer's left, right, then extra ones."""

    look: Look
    x: float
    ground: float
    unit: float
    arms: tuple[Arm, ...] = (Arm(LEFT), Arm(RIGHT))
    legs: tuple[Leg, ...] = (Leg(LEFT), Leg(RIGHT))
    head: Head = Head()
    torso: Torso = Torso()
