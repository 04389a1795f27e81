"""Simple places: a beach, a studio, an office and a park."""

from __future__ import annotations

from collections.abc import Callable

from PIL import Image

from tools.painter.canvas import Canvas
from tools.painter.chance import Chance
from tools.painter.palettes import Colour, Style, darker, mixed
from tools.painter.shapes import Point, Polygon, ellipse, smooth

Size = tuple[int, int]


def backdrop(place: str, size: Size, horizon: float, style: Style, name: str) -> Canvas:
    """Return a canvas with one of PLACES; `horizon` in pixels from the top, `name` seeds its details."""
    canvas = Canvas(Image.new("RGB", size), style)
    PLACES[place](canvas, horizon, Chance(name))
    return canvas


def _fade(canvas: Canvas, top: float, bottom: float, above: Colour, below: Colour) -> None:
    """Fill a band over the whole width with a vertical gradient."""
    style, width = canvas.style, canvas.image.width
    above, below = style.aired(above), style.aired(below)
    height = max(1, round(bottom) - round(top))
    column = Image.new("RGB", (1, height))
    column.putdata([mixed(above, below, (row + 0.5) / height) for row in range(height)])
    canvas.image.paste(column.resize((width, height), Image.Resampling.NEAREST), (0, round(top)))


def _block(left: float, top: float, right: float, bottom: float) -> Polygon:
    return (left, top), (right, top), (right, bottom), (left, bottom)


def _flat(canvas: Canvas, parts: list[Polygon], colour: Colour, shade: float = 0.0) -> None:
    canvas.paint(parts, canvas.style.aired(colour), line=0, shade=shade)


def _cloud(canvas: Canvas, centre: Point, size: float) -> None:
    x, y = centre
    puffs = [ellipse((x + dx * size, y + dy * size), rx * size, ry * size) for dx, dy, rx, ry in CLOUD]
    canvas.tint(puffs, (255, 255, 255), 0.6, 1.5)


CLOUD = ((-0.9, 0.1, 0.6, 0.3), (0.0, -0.1, 0.8, 0.45), (0.9, 0.1, 0.7, 0.3))


def _beach(canvas: Canvas, horizon: float, chance: Chance) -> None:
    width, height = canvas.image.size
    _fade(canvas, 0, horizon, (138, 196, 226), (250, 232, 206))
    sun = (chance.between(0.1, 0.28) + chance.choice((0.0, 0.62))) * width, chance.between(0.12, 0.3) * height
    canvas.tint([ellipse(sun, 46, 46)], (255, 236, 170), 0.35, 10)
    _flat(canvas, [ellipse(sun, 30, 30)], (255, 224, 140))
    for share in (chance.between(0.05, 0.45), chance.between(0.55, 0.95)):
        _cloud(canvas, (share * width, chance.between(0.1, 0.34) * height), chance.between(36, 56))
    shore = horizon + 0.09 * height
    _fade(canvas, horizon, shore + 20, (78, 156, 178), (140, 206, 204))
    wave = [(x * width / 6, shore + (4 if x % 2 else -4)) for x in range(-1, 8)]
    sand = smooth([*wave, (width + 200, height + 200), (-200, height + 200)])
    _flat(canvas, [tuple((x, y - 5) for x, y in sand)], (246, 250, 248))
    _flat(canvas, [sand], (236, 210, 164))
    for _ in range(9):
        speck = chance.unit() * width, chance.between(shore + 30, height)
        _flat(canvas, [ellipse(speck, 7, 2)], (222, 192, 144))


def _studio(canvas: Canvas, horizon: float, chance: Chance) -> None:
    width, height = canvas.image.size
    _fade(canvas, 0, horizon, (236, 222, 208), (246, 236, 224))
    _fade(canvas, horizon, height, (196, 156, 118), (214, 178, 140))
    for x in range(-3, 12):
        line = [(width / 2 + (x - 4) * width / 9, horizon), (width / 2 + (x - 4) * width / 6, float(height))]
        canvas.stroke(line, canvas.style.aired((184, 144, 106)), 1.5)
    _flat(canvas, [_block(0, horizon - 9, width, horizon)], (250, 244, 236))
    _window(canvas, chance.choice((0.06, 0.66)) * width, 0.1 * height, 0.28 * width, 0.4 * height)
    _plant(canvas, (chance.choice((0.1, 0.9)) * width, horizon + 12), 62)
    _flat(
        canvas, [ellipse((width / 2, horizon + 0.55 * (height - horizon)), 0.43 * width, 34)], (122, 150, 150)
    )
    _flat(
        canvas, [ellipse((width / 2, horizon + 0.55 * (height - horizon)), 0.4 * width, 28)], (142, 170, 168)
    )


def _window(canvas: Canvas, left: float, top: float, width: float, height: float) -> None:
    right, bottom = left + width, top + height
    _flat(canvas, [_block(left - 8, top - 8, right + 8, bottom + 8)], (252, 248, 242))
    _flat(canvas, [_block(left, top, right, bottom)], (176, 214, 230))
    _cloud(canvas, (left + width / 2, top + height * 0.4), width * 0.16)
    hill = [(left, bottom), (left, bottom - height * 0.2), (left + width * 0.5, bottom - height * 0.3)]
    _flat(canvas, [(*hill, (right, bottom - height * 0.16), (right, bottom))], (158, 190, 146))
    middle = left + width / 2
    _flat(canvas, [_block(middle - 3, top, middle + 3, bottom)], (252, 248, 242))


def _plant(canvas: Canvas, foot: Point, size: float) -> None:
    x, y = foot
    for lean, reach in ((-0.75, 1.1), (0.8, 1.05), (-0.35, 1.6), (0.4, 1.55), (0.02, 1.85)):
        tip = x + lean * size, y - size * reach
        middle = x + lean * size * 0.7, y - size * (0.35 + reach * 0.4)
        side = size * 0.16
        leaf = ((x, y - size * 0.5), (middle[0] - side, middle[1]), tip, (middle[0] + side, middle[1]))
        _flat(canvas, [smooth(leaf)], (104, 146, 108), shade=0.6)
    pot = ((x - 0.4 * size, y - 0.6 * size), (x + 0.4 * size, y - 0.6 * size), (x + 0.28 * size, y))
    _flat(canvas, [(*pot, (x - 0.28 * size, y))], (206, 130, 96), shade=0.6)


def _office(canvas: Canvas, horizon: float, chance: Chance) -> None:
    width, height = canvas.image.size
    _fade(canvas, 0, horizon, (214, 224, 230), (232, 236, 236))
    _fade(canvas, horizon, height, (156, 166, 176), (182, 188, 194))
    left, right, top, bottom = 0.1 * width, 0.9 * width, 0.07 * height, 0.52 * height
    _flat(canvas, [_block(left - 9, top - 9, right + 9, bottom + 9)], (250, 250, 248))
    _flat(canvas, [_block(left, top, right, bottom)], (188, 216, 234))
    x = left
    while x < right - 20:
        broad, tall = chance.between(28, 62), chance.between(0.2, 0.72) * (bottom - top)
        tower = _block(x, bottom - tall, min(x + broad, right), bottom)
        _flat(canvas, [tower], mixed((150, 182, 206), (170, 196, 214), chance.unit()))
        x += broad + chance.between(2, 12)
    for share in (0.25, 0.5, 0.75):
        post = left + share * (right - left)
        _flat(canvas, [_block(post - 3, top, post + 3, bottom)], (250, 250, 248))
    _flat(canvas, [_block(0, horizon - 8, width, horizon)], (246, 246, 244))
    _plant(canvas, (chance.choice((0.07, 0.93)) * width, horizon + 14), 66)


def _park(canvas: Canvas, horizon: float, chance: Chance) -> None:
    width, height = canvas.image.size
    _fade(canvas, 0, horizon, (150, 202, 228), (232, 240, 222))
    for share in (chance.between(0.1, 0.4), chance.between(0.6, 0.9)):
        _cloud(canvas, (share * width, chance.between(0.06, 0.2) * height), chance.between(34, 60))
    hills = [(x * width / 5, horizon - chance.between(20, 70)) for x in range(-1, 7)]
    _flat(canvas, [smooth([*hills, (width + 300, height), (-300.0, height)])], (150, 190, 140))
    for share in (0.04, chance.between(0.2, 0.42), chance.between(0.58, 0.8), 0.97):
        _tree(canvas, (share * width, horizon + 6), chance.between(70, 96))
    _fade(canvas, horizon, height, (142, 188, 116), (168, 204, 130))
    for _ in range(16):
        tuft = chance.unit() * width, chance.between(horizon + 16, height)
        _flat(canvas, [ellipse(tuft, 8, 2.4)], darker((148, 190, 118), 0.1))


def _tree(canvas: Canvas, foot: Point, size: float) -> None:
    x, y = foot
    _flat(canvas, [_block(x - size * 0.07, y - size, x + size * 0.07, y)], (138, 104, 82))
    crown = [
        ellipse((x + dx * size, y - size * dy), size * r, size * r)
        for dx, dy, r in ((-0.3, 1.15, 0.36), (0.3, 1.15, 0.38), (0.0, 1.55, 0.42))
    ]
    _flat(canvas, crown, (112, 164, 108), shade=0.8)


PLACES: dict[str, Callable[[Canvas, float, Chance], None]] = {
    "beach": _beach,
    "studio": _studio,
    "office": _office,
    "park": _park,
}
