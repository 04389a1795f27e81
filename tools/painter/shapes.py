"""Outlines as polygons, in pixels with y downwards: capsules, ellipses and smooth closed curves."""

from __future__ import annotations

from collections.abc import Sequence
from math import acos, atan2, cos, hypot, pi, radians, sin, tau

Point = tuple[float, float]
Polygon = tuple[Point, ...]


def moved(origin: Point, direction: Point, distance: float) -> Point:
    """Return the point at this distance from origin along a direction vector."""
    return origin[0] + direction[0] * distance, origin[1] + direction[1] * distance


def between(start: Point, end: Point, share: float) -> Point:
    """Return the point at this share of the way from start to end."""
    return start[0] + (end[0] - start[0]) * share, start[1] + (end[1] - start[1]) * share


def heading(angle: float) -> Point:
    """Return the unit vector of an angle in degrees, clockwise from the right."""
    return cos(radians(angle)), sin(radians(angle))


def limb_heading(side: int, angle: float) -> Point:
    """Return the unit vector of a limb: degrees away from hanging down, outwards on its side."""
    return side * sin(radians(angle)), cos(radians(angle))


def angle_of(start: Point, end: Point) -> float:
    """Return the angle of the way from start to end in degrees, clockwise from the right."""
    return atan2(end[1] - start[1], end[0] - start[0]) * 180 / pi


def arc(centre: Point, radius: float, start: float, end: float, steps: int = 10) -> Polygon:
    """Return points on a circle from one angle (radians) to another, ends included."""
    return tuple(
        (centre[0] + radius * cos(angle), centre[1] + radius * sin(angle))
        for angle in (start + (end - start) * step / steps for step in range(steps + 1))
    )


def capsule(start: Point, end: Point, start_radius: float, end_radius: float) -> Polygon:
    """Return the hull of two discs: a limb, a finger; of one disc where it holds the other."""
    distance = hypot(end[0] - start[0], end[1] - start[1])
    if distance <= abs(start_radius - end_radius) + 1e-6:
        biggest = max(start_radius, end_radius)
        return ellipse(start if biggest == start_radius else end, biggest, biggest)
    course = atan2(end[1] - start[1], end[0] - start[0])
    touch = acos((start_radius - end_radius) / distance)
    return arc(start, start_radius, course + touch, course + tau - touch) + arc(
        end, end_radius, course - touch, course + touch
    )


def tube(start: Point, end: Point, start_radius: float, end_radius: float) -> Polygon:
    """Return a capsule whose far end is cut straight: a sleeve, a trouser leg."""
    course = atan2(end[1] - start[1], end[0] - start[0])
    side = -sin(course), cos(course)
    rim = moved(end, side, -end_radius), moved(end, side, end_radius)
    return arc(start, start_radius, course + pi / 2, course + 3 * pi / 2) + rim


def ellipse(centre: Point, across: float, down: float, angle: float = 0.0, steps: int = 28) -> Polygon:
    """Return an ellipse with these radii, turned clockwise by degrees."""
    c, s = heading(angle)
    points = ((across * cos(tau * i / steps), down * sin(tau * i / steps)) for i in range(steps))
    return tuple((centre[0] + x * c - y * s, centre[1] + x * s + y * c) for x, y in points)


def smooth(points: Sequence[Point], steps: int = 6) -> Polygon:
    """Return a closed curve through the points (uniform Catmull-Rom spline)."""
    count = len(points)
    curve: list[Point] = []
    for i in range(count):
        corners = [points[(i + k) % count] for k in (-1, 0, 1, 2)]
        curve += [_spline(corners, step / steps) for step in range(steps)]
    return tuple(curve)


def _spline(corners: Sequence[Point], t: float) -> Point:
    (ax, ay), (bx, by), (cx, cy), (dx, dy) = corners
    weights = (-t + 2 * t**2 - t**3, 2 - 5 * t**2 + 3 * t**3, t + 4 * t**2 - 3 * t**3, t**3 - t**2)
    return (
        0.5 * (weights[0] * ax + weights[1] * bx + weights[2] * cx + weights[3] * dx),
        0.5 * (weights[0] * ay + weights[1] * by + weights[2] * cy + weights[3] * dy),
    )


class Frame:
    """A local coordinate frame: origin, turn in degrees, pixels per unit; `flip` mirrors its y axis."""

    def __init__(self, origin: Point, angle: float, unit: float, flip: int = 1) -> None:
        self.origin, self.angle, self.unit, self.flip = origin, angle, unit, flip
        self._cos, self._sin = heading(angle)

    def at(self, x: float, y: float) -> Point:
        """Return the pixel position of a local point."""
        x, y = x * self.unit, y * self.unit * self.flip
        return (
            self.origin[0] + x * self._cos - y * self._sin,
            self.origin[1] + x * self._sin + y * self._cos,
        )

    def all(self, points: Sequence[Point]) -> Polygon:
        """Return the pixel positions of local points."""
        return tuple(self.at(x, y) for x, y in points)

    def ellipse(self, x: float, y: float, across: float, down: float) -> Polygon:
        """Return an ellipse given in local units."""
        return ellipse(self.at(x, y), across * self.unit, down * self.unit, self.angle)
