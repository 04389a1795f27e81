"""Heads: hair, ears and a calm face."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from tools.painter.canvas import Canvas
from tools.painter.figures import Face, Head, Look
from tools.painter.palettes import Colour, darker, mixed
from tools.painter.shapes import Frame, Point, Polygon, smooth

SKULL = ((0.0, -0.5), (0.27, -0.43), (0.38, -0.2), (0.375, 0.08), (0.29, 0.33), (0.12, 0.47), (-0.12, 0.47),
         (-0.29, 0.33), (-0.375, 0.08), (-0.38, -0.2), (-0.27, -0.43))  # fmt: skip
CAP = ((-0.415, 0.02), (-0.43, -0.24), (-0.3, -0.5), (0.0, -0.6), (0.3, -0.5), (0.43, -0.24), (0.415, 0.02),
       (0.36, -0.14), (0.25, -0.27), (0.0, -0.33), (-0.25, -0.27), (-0.36, -0.14))  # fmt: skip
FRINGE = ((-0.415, 0.04), (-0.43, -0.24), (-0.3, -0.5), (0.0, -0.6), (0.3, -0.5), (0.43, -0.24),
          (0.415, 0.04), (0.35, -0.13), (0.13, -0.33), (-0.05, -0.24), (-0.25, -0.18),
          (-0.36, -0.1))  # fmt: skip
LONG = ((-0.43, -0.2), (-0.28, -0.52), (0.0, -0.6), (0.28, -0.52), (0.43, -0.2), (0.46, 0.3), (0.5, 0.78),
        (0.26, 0.86), (0.0, 0.7), (-0.26, 0.86), (-0.5, 0.78), (-0.46, 0.3))  # fmt: skip
BOB = tuple((x, min(y, 0.46)) for x, y in LONG)
CURLS = ((-0.36, -0.02), (-0.42, -0.24), (-0.32, -0.44), (-0.12, -0.54), (0.12, -0.54), (0.32, -0.44),
         (0.42, -0.24), (0.36, -0.02))  # fmt: skip
# What of a face dissolves: ellipses as x, y, across and down, and how far it runs, in head heights.
BLURS: Final[Mapping[str, tuple[tuple[tuple[float, float, float, float], ...], float]]] = {
    "mouth": (((0.0, 0.24, 0.2, 0.11),), 0.055),
    "nose and mouth": (((0.0, 0.24, 0.2, 0.11), (0.0, 0.06, 0.085, 0.18)), 0.06),
    "all": (((0.0, -0.01, 0.32, 0.33),), 0.075),
}
HAIR_STYLES = ("short", "fringe", "bob", "long", "bun", "curls", "beard")
INK: Colour = (52, 36, 44)
LIP: Colour = (178, 74, 72)
DARK_LIP: Colour = (206, 106, 104)  # on dark skin


def draw_back_hair(canvas: Canvas, centre: Point, head: Head, look: Look) -> None:
    """Draw what of the hair lies behind the neck and shoulders."""
    shape = {"long": LONG, "bob": BOB}.get(look.hair_style)
    if shape:
        canvas.paint([_frame(canvas, centre, head).all(smooth(shape))], darker(look.hair, 0.12))


def draw_head(canvas: Canvas, centre: Point, head: Head, look: Look) -> None:
    """Draw head, ears, face and front hair around its centre."""
    if head.doubled:
        for side in (-1, 1):
            place = centre[0] + side * 0.3 * canvas.unit, centre[1] - 0.03 * canvas.unit
            draw_head(canvas, place, replace(head, doubled=False, tilt=side * 14), look)
        return
    frame = _frame(canvas, centre, head)
    ears = [frame.ellipse(side * 0.385 - head.look * 0.05, 0.04, 0.065, 0.1) for side in (-1, 1)]
    canvas.paint(ears, look.skin)
    canvas.paint([frame.all(smooth(SKULL))], look.skin, shade=0.7)
    if look.hair_style == "beard":
        _draw_beard(canvas, frame, look)
    _draw_face(canvas, frame, head, look)
    _draw_front_hair(canvas, frame, look)


def _frame(canvas: Canvas, centre: Point, head: Head) -> Frame:
    return Frame(centre, head.tilt, canvas.unit * head.size)


def _draw_front_hair(canvas: Canvas, frame: Frame, look: Look) -> None:
    style = look.hair_style
    if style == "curls":
        rings = [frame.ellipse(x, y, 0.15, 0.145) for x, y in CURLS]
        canvas.paint([*rings, frame.all(smooth(CAP))], look.hair)
        return
    parts = [frame.all(smooth(FRINGE if style in ("fringe", "bob") else CAP))]
    if style == "bun":
        parts.append(frame.ellipse(0.0, -0.66, 0.19, 0.17))
    canvas.paint(parts, look.hair)


def _draw_beard(canvas: Canvas, frame: Frame, look: Look) -> None:
    outer = ((-0.375, 0.02), (-0.31, 0.34), (-0.13, 0.52), (0.13, 0.52), (0.31, 0.34), (0.375, 0.02))
    inner = ((0.3, 0.12), (0.16, 0.18), (0.0, 0.16), (-0.16, 0.18), (-0.3, 0.12))
    canvas.paint([frame.all(smooth(outer + inner))], look.hair, line=0.6)


def _draw_face(canvas: Canvas, frame: Frame, head: Head, look: Look) -> None:
    face = head.face
    middle = frame.at(head.look * 0.11, 0.06)
    local = Frame(middle, head.tilt + face.turn, frame.unit)
    for side in (-1, 1):
        canvas.tint([local.ellipse(side * 0.23, 0.13, 0.075, 0.05)], (226, 92, 92), 0.22, frame.unit * 0.03)
    for side, there in zip((-1, 1), face.eyes, strict=True):
        if there:
            _draw_eye(canvas, local, (side * 0.155, -0.04 + face.eye_drop * (side > 0)), look)
    if face.third_eye:
        _draw_eye(canvas, local, (0.0, -0.19), look)
    if face.nose:
        nose = local.all([(0.0, -0.05), (0.045, 0.1), (-0.03, 0.12)])
        canvas.stroke(nose, darker(look.skin, 0.5), canvas.unit * 0.03)
    _draw_mouths(canvas, local, face, look)
    if face.blurred:
        parts, run = BLURS[face.blurred]
        canvas.smear([local.ellipse(*part) for part in parts], run * frame.unit)


def _draw_eye(canvas: Canvas, local: Frame, place: Point, look: Look) -> None:
    x, y = place
    canvas.paint([local.ellipse(x, y, 0.078, 0.056)], (252, 250, 246), line=0.5, shade=0)
    canvas.paint([local.ellipse(x, y, 0.043, 0.048)], INK, line=0, shade=0)
    canvas.paint([local.ellipse(x + 0.014, y - 0.018, 0.014, 0.014)], (255, 255, 255), line=0, shade=0)
    brow = local.all([(x - 0.085, y - 0.115), (x, y - 0.145), (x + 0.085, y - 0.115)])
    canvas.stroke(brow, mixed(look.hair, INK, 0.35), canvas.unit * 0.03)


def _draw_mouths(canvas: Canvas, local: Frame, face: Face, look: Look) -> None:
    shifts = [face.mouth_shift] if face.mouth else []
    if face.second_mouth:
        shifts.append((face.mouth_shift[0], face.mouth_shift[1] + 0.12))
    colour = LIP if sum(look.skin) > 400 else DARK_LIP
    for dx, dy in shifts:
        y = 0.205 + dy
        smile: Polygon = smooth(
            ((-0.12 + dx, y), (0.0 + dx, y + 0.025), (0.12 + dx, y), (0.0 + dx, y + 0.085))
        )
        canvas.paint([local.all(smile)], colour, line=0.5, shade=0)
