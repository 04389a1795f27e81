"""Hands with countable fingers, feet with countable toes, and shoes."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

from tools.painter.canvas import Canvas
from tools.painter.figures import Foot, Hand
from tools.painter.palettes import Colour, darker, mixed
from tools.painter.shapes import Frame, Point, Polygon, capsule, heading, smooth

HAND, FOOT = 0.74, 0.68  # lengths in head heights
FINGERS = (0.44, 0.52, 0.47, 0.35)  # from the one next to the thumb
PALM = ((-0.05, -0.13), (0.16, -0.21), (0.42, -0.23), (0.5, 0.0), (0.42, 0.22), (0.18, 0.21), (-0.05, 0.13))
MITTEN = ((-0.05, -0.14), (0.3, -0.25), (0.62, -0.2), (0.74, -0.1), (0.8, 0.06), (0.66, 0.12), (0.6, 0.26),
          (0.42, 0.3), (0.3, 0.2), (-0.05, 0.14))  # fmt: skip
SHOE = ((-0.16, 0.0), (-0.1, -0.15), (0.2, -0.16), (0.6, -0.24), (0.78, -0.12), (0.8, 0.1), (0.66, 0.22),
        (0.2, 0.15), (-0.1, 0.15))  # fmt: skip
SOLE = ((-0.16, 0.0), (-0.1, -0.15), (0.2, -0.16), (0.54, -0.24), (0.68, -0.13), (0.73, 0.1), (0.62, 0.23),
        (0.2, 0.15), (-0.1, 0.15))  # fmt: skip


def draw_hand(canvas: Canvas, wrist: Point, angle: float, hand: Hand, skin: Colour, thumb: int) -> None:
    """Draw a hand from the wrist along an angle in degrees; `thumb` is 1 where it lies clockwise."""
    if hand.doubled:
        for turn in (-42, 34):
            draw_hand(canvas, wrist, angle + turn, replace(hand, doubled=False), skin, thumb)
        return
    frame = Frame(wrist, angle + hand.turn, canvas.unit * HAND * hand.size, -thumb if hand.flipped else thumb)
    if hand.melted:
        _draw_melted(canvas, frame, skin)
        return
    canvas.paint([*_fingers(frame, hand), frame.all(smooth(_palm(hand)))], skin)
    ink = darker(skin, 0.3)
    for x, y in _gaps(hand):
        canvas.stroke([frame.at(x, y), frame.at(x - 0.16, y * 0.96)], ink, canvas.unit * 0.012)


def draw_foot(canvas: Canvas, ankle: Point, angle: float, foot: Foot, colour: Colour, bare: bool) -> None:
    """Draw a foot from the ankle along an angle in degrees, seen from a little above."""
    if foot.doubled:
        for turn in (-38, 38):
            draw_foot(canvas, ankle, angle + turn, replace(foot, doubled=False), colour, bare)
        return
    flip = 1 if heading(angle)[0] > 0 else -1
    start = ankle[0] + foot.shift[0] * canvas.unit * flip, ankle[1] + foot.shift[1] * canvas.unit
    frame = Frame(start, angle + foot.turn * flip, canvas.unit * FOOT * foot.size, flip)
    toes = _toes(frame, foot) if bare and not foot.melted else []
    canvas.paint([frame.all(smooth(SOLE if bare else SHOE)), *toes], colour)
    if bare:
        _draw_nails(canvas, frame, foot, colour)
    else:
        _draw_laces(canvas, frame, colour)


def _palm(hand: Hand) -> list[Point]:
    return [(x, y * (1 + 0.22 * hand.extra)) for x, y in PALM]


def _slots(hand: Hand) -> list[tuple[float, float, float]]:
    """Return (offset across the palm, length, spread in degrees) of each long finger place."""
    count = 4 + hand.extra
    span = 0.36 * (1 + 0.24 * hand.extra)
    slots = []
    for i in range(count):
        share = i / (count - 1)
        length = FINGERS[min(3, round(share * 3))]
        slots.append((span * (0.5 - share), length, (0.5 - share) * (28 + 7 * hand.extra)))
    return slots


def _fingers(frame: Frame, hand: Hand) -> list[Polygon]:
    parts = []
    for number, (across, length, spread) in enumerate(_slots(hand), start=1):
        dx, dy = heading(spread)
        reach = 0.1 if number in hand.gone else length
        tip = frame.at(0.42 + dx * reach, across + dy * reach)
        parts.append(capsule(frame.at(0.38, across), tip, 0.073 * frame.unit, 0.058 * frame.unit))
    thumb = 1 + 0.2 * hand.extra
    if 0 not in hand.gone:
        root, tip = frame.at(0.14, 0.13 * thumb), frame.at(0.44, 0.4 * thumb)
        parts.append(capsule(root, tip, 0.1 * frame.unit, 0.066 * frame.unit))
    return parts


def _gaps(hand: Hand) -> list[Point]:
    slots = _slots(hand)
    return [(0.55, (a[0] + b[0]) / 2 * 1.12) for a, b in pairwise(slots)]


def _draw_melted(canvas: Canvas, frame: Frame, skin: Colour) -> None:
    canvas.paint([frame.all(smooth(MITTEN))], skin)
    ink = darker(skin, 0.3)
    for across in (-0.1, 0.0, 0.09):
        ends = [frame.at(0.46, across), frame.at(0.56, across * 0.7), frame.at(0.66, across * 1.3)]
        canvas.stroke(ends, ink, canvas.unit * 0.014)


def _toe_places(foot: Foot) -> list[tuple[float, float, float]]:
    """Return (forward, across, radius) of each toe; the big one lies inside (negative is outside)."""
    count = 5 + foot.extra_toes
    places = []
    for i in range(count - foot.missing_toes):
        share = i / (count - 1)
        radius = (0.105 - 0.04 * min(1.0, share * 1.6)) * (5 / count) ** 0.5
        places.append((0.79 - 0.17 * share**2, 0.17 - 0.39 * share, radius))
    return places


def _toes(frame: Frame, foot: Foot) -> list[Polygon]:
    return [frame.ellipse(x, y, radius * 1.15, radius) for x, y, radius in _toe_places(foot)]


def _draw_nails(canvas: Canvas, frame: Frame, foot: Foot, skin: Colour) -> None:
    if foot.melted:
        return
    pale = mixed(skin, (255, 240, 236), 0.45)
    for x, y, radius in _toe_places(foot):
        canvas.paint([frame.ellipse(x + radius * 0.45, y, radius * 0.4, radius * 0.5)], pale, line=0, shade=0)


def _draw_laces(canvas: Canvas, frame: Frame, colour: Colour) -> None:
    pale = mixed(colour, (255, 250, 240), 0.5)
    for x in (0.22, 0.34, 0.46):
        canvas.stroke([frame.at(x, -0.08), frame.at(x, 0.08)], pale, canvas.unit * 0.022)
    edge = [frame.at(x, y) for x, y in ((0.6, -0.2), (0.54, 0.0), (0.6, 0.17))]
    canvas.stroke(edge, darker(colour, 0.3), canvas.unit * 0.016)
