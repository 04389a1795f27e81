"""How one figure is changed so that an error is seen, and which figures can show it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from tools.painter.figures import Arm, Figure, Leg

Change = Callable[[Figure, int], Figure]  # the index is that of the arm or leg; 0 for the others
Test = Callable[[Figure, int], bool]


def on_arm(**values: Any) -> Change:
    """Return the change that sets these values of one arm."""
    return lambda figure, index: _with_arm(figure, index, replace(figure.arms[index], **values))


def on_hand(**values: Any) -> Change:
    """Return the change that sets these values of one hand."""

    def change(figure: Figure, index: int) -> Figure:
        arm = figure.arms[index]
        return _with_arm(figure, index, replace(arm, hand=replace(arm.hand, **values)))

    return change


def _with_arm(figure: Figure, index: int, arm: Arm) -> Figure:
    return replace(figure, arms=tuple(arm if i == index else a for i, a in enumerate(figure.arms)))


def on_leg(**values: Any) -> Change:
    """Return the change that sets these values of one leg."""
    return lambda figure, index: _with_leg(figure, index, replace(figure.legs[index], **values))


def on_foot(**values: Any) -> Change:
    """Return the change that sets these values of one foot."""

    def change(figure: Figure, index: int) -> Figure:
        leg = figure.legs[index]
        return _with_leg(figure, index, replace(leg, foot=replace(leg.foot, **values)))

    return change


def _with_leg(figure: Figure, index: int, leg: Leg) -> Figure:
    return replace(figure, legs=tuple(leg if i == index else other for i, other in enumerate(figure.legs)))


def on_head(**values: Any) -> Change:
    """Return the change that sets these values of the head."""
    return lambda figure, _: replace(figure, head=replace(figure.head, **values))


def on_face(**values: Any) -> Change:
    """Return the change that sets these values of the face."""
    return lambda figure, _: replace(
        figure, head=replace(figure.head, face=replace(figure.head.face, **values))
    )


def on_torso(**values: Any) -> Change:
    """Return the change that sets these values of the trunk."""
    return lambda figure, _: replace(figure, torso=replace(figure.torso, **values))


def third_arm(figure: Figure, index: int) -> Figure:
    """Give the shoulder of this arm a second arm."""
    arm = figure.arms[index]
    spread = 42 if arm.upper < 60 else -50
    extra = replace(
        arm, upper=arm.upper + spread, fore=max(20.0, min(100.0, arm.upper + spread)), shift=(0.0, 0.1)
    )
    return replace(figure, arms=(*figure.arms, extra))


def arm_stump(figure: Figure, index: int) -> Figure:
    """Give the flank of this side half an arm more."""
    arm = figure.arms[index]
    extra = replace(arm, upper=78 if arm.upper < 50 else 24, cut="forearm", shift=(-0.06, 0.45))
    return replace(figure, arms=(*figure.arms, extra))


def third_leg(figure: Figure, index: int) -> Figure:
    """Give the hip of this leg a second leg."""
    leg = figure.legs[index]
    extra = replace(leg, thigh=leg.thigh + 20, shin=leg.shin + 17)
    return replace(figure, legs=(*figure.legs, extra))


def hand_outwards(degrees: float) -> Change:
    """Return the change that bends a hand away from the body by these degrees."""

    def change(figure: Figure, index: int) -> Figure:
        arm = figure.arms[index]
        return _with_arm(figure, index, replace(arm, hand=replace(arm.hand, turn=-arm.side * degrees)))

    return change


def knee_sideways(figure: Figure, index: int) -> Figure:
    """Bend a knee sideways, as no knee bends."""
    leg = figure.legs[index]
    return _with_leg(figure, index, replace(leg, shin=leg.thigh + 78))


def arm_is_free(figure: Figure, index: int) -> bool:
    """Say whether this arm holds nobody's hand."""
    return figure.arms[index].reach is None


def arm_hangs(figure: Figure, index: int) -> bool:
    """Say whether this arm hangs down beside the body."""
    return arm_is_free(figure, index) and 0 < figure.arms[index].fore < 40


def arm_is_in_view(figure: Figure, index: int) -> bool:
    """Say whether the hand of this arm is free of the trunk."""
    return arm_is_free(figure, index) and figure.arms[index].fore >= 0


def arm_clasps(figure: Figure, index: int) -> bool:
    """Say whether this arm holds another person's hand."""
    return not arm_is_free(figure, index)


def leg_is_upright(figure: Figure, index: int) -> bool:
    """Say whether this is a leg that the figure stands on upright."""
    return abs(figure.legs[index].thigh) < 20 and abs(figure.torso.lean) < 30


def feet_are_bare(figure: Figure, _index: int) -> bool:
    """Say whether toes can be counted."""
    return figure.look.shoes is None and figure.unit > 72


def is_clean_shaven(figure: Figure, _index: int) -> bool:
    """Say whether the mouth is free of a beard."""
    return figure.look.hair_style != "beard"


def always(_figure: Figure, _index: int) -> bool:
    """Say that any figure can show the error."""
    return True


def unchanged(figure: Figure, _index: int) -> Figure:
    """Leave the figure as it is: the error lies between two figures."""
    return figure
