"""Draw the exemplars of the realism guideline into static/img/realism/*.webp.

Run `python -m tools.guideline_images.realism`. One figure for each rating, and one for an invalid image, with
their faces blurred as raters see them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from io import BytesIO
from pathlib import Path
from typing import Final

from PIL import Image, ImageFilter

from tools.guideline_images.examples import LOOKS, RESTING, WAVING
from tools.painter.canvas import Canvas
from tools.painter.defects import DEFECT_BY_NAME
from tools.painter.figures import LEFT, RIGHT, Arm, Figure, Leg
from tools.painter.palettes import SOFT, Colour
from tools.painter.planting import changed
from tools.painter.scenes import Scene, draw_people
from tools.painter.shapes import Point
from tools.painter.skeleton import joints

TARGET: Final = Path(__file__).resolve().parent.parent.parent / "static" / "img" / "realism"
SIZE: Final = (240, 400)
PAPER: Final[Colour] = (229, 226, 219)
QUALITY: Final = 80
# Figures are about seven heads high.
GROUND, UNIT, SMALL = 372.0, 50.0, 42.0
BLUR: Final = 6.0

Error = tuple[str, int]
"""The name of a defect, and which arm or leg has it."""


def _person(look: int, right: Point = RESTING, *, x: float = SIZE[0] / 2, unit: float = UNIT) -> Figure:
    arms = (Arm(LEFT, *RESTING), Arm(RIGHT, *right))
    return Figure(LOOKS[look], x, GROUND, unit, arms, (Leg(LEFT, 7, 3), Leg(RIGHT, 7, 3)))


DRAWN: Final[Mapping[str, tuple[Sequence[Figure], Sequence[Error]]]] = {
    "1": (
        [_person(1, x=108, unit=SMALL)],
        [("arm missing", 0), ("arm detached", 1), ("knee bent sideways", 1)],
    ),
    "2": ([_person(3, x=88)], [("third arm", 1), ("waist missing", 0)]),
    "3": ([_person(2)], [("arm missing", 1)]),
    "4": ([_person(0)], [("huge hand", 1), ("foot turned inwards", 0)]),
    "5": ([_person(5)], [("wrist bent sharply", 1)]),
    "6": ([_person(4)], [("short arm", 0)]),
    "7": ([_person(0, WAVING)], [("finger missing", 1)]),
    "8": ([_person(5)], [("long neck", 0)]),
    "9": ([_person(1)], [("small foot", 1)]),
    "10": ([_person(4)], []),
    "invalid": ([_person(3, x=72, unit=SMALL), _person(0, x=172, unit=SMALL)], []),
}


def main() -> None:
    """Write every picture and print their total size."""
    TARGET.mkdir(parents=True, exist_ok=True)
    for name in DRAWN:
        (TARGET / f"{name}.webp").write_bytes(picture(name))
    total = sum(path.stat().st_size for path in TARGET.iterdir())
    print(f"{len(DRAWN)} pictures, {total / 1000:.0f} kB together")


def picture(name: str) -> bytes:
    """Return the exemplar of a rating, or of `invalid`, as a WebP file."""
    figures, errors = DRAWN[name]
    scene = Scene("guide", name, 1, SIZE, "", 0.0, SOFT, tuple(figures))
    for error, index in errors:
        scene = changed(scene, DEFECT_BY_NAME[error], 0, index)
    canvas = Canvas(Image.new("RGB", SIZE, PAPER), SOFT)
    draw_people(canvas, scene)
    for figure in scene.figures:
        _blur_face(canvas.image, figure)
    buffer = BytesIO()
    canvas.image.save(buffer, "WEBP", quality=QUALITY, method=6)
    return buffer.getvalue()


def _blur_face(image: Image.Image, figure: Figure) -> None:
    x, y = joints(figure).head
    half = 0.55 * figure.unit
    box = (round(x - half), round(y - half), round(x + half), round(y + half))
    image.paste(image.crop(box).filter(ImageFilter.GaussianBlur(BLUR)), box)


if __name__ == "__main__":
    main()
