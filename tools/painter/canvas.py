"""A Pillow picture painted in anti-aliased parts.

Each part is drawn as a mask four times the size and reduced, so edges are smooth while the picture
itself stays at its final size: a scene of four people takes some tens of milliseconds.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, floor

from PIL import Image, ImageChops, ImageDraw, ImageFilter

from tools.painter.palettes import Colour, Style, darker
from tools.painter.shapes import Point, Polygon

OVERSAMPLING = 4
Box = tuple[int, int, int, int]


class Canvas:
    """A picture, the style it is painted in, and `unit`: the head height in pixels lines scale with."""

    def __init__(self, image: Image.Image, style: Style) -> None:
        self.image, self.style = image, style
        self.unit = 80.0

    def paint(
        self, parts: Sequence[Polygon], colour: Colour, *, line: float = 1.0, shade: float = 1.0
    ) -> None:
        """Paint the union of the parts with the style's outline and soft shade (0 leaves them out)."""
        box = self._box(parts)
        if box is None:
            return
        width = line * self.style.line_width * self.unit / 80
        if width > 0:
            self._fill(box, darker(colour, self.style.line_depth), _mask(parts, box, width))
        mask = _mask(parts, box)
        self._fill(box, colour, mask)
        if shade > 0 and self.style.shade > 0:
            self._fill(box, darker(colour, self.style.shade * shade), self._shadow_side(mask))

    def tint(self, parts: Sequence[Polygon], colour: Colour, strength: float, blur: float = 0.0) -> None:
        """Lay a transparent colour over the picture: a blush, a shadow; blur in pixels."""
        box = self._box(parts, pad=6 + ceil(2 * blur))
        if box is None:
            return
        mask = _mask(parts, box).point([round(level * strength) for level in range(256)])
        self._fill(box, colour, mask.filter(ImageFilter.GaussianBlur(blur)) if blur else mask)

    def smear(self, parts: Sequence[Polygon], blur: float) -> None:
        """Blur what lies under the parts, with a soft edge; blur in pixels."""
        box = self._box(parts, pad=6 + ceil(2 * blur))
        if box is None:
            return
        smeared = self.image.crop(box).filter(ImageFilter.GaussianBlur(blur))
        self.image.paste(smeared, box, _mask(parts, box).filter(ImageFilter.GaussianBlur(blur / 4)))

    def stroke(self, points: Sequence[Point], colour: Colour, width: float) -> None:
        """Draw an open line with round ends; width in pixels."""
        box = self._box([tuple(points)], pad=4 + ceil(width))
        if box is not None:
            self._fill(box, colour, _stroke_mask(points, box, width))

    def _shadow_side(self, mask: Image.Image) -> Image.Image:
        reach = max(1, round(self.unit * 0.07))
        lit = ImageChops.offset(mask, -reach, -max(1, reach // 2))
        return ImageChops.subtract(mask, lit.filter(ImageFilter.BoxBlur(self.unit * 0.035)))

    def _fill(self, box: Box, colour: Colour, mask: Image.Image) -> None:
        self.image.paste(colour, box, mask)

    def _box(self, parts: Sequence[Polygon], pad: int = 10) -> Box | None:
        xs = [x for part in parts for x, _ in part]
        ys = [y for part in parts for _, y in part]
        left, top = max(0, floor(min(xs)) - pad), max(0, floor(min(ys)) - pad)
        right = min(self.image.width, ceil(max(xs)) + pad)
        bottom = min(self.image.height, ceil(max(ys)) + pad)
        return (left, top, right, bottom) if left < right and top < bottom else None


def _mask(parts: Sequence[Polygon], box: Box, outline: float = 0.0) -> Image.Image:
    large, draw = _sheet(box)
    for part in parts:
        points = _enlarged(part, box)
        draw.polygon(points, fill=255)
        if outline:
            around = [*points, points[0], points[1]]
            draw.line(around, fill=255, width=round(2 * outline * OVERSAMPLING), joint="curve")
    return large.reduce(OVERSAMPLING)


def _stroke_mask(points: Sequence[Point], box: Box, width: float) -> Image.Image:
    large, draw = _sheet(box)
    path, radius = _enlarged(points, box), width * OVERSAMPLING / 2
    draw.line(path, fill=255, width=max(1, round(2 * radius)), joint="curve")
    for x, y in (path[0], path[-1]):
        draw.ellipse((x - radius, y - radius, x + radius, y + radius), fill=255)
    return large.reduce(OVERSAMPLING)


def _sheet(box: Box) -> tuple[Image.Image, ImageDraw.ImageDraw]:
    left, top, right, bottom = box
    large = Image.new("L", ((right - left) * OVERSAMPLING, (bottom - top) * OVERSAMPLING))
    return large, ImageDraw.Draw(large)


def _enlarged(points: Sequence[Point], box: Box) -> list[Point]:
    return [((x - box[0]) * OVERSAMPLING, (y - box[1]) * OVERSAMPLING) for x, y in points]
