"""Draw the guideline's examples: `python -m tools.guideline_images.draw` writes static/img/guide/*.webp.

Each image shows a whole figure with a ring around the error, and the same place enlarged in a disc, drawn at
that size rather than scaled up. The same code and Pillow version give the same bytes.
"""

from __future__ import annotations

from dataclasses import replace
from io import BytesIO
from math import acos, atan2, cos, hypot, sin
from pathlib import Path
from typing import Final

from PIL import Image, ImageDraw

from tools.guideline_images.examples import PLATES, SIZE, Plate
from tools.painter.canvas import OVERSAMPLING, Canvas
from tools.painter.defects import spot_of
from tools.painter.figures import Figure
from tools.painter.palettes import SOFT, Colour
from tools.painter.scenes import Scene, draw_people
from tools.painter.shapes import Point

TARGET: Final = Path(__file__).resolve().parent.parent.parent / "static" / "img" / "guide"
PAPER: Final[Colour] = (229, 226, 219)
LENS: Final[Colour] = (243, 241, 236)
INK: Final[Colour] = (52, 48, 44)
LENS_AT, LENS_RADIUS = (464.0, 240.0), 152.0
QUALITY: Final = 82


def main() -> None:
    """Write every image and print their total size."""
    TARGET.mkdir(parents=True, exist_ok=True)
    total = 0
    for name, plate in PLATES.items():
        content = picture(plate)
        (TARGET / f"{name}.webp").write_bytes(content)
        total += len(content)
    print(f"{len(PLATES)} pictures, {total / 1000:.0f} kB together")


def picture(plate: Plate) -> bytes:
    """Return a plate as a WebP file."""
    buffer = BytesIO()
    drawn(plate).save(buffer, "WEBP", quality=QUALITY, method=6)
    return buffer.getvalue()


def drawn(plate: Plate) -> Image.Image:
    """Draw a plate: the figure, ring and disc, and a beam between them."""
    scene, unit = plate.with_error(), plate.scene.figures[plate.person].unit
    spot = spot_of(scene.figures[plate.person], plate.defect, plate.index)
    centre = spot[0] + plate.aim[0] * unit, spot[1] + plate.aim[1] * unit
    canvas = Canvas(Image.new("RGB", SIZE, PAPER), SOFT)
    radius = plate.radius * unit
    _beam(canvas, centre, radius)
    draw_people(canvas, scene)
    lens = Canvas(Image.new("RGB", SIZE, LENS), SOFT)
    draw_people(lens, _enlarged(scene, centre, LENS_RADIUS / radius))
    canvas.image.paste(lens.image, (0, 0), _disc(LENS_AT, LENS_RADIUS))
    _ring(canvas, LENS_AT, LENS_RADIUS, 3)
    _ring(canvas, centre, radius, 3)
    return canvas.image


def _enlarged(scene: Scene, centre: Point, scale: float) -> Scene:
    """Return the scene scaled about a point, which moves to the centre of the disc."""

    def moved(point: Point) -> Point:
        return LENS_AT[0] + (point[0] - centre[0]) * scale, LENS_AT[1] + (point[1] - centre[1]) * scale

    def enlarged(figure: Figure) -> Figure:
        x, ground = moved((figure.x, figure.ground))
        arms = tuple(replace(arm, reach=arm.reach and moved(arm.reach)) for arm in figure.arms)
        return replace(figure, x=x, ground=ground, unit=figure.unit * scale, arms=arms)

    return replace(scene, figures=tuple(map(enlarged, scene.figures)))


def _beam(canvas: Canvas, centre: Point, radius: float) -> None:
    """Lay a light beam between the outer tangents of ring and disc."""
    dx, dy = LENS_AT[0] - centre[0], LENS_AT[1] - centre[1]
    course, touch = atan2(dy, dx), acos((radius - LENS_RADIUS) / hypot(dx, dy))
    corners = []
    for (x, y), r, angles in (
        (centre, radius, (course - touch, course + touch)),
        (LENS_AT, LENS_RADIUS, (course + touch, course - touch)),
    ):
        corners += [(x + r * cos(angle), y + r * sin(angle)) for angle in angles]
    canvas.tint([tuple(corners)], LENS, 0.55)


def _ring(canvas: Canvas, centre: Point, radius: float, width: float) -> None:
    """Draw a dark ring between two light ones, visible on every background."""
    for grown, colour in ((width + 4, (255, 255, 255)), (width, INK)):
        outer, inner = _disc(centre, radius + grown / 2), _disc(centre, radius - grown / 2)
        inner = inner.point(lambda level: 255 - level)
        ring = Image.new("L", SIZE)
        ring.paste(outer, (0, 0), inner)
        canvas.image.paste(colour, (0, 0), ring)


def _disc(centre: Point, radius: float) -> Image.Image:
    large = Image.new("L", (SIZE[0] * OVERSAMPLING, SIZE[1] * OVERSAMPLING))
    box = [(at + grow * radius) * OVERSAMPLING for grow in (-1, 1) for at in centre]
    ImageDraw.Draw(large).ellipse(box, fill=255)
    return large.reduce(OVERSAMPLING)


if __name__ == "__main__":
    main()
