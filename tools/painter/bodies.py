"""A whole figure: legs, trunk, head and arms in painting order."""

from __future__ import annotations

from tools.painter.canvas import Canvas
from tools.painter.extremities import draw_foot, draw_hand
from tools.painter.figures import Arm, Figure, Leg
from tools.painter.heads import draw_back_hair, draw_head
from tools.painter.palettes import darker
from tools.painter.shapes import (
    Frame,
    Point,
    Polygon,
    between,
    capsule,
    ellipse,
    heading,
    smooth,
    tube,
)
from tools.painter.skeleton import TORSO, Joints, fore_angle, joints

Limb = tuple[Point, Point, Point]
TRUNK = ((0.0, 1.06), (0.17, 1.06), (0.44, 0.995), (0.56, 0.9), (0.5, 0.72), (0.43, 0.5), (0.41, 0.36),
         (0.44, 0.2), (0.485, 0.0), (0.46, -0.09), (0.0, -0.1))  # fmt: skip
PELVIS = ((-0.4, 0.2), (0.4, 0.2), (0.46, -0.1), (0.4, -0.34), (0.0, -0.34), (-0.4, -0.34), (-0.46, -0.1))


def draw_shadow(canvas: Canvas, figure: Figure) -> None:
    """Lay the shadow of a figure on the ground."""
    unit = figure.unit
    spread = max(abs(ankle[0] - figure.x) for _, _, ankle in joints(figure).legs) + 0.5 * unit
    place = figure.x, figure.ground + 0.06 * unit
    canvas.tint([ellipse(place, spread, 0.17 * unit)], (48, 40, 66), 0.3, 0.09 * unit)


def draw_figure(canvas: Canvas, figure: Figure) -> None:
    """Draw one person; arms raised over the shoulders pass behind the head."""
    canvas.unit = figure.unit
    bones = joints(figure)
    draw_back_hair(canvas, bones.head, figure.head, figure.look)
    for leg, limb in list(zip(figure.legs, bones.legs, strict=True))[::-1]:
        _draw_leg(canvas, figure, leg, limb)
    _draw_trunk(canvas, figure, bones)
    arms = list(zip(figure.arms, bones.arms, strict=True))[::-1]
    for arm, limb in arms:
        if limb[1][1] < limb[0][1]:
            draw_arm(canvas, figure, arm, limb)
    _draw_neck(canvas, figure, bones)
    draw_head(canvas, bones.head, figure.head, figure.look)
    for arm, limb in arms:
        if limb[1][1] >= limb[0][1]:
            draw_arm(canvas, figure, arm, limb)


def draw_arm(canvas: Canvas, figure: Figure, arm: Arm, limb: Limb) -> None:
    """Draw an arm with its sleeve and hand."""
    shoulder, elbow, wrist = limb
    look, unit, girth = figure.look, figure.unit, arm.girth
    if arm.cut == "arm":
        end = between(shoulder, elbow, 0.22)
        canvas.paint([capsule(shoulder, end, 0.19 * unit, 0.15 * unit)], look.top)
        _blend_shoulder(canvas, figure, arm, shoulder)
        return
    bare = [capsule(shoulder, elbow, 0.15 * unit * girth, 0.12 * unit * girth)]
    if arm.cut != "forearm":
        bare.append(capsule(elbow, wrist, 0.12 * unit * girth, 0.085 * unit * girth))
    canvas.paint(bare, look.skin)
    if not arm.cut:
        draw_hand(canvas, wrist, fore_angle(elbow, wrist), arm.hand, look.skin, _thumb(figure, limb))
    canvas.paint(_sleeve(look.sleeves, arm, limb, unit * girth), look.top)
    if arm.shift == (0.0, 0.0):
        _blend_shoulder(canvas, figure, arm, shoulder)


def _sleeve(sleeves: str, arm: Arm, limb: Limb, unit: float) -> list[Polygon]:
    shoulder, elbow, wrist = limb
    if sleeves == "short":
        return [tube(shoulder, between(shoulder, elbow, 0.5), 0.18 * unit, 0.19 * unit)]
    parts = [capsule(shoulder, elbow, 0.18 * unit, 0.155 * unit)]
    if arm.cut != "forearm":
        parts += [capsule(elbow, elbow, 0.155 * unit, 0.155 * unit)]
        parts.append(tube(elbow, between(elbow, wrist, 0.9), 0.155 * unit, 0.125 * unit))
    return parts


def _blend_shoulder(canvas: Canvas, figure: Figure, arm: Arm, shoulder: Point) -> None:
    """Cover the sleeve's outline where it lies on the shirt, so that they read as one garment."""
    unit = figure.unit
    dx, dy = heading(figure.torso.lean)
    inside = shoulder[0] - arm.side * 0.16 * unit * dx, shoulder[1] - arm.side * 0.16 * unit * dy
    canvas.paint([capsule(shoulder, inside, 0.16 * unit, 0.13 * unit)], figure.look.top, line=0, shade=0)


def _thumb(figure: Figure, limb: Limb) -> int:
    """Return the side of the thumb: towards the body, or upwards on a level arm."""
    _, elbow, wrist = limb
    dx, dy = heading(fore_angle(elbow, wrist))
    inward = 1.0 if figure.x > wrist[0] else -1.0
    return 1 if -dy * inward - dx * 0.9 > 0 else -1


def _draw_leg(canvas: Canvas, figure: Figure, leg: Leg, limb: Limb) -> None:
    hip, knee, ankle = limb
    look, unit = figure.look, figure.unit * leg.girth
    if leg.cut == "leg":
        return
    if leg.cut == "shin":
        ankle = between(knee, ankle, 0.06)
    tips = 0.13 if leg.cut != "shin" else 0.17
    if not leg.cut:
        _draw_foot_of(canvas, figure, leg, limb)
    bare = [capsule(hip, knee, 0.235 * unit, 0.175 * unit), capsule(knee, ankle, 0.175 * unit, tips * unit)]
    canvas.paint(bare, look.skin)
    canvas.paint(_trouser_leg(look.bottoms, (hip, knee, ankle), unit), look.bottom)
    if leg.foot.turn and not leg.cut:
        _draw_foot_of(canvas, figure, leg, limb)


def _draw_foot_of(canvas: Canvas, figure: Figure, leg: Leg, limb: Limb) -> None:
    _, knee, ankle = limb
    outward = 90 - leg.side * 42
    angle = outward + (fore_angle(knee, ankle) - 90) * 0.5
    look = figure.look
    draw_foot(canvas, ankle, angle, leg.foot, look.shoes or look.skin, look.shoes is None)


def _trouser_leg(bottoms: str, limb: Limb, unit: float) -> list[Polygon]:
    hip, knee, ankle = limb
    if bottoms == "trousers":
        hem = between(knee, ankle, 0.9)
        shin = tube(knee, hem, 0.205 * unit, 0.185 * unit)
        return [
            capsule(hip, knee, 0.265 * unit, 0.205 * unit),
            capsule(knee, knee, 0.205 * unit, 0.205 * unit),
            shin,
        ]
    length = 0.62 if bottoms == "shorts" else 0.35
    return [tube(hip, between(hip, knee, length), 0.265 * unit, 0.26 * unit)]


def _draw_trunk(canvas: Canvas, figure: Figure, bones: Joints) -> None:
    torso, look = figure.torso, figure.look
    frame = Frame(bones.hip, 0, figure.unit)
    canvas.paint([frame.all([(x, -y) for x, y in smooth(PELVIS)])], look.bottom, line=0)
    if look.bottoms == "skirt":
        skirt = (
            (-0.42, -0.2),
            (0.42, -0.2),
            (0.5, 0.2),
            (0.6, 0.9),
            (0.3, 0.96),
            (-0.3, 0.96),
            (-0.6, 0.9),
            (-0.5, 0.2),
        )
        canvas.paint([frame.all(skirt)], look.bottom)
    outline = smooth((*TRUNK, *((-x, y) for x, y in TRUNK[-2:0:-1])))
    if not torso.gap and not torso.slip:
        canvas.paint([_placed(figure, bones, outline, 0.0)], look.top)
        return
    below, above = (0.25, 0.54) if torso.gap else (0.47, 0.31)
    lower = tuple((x, y) for x, y in outline if y <= below)
    upper = tuple((x, y) for x, y in outline if y >= above)
    canvas.paint([_placed(figure, bones, lower, 0.0)], look.top)
    canvas.paint([_placed(figure, bones, upper, torso.slip)], look.top)


def _placed(figure: Figure, bones: Joints, points: Polygon, slip: float) -> Polygon:
    """Place trunk points (half widths, share of the way from hip to shoulders) in the picture."""
    torso = figure.torso
    frame = Frame(bones.hip, torso.lean, figure.unit)
    return frame.all([(x * torso.width + slip, -y * TORSO * torso.length) for x, y in points])


def _draw_neck(canvas: Canvas, figure: Figure, bones: Joints) -> None:
    unit, head = figure.unit, figure.head
    frame = Frame(bones.chest, figure.torso.lean, unit)
    collar = frame.ellipse(0.0, -0.05, 0.2, 0.11)
    if head.shift == (0.0, 0.0):
        throat = capsule(
            frame.at(0.0, -0.06), between(frame.at(0, 0), bones.head, 0.7), 0.15 * unit, 0.15 * unit
        )
    else:
        throat = capsule(frame.at(0.0, -0.06), frame.at(0.0, -0.24), 0.15 * unit, 0.15 * unit)
    canvas.paint([collar], figure.look.skin, line=0.8, shade=0)
    canvas.paint([throat], darker(figure.look.skin, 0.1), line=0, shade=0.6)
