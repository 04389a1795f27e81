"""The contents of the guideline's images: figures, their positions and errors."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

from tools.painter.casting import handshake
from tools.painter.chance import Chance
from tools.painter.changes import on_face
from tools.painter.defects import DEFECT_BY_NAME, Defect
from tools.painter.figures import LEFT, RIGHT, Arm, Figure, Head, Leg, Look
from tools.painter.palettes import HAIRS, SKINS, SOFT
from tools.painter.planting import changed
from tools.painter.scenes import Scene
from tools.painter.shapes import Point

SIZE: Final = (640, 480)  # twice what the page shows
GROUND, UNIT = 440.0, 62.0  # where the feet are, and the height of a head
ALONE: Final = 138.0  # position of a single person

# Not in the demo study, where it would change the errors of other images.
FACE_A_LITTLE_ASKEW: Final = Defect(
    "face a little askew", "orientation.face", "a", "head", "head", on_face(turn=24.0)
)
# Increasing blur dissolves a face from the mouth up.
BLURRED: Final = tuple(
    Defect(f"{what} blurred", "configuration.face", severity, "head", "head", on_face(blurred=what))
    for severity, what in (("a", "mouth"), ("b", "nose and mouth"), ("c", "all"))
)


@dataclass(frozen=True)
class Plate:
    """One image: the scene without the error, the error, and the place of the close-up.

    `person` and `index` say on whom and on which arm or leg; `radius` is that of the ring and `aim` how
    far it lies from the spot of the error, both in head heights.
    """

    scene: Scene
    defect: Defect
    person: int = 0
    index: int = 0
    radius: float = 0.75
    aim: Point = (0.0, 0.0)

    def with_error(self) -> Scene:
        """Return the scene with its error."""
        return changed(self.scene, self.defect, self.person, self.index)


def _scene(name: str, *figures: Figure) -> Scene:
    return Scene("guide", name, 1, SIZE, "", 0.0, SOFT, figures)


def _look(skin: int, hair: int, style: str, top: int, bottom: int, bottoms: str, shoes: int | None) -> Look:
    return Look(
        skin=SKINS[skin],
        hair=HAIRS[hair],
        hair_style=style,
        top=SOFT.tops[top],
        bottom=SOFT.bottoms[bottom],
        bottoms=bottoms,
        shoes=None if shoes is None else SOFT.shoes[shoes],
    )


LOOKS: Final = (
    _look(1, 1, "bob", 1, 0, "trousers", 0),
    _look(3, 0, "curls", 2, 0, "shorts", None),
    _look(0, 3, "short", 0, 3, "trousers", 1),
    _look(4, 0, "short", 5, 1, "trousers", 0),
    _look(2, 1, "bun", 4, 0, "shorts", None),
    _look(5, 0, "fringe", 3, 2, "trousers", 0),
)
RESTING, WAVING, APART = (15.0, 8.0), (96.0, 166.0), (26.0, 16.0)
ON_HIP = (40.0, -34.0)


def _person(look: int, left: Point = RESTING, right: Point = RESTING, head: Head | None = None) -> Figure:
    return Figure(
        look=LOOKS[look],
        x=ALONE,
        ground=GROUND,
        unit=UNIT,
        arms=(Arm(LEFT, *left), Arm(RIGHT, *right)),
        legs=(Leg(LEFT, 7, 3), Leg(RIGHT, 7, 3)),
        head=head or Head(),
    )


def _plate(
    defect: Defect, figure: Figure, *, index: int = 0, radius: float = 0.75, aim: Point = (0.0, 0.0)
) -> Plate:
    return Plate(_scene(defect.name, figure), defect, index=index, radius=radius, aim=aim)


def _handshake() -> Scene:
    """Return the demo's two people, scaled to the left half of a plate."""
    pair = handshake(Chance("guide/handshake"), SOFT, (768, 640), 0)
    scale, across = 0.6, 768 / 2
    figures = []
    for figure, look in zip(pair, (LOOKS[5], LOOKS[2]), strict=True):
        arms = tuple(
            replace(arm, reach=arm.reach and _moved(arm.reach, scale, across)) for arm in figure.arms
        )
        x = _moved((figure.x, 0), scale, across)[0]
        look = replace(look, sleeves="long")
        figures.append(replace(figure, look=look, x=x, ground=GROUND, unit=figure.unit * scale, arms=arms))
    return _scene("handshake", *figures)


def _moved(point: Point, scale: float, across: float) -> Point:
    return ALONE + (point[0] - across) * scale, GROUND + (point[1] - 592.0) * scale


def _plates() -> dict[str, Plate]:
    shaking = _handshake()
    return {
        "missing-a": _plate(DEFECT_BY_NAME["finger missing"], _person(0, right=WAVING), index=1),
        "missing-b": _plate(
            DEFECT_BY_NAME["toes missing"], _person(1), index=1, radius=0.62, aim=(0.16, 0.0)
        ),
        "missing-c": _plate(DEFECT_BY_NAME["arm missing"], _person(2), index=1, radius=1.2, aim=(0.0, 0.5)),
        "extra-a": _plate(DEFECT_BY_NAME["sixth finger"], _person(4, right=WAVING), index=1),
        "extra-b": _plate(
            DEFECT_BY_NAME["half a third arm"], _person(0), index=1, radius=1.2, aim=(-0.05, 0.1)
        ),
        "extra-c": _plate(
            DEFECT_BY_NAME["third arm"], _person(3, left=ON_HIP), index=1, radius=1.45, aim=(0.05, 0.3)
        ),
        "configuration-a": _plate(DEFECT_BY_NAME["one eye lower"], _person(5)),
        "configuration-b": _plate(
            DEFECT_BY_NAME["trunk displaced"], _person(2), radius=1.25, aim=(0.05, -0.2)
        ),
        "configuration-c": Plate(shaking, DEFECT_BY_NAME["hands melted together"], index=1, radius=0.8),
        **{f"blur-{defect.severity}": _plate(defect, _person(4), radius=0.7) for defect in BLURRED},
        "orientation-a": _plate(FACE_A_LITTLE_ASKEW, _person(4)),
        "orientation-b": _plate(DEFECT_BY_NAME["wrist bent sharply"], _person(0), index=1, aim=(0.08, 0.0)),
        "orientation-c": _plate(
            DEFECT_BY_NAME["knee bent sideways"],
            replace(_person(1), x=154.0),
            index=1,
            radius=1.3,
            aim=(0.45, 0.1),
        ),
        "proportion-a": _plate(DEFECT_BY_NAME["long neck"], _person(5), radius=0.95, aim=(0.0, -0.45)),
        "proportion-b": _plate(
            DEFECT_BY_NAME["long arm"], _person(2), index=1, radius=1.75, aim=(-0.4, 0.15)
        ),
        "proportion-c": _plate(
            DEFECT_BY_NAME["huge hand"], _person(3, right=APART), index=1, radius=1.2, aim=(0.0, 0.15)
        ),
    }


PLATES: Final[Mapping[str, Plate]] = _plates()
