"""Where the joints of a figure are, in pixels."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import acos, atan2, cos, hypot, radians, sin

from tools.painter.figures import Arm, Figure, Leg
from tools.painter.shapes import Point, angle_of, limb_heading, moved

TORSO, SHOULDER, HIP = 1.72, 0.5, 0.23  # trunk length; half widths
UPPER_ARM, FOREARM, THIGH, SHIN = 1.08, 0.98, 1.46, 1.4
ANKLE = 0.2  # height of the ankle over the ground


@dataclass(frozen=True)
class Joints:
    """Joints of a figure; `arms` are (shoulder, elbow, wrist), `legs` are (hip, knee, ankle)."""

    hip: Point
    chest: Point
    head: Point
    lean: float
    arms: tuple[tuple[Point, Point, Point], ...]
    legs: tuple[tuple[Point, Point, Point], ...]


def joints(figure: Figure) -> Joints:
    """Return the joints of a figure whose lowest ankle stands on the ground."""
    unit, torso = figure.unit, figure.torso
    height = max(_leg_height(leg) for leg in figure.legs if leg.length <= 1 and not leg.shift[1])
    hip = figure.x, figure.ground - (ANKLE + height) * unit
    lean = radians(torso.lean)
    up, across = (sin(lean), -cos(lean)), (cos(lean), sin(lean))
    chest = moved(hip, up, TORSO * torso.length * unit)
    shoulders = moved(chest, across, torso.slip * unit)
    raised = (0.28 * figure.head.neck + 0.46 * figure.head.size) * unit
    head = moved(shoulders, (sin(lean * 1.1), -cos(lean * 1.1)), raised)
    head = head[0] + figure.head.shift[0] * unit, head[1] + figure.head.shift[1] * unit
    return Joints(
        hip=hip,
        chest=shoulders,
        head=head,
        lean=torso.lean,
        arms=tuple(_arm(arm, shoulders, across, figure) for arm in figure.arms),
        legs=tuple(_leg(leg, hip, unit) for leg in figure.legs),
    )


def _leg_height(leg: Leg) -> float:
    return THIGH * cos(radians(leg.thigh)) + SHIN * cos(radians(leg.shin))


def _arm(arm: Arm, chest: Point, across: Point, figure: Figure) -> tuple[Point, Point, Point]:
    unit = figure.unit
    x, y = moved(chest, across, arm.side * SHOULDER * figure.torso.width * unit)
    shoulder = x + arm.side * arm.shift[0] * unit, y + (0.18 + arm.shift[1]) * unit
    if arm.reach is not None:
        arm = _reaching(arm, shoulder, unit)
    elbow = moved(shoulder, limb_heading(arm.side, arm.upper), UPPER_ARM * arm.length * unit)
    return shoulder, elbow, moved(elbow, limb_heading(arm.side, arm.fore), FOREARM * arm.length * unit)


def _reaching(arm: Arm, shoulder: Point, unit: float) -> Arm:
    """Bend the elbow downwards so that the wrist comes to `reach` (law of cosines)."""
    assert arm.reach is not None
    dx, dy = (arm.reach[0] - shoulder[0]) * arm.side / unit, (arm.reach[1] - shoulder[1]) / unit
    far = min(hypot(dx, dy), UPPER_ARM + FOREARM - 0.01)
    bend = acos((UPPER_ARM**2 + far**2 - FOREARM**2) / (2 * UPPER_ARM * far))
    upper = atan2(dx, dy) - bend
    elbow = UPPER_ARM * sin(upper), UPPER_ARM * cos(upper)
    fore = atan2(dx - elbow[0], dy - elbow[1])
    return replace(arm, upper=upper * 57.29578, fore=fore * 57.29578)


def _leg(leg: Leg, hip: Point, unit: float) -> tuple[Point, Point, Point]:
    start = hip[0] + leg.side * (HIP + leg.shift[0]) * unit, hip[1] + leg.shift[1] * unit
    knee = moved(start, limb_heading(leg.side, leg.thigh), THIGH * leg.length * unit)
    return start, knee, moved(knee, limb_heading(leg.side, leg.shin), SHIN * leg.length * unit)


def fore_angle(elbow: Point, wrist: Point) -> float:
    """Return the direction of the forearm in degrees, clockwise from the right."""
    return angle_of(elbow, wrist)
