"""The errors that can be drawn: each changes one figure so that the error is seen, and names its cell.

A defect takes one place of a figure (an arm, a leg, the head, the trunk or two clasped hands); a place
is taken at most once, so errors do not hide each other and their counts stay certain.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from annotator.demo.figures import Arm, Figure, Leg
from annotator.demo.shapes import Point, between
from annotator.demo.skeleton import joints

Change = Callable[[Figure, int], Figure]
Test = Callable[[Figure, int], bool]


@dataclass(frozen=True)
class Defect:
    """A drawable error: its cell key, severity, place, and how it alters the visible counts.

    `spot` is what of the place a pin should point at; `fits` says whether a figure can show it.
    """

    name: str
    cell: str
    severity: str
    place: str
    spot: str
    change: Change
    visible: tuple[tuple[str, int], ...] = ()
    fits: Test = lambda figure, index: True
    affected: int = 1


def _arm(**values: Any) -> Change:
    return lambda figure, index: _with_arm(figure, index, replace(figure.arms[index], **values))


def _hand(**values: Any) -> Change:
    def change(figure: Figure, index: int) -> Figure:
        arm = figure.arms[index]
        return _with_arm(figure, index, replace(arm, hand=replace(arm.hand, **values)))

    return change


def _with_arm(figure: Figure, index: int, arm: Arm) -> Figure:
    return replace(figure, arms=tuple(arm if i == index else a for i, a in enumerate(figure.arms)))


def _leg(**values: Any) -> Change:
    return lambda figure, index: _with_leg(figure, index, replace(figure.legs[index], **values))


def _foot(**values: Any) -> Change:
    def change(figure: Figure, index: int) -> Figure:
        leg = figure.legs[index]
        return _with_leg(figure, index, replace(leg, foot=replace(leg.foot, **values)))

    return change


def _with_leg(figure: Figure, index: int, leg: Leg) -> Figure:
    return replace(figure, legs=tuple(leg if i == index else other for i, other in enumerate(figure.legs)))


def _head(**values: Any) -> Change:
    return lambda figure, _: replace(figure, head=replace(figure.head, **values))


def _face(**values: Any) -> Change:
    return lambda figure, _: replace(
        figure, head=replace(figure.head, face=replace(figure.head.face, **values))
    )


def _torso(**values: Any) -> Change:
    return lambda figure, _: replace(figure, torso=replace(figure.torso, **values))


def _third_arm(figure: Figure, index: int) -> Figure:
    arm = figure.arms[index]
    spread = 42 if arm.upper < 60 else -50
    extra = replace(
        arm, upper=arm.upper + spread, fore=max(20.0, min(100.0, arm.upper + spread)), shift=(0.0, 0.1)
    )
    return replace(figure, arms=(*figure.arms, extra))


def _arm_stump(figure: Figure, index: int) -> Figure:
    arm = figure.arms[index]
    extra = replace(arm, upper=78 if arm.upper < 50 else 24, cut="forearm", shift=(-0.06, 0.45))
    return replace(figure, arms=(*figure.arms, extra))


def _third_leg(figure: Figure, index: int) -> Figure:
    leg = figure.legs[index]
    extra = replace(leg, thigh=leg.thigh + 20, shin=leg.shin + 17)
    return replace(figure, legs=(*figure.legs, extra))


def _hand_outwards(degrees: float) -> Change:
    def change(figure: Figure, index: int) -> Figure:
        arm = figure.arms[index]
        return _with_arm(figure, index, replace(arm, hand=replace(arm.hand, turn=-arm.side * degrees)))

    return change


def _knee_sideways(figure: Figure, index: int) -> Figure:
    leg = figure.legs[index]
    return _with_leg(figure, index, replace(leg, shin=leg.thigh + 78))


def _free(figure: Figure, index: int) -> bool:
    return figure.arms[index].reach is None


def _hanging(figure: Figure, index: int) -> bool:
    return _free(figure, index) and 0 < figure.arms[index].fore < 40


def _in_view(figure: Figure, index: int) -> bool:
    return _free(figure, index) and figure.arms[index].fore >= 0


def _clasping(figure: Figure, index: int) -> bool:
    return not _free(figure, index)


def _upright(figure: Figure, index: int) -> bool:
    return abs(figure.legs[index].thigh) < 20 and abs(figure.torso.lean) < 30


def _bare(figure: Figure, index: int) -> bool:
    return figure.look.shoes is None and figure.unit > 72


def _clean_shaven(figure: Figure, index: int) -> bool:
    return figure.look.hair_style != "beard"


NO_HAND, NO_FOOT = (("hands", -1),), (("feet", -1),)
DEFECTS: tuple[Defect, ...] = (
    Defect("waist missing", "missing.torso", "c", "torso", "waist", _torso(gap=True)),
    Defect("arm missing", "missing.limbs", "c", "arm", "shoulder", _arm(cut="arm"), (("limbs", -1), *NO_HAND), _free),
    Defect("forearm missing", "missing.limbs", "b", "arm", "elbow", _arm(cut="forearm"), NO_HAND, _free),
    Defect("leg missing", "missing.limbs", "c", "leg", "hip", _leg(cut="leg"), (("limbs", -1), *NO_FOOT), _upright),
    Defect("shin missing", "missing.limbs", "b", "leg", "knee", _leg(cut="shin"), NO_FOOT, _upright),
    Defect("foot missing", "missing.feet", "c", "leg", "ankle", _leg(cut="foot"), NO_FOOT),
    Defect("toes missing", "missing.feet", "b", "leg", "foot", _foot(missing_toes=3), fits=_bare),
    Defect("hand missing", "missing.hands", "c", "arm", "wrist", _arm(cut="hand"), NO_HAND, _free),
    Defect("two fingers missing", "missing.hands", "b", "arm", "hand", _hand(gone=(3, 4)), fits=_free),
    Defect("finger missing", "missing.hands", "a", "arm", "hand", _hand(gone=(2,)), fits=_free),
    Defect("thumb missing", "missing.hands", "a", "arm", "hand", _hand(gone=(0,)), fits=_free),
    Defect("face empty", "missing.face", "c", "head", "head",
           _face(eyes=(False, False), mouth=False, nose=False), fits=_clean_shaven),
    Defect("eye missing", "missing.face", "b", "head", "head", _face(eyes=(True, False))),
    Defect("mouth missing", "missing.face", "b", "head", "head", _face(mouth=False), fits=_clean_shaven),
    Defect("nose missing", "missing.face", "a", "head", "head", _face(nose=False)),
    Defect("third arm", "extra.limbs", "c", "arm", "extra", _third_arm, (("limbs", 1), ("hands", 1)), _free),
    Defect("half a third arm", "extra.limbs", "b", "arm", "extra", _arm_stump, (("limbs", 1),), _hanging),
    Defect("third leg", "extra.limbs", "c", "leg", "extra", _third_leg, (("limbs", 1), ("feet", 1)), _upright),
    Defect("second foot on a leg", "extra.feet", "c", "leg", "foot", _foot(doubled=True), (("feet", 1),), _upright),
    Defect("two toes too many", "extra.feet", "a", "leg", "foot", _foot(extra_toes=2), fits=_bare),
    Defect("sixth finger", "extra.hands", "a", "arm", "hand", _hand(extra=1), fits=_free),
    Defect("seven fingers", "extra.hands", "b", "arm", "hand", _hand(extra=2), fits=_free),
    Defect("second hand on a wrist", "extra.hands", "c", "arm", "hand", _hand(doubled=True), (("hands", 1),), _free),
    Defect("third eye", "extra.face", "b", "head", "head", _face(third_eye=True)),
    Defect("second mouth", "extra.face", "b", "head", "head", _face(second_mouth=True), fits=_clean_shaven),
    Defect("second head", "extra.face", "c", "head", "head", _head(doubled=True), (("face", 1),)),
    Defect("trunk displaced", "configuration.torso", "b", "torso", "waist", _torso(slip=0.34)),
    Defect("head detached", "configuration.torso", "c", "head", "neck", _head(shift=(0.12, -0.5))),
    Defect("arm detached", "configuration.limbs", "c", "arm", "shoulder", _arm(shift=(0.42, 0.12)), fits=_hanging),
    Defect("arm at the waist", "configuration.limbs", "b", "arm", "shoulder", _arm(shift=(-0.12, 0.9)), fits=_hanging),
    Defect("leg detached", "configuration.limbs", "c", "leg", "hip", _leg(shift=(0.62, -0.1)), fits=_upright),
    Defect("toes melted", "configuration.feet", "a", "leg", "foot", _foot(melted=True), fits=_bare),
    Defect("foot detached", "configuration.feet", "c", "leg", "foot", _foot(shift=(0.4, 0.06)), fits=_upright),
    Defect("fingers melted", "configuration.hands", "b", "arm", "hand", _hand(melted=True), fits=_free),
    Defect("thumb on the wrong side", "configuration.hands", "a", "arm", "hand", _hand(flipped=True), fits=_in_view),
    Defect("hands melted together", "configuration.hands", "c", "clasp", "hand",
           lambda figure, index: figure, fits=_clasping, affected=2),
    Defect("one eye lower", "configuration.face", "a", "head", "head", _face(eye_drop=0.11)),
    Defect("mouth on the cheek", "configuration.face", "b", "head", "head",
           _face(mouth_shift=(0.17, -0.1)), fits=_clean_shaven),
    Defect("knee bent sideways", "orientation.limbs", "c", "leg", "knee", _knee_sideways, fits=_upright),
    Defect("foot turned backwards", "orientation.feet", "c", "leg", "foot", _foot(turn=172), fits=_upright),
    Defect("foot turned inwards", "orientation.feet", "b", "leg", "foot", _foot(turn=105), fits=_upright),
    Defect("hand bent back", "orientation.hands", "c", "arm", "wrist", _hand_outwards(152), fits=_hanging),
    Defect("wrist bent sharply", "orientation.hands", "b", "arm", "wrist", _hand_outwards(92), fits=_hanging),
    Defect("face upside down", "orientation.face", "c", "head", "head", _face(turn=180.0)),
    Defect("face askew", "orientation.face", "b", "head", "head", _face(turn=50.0)),
    Defect("short trunk", "proportion.torso", "b", "torso", "waist", _torso(length=0.6)),
    Defect("long trunk", "proportion.torso", "b", "torso", "waist", _torso(length=1.3)),
    Defect("long neck", "proportion.torso", "a", "head", "neck", _head(neck=2.3)),
    Defect("long arm", "proportion.limbs", "b", "arm", "elbow", _arm(length=1.45), fits=_hanging),
    Defect("short arm", "proportion.limbs", "b", "arm", "elbow", _arm(length=0.55), fits=_free),
    Defect("thick arm", "proportion.limbs", "a", "arm", "elbow", _arm(girth=1.6), fits=_free),
    Defect("short leg", "proportion.limbs", "c", "leg", "foot", _leg(length=0.62), fits=_upright),
    Defect("thin leg", "proportion.limbs", "b", "leg", "knee", _leg(girth=0.5), fits=_upright),
    Defect("large foot", "proportion.feet", "b", "leg", "foot", _foot(size=1.65), fits=_upright),
    Defect("small foot", "proportion.feet", "a", "leg", "foot", _foot(size=0.52), fits=_upright),
    Defect("huge hand", "proportion.hands", "c", "arm", "hand", _hand(size=2.1), fits=_free),
    Defect("large hand", "proportion.hands", "a", "arm", "hand", _hand(size=1.5), fits=_free),
    Defect("tiny hand", "proportion.hands", "b", "arm", "hand", _hand(size=0.48), fits=_free),
    Defect("small head", "proportion.face", "b", "head", "head", _head(size=0.6)),
    Defect("large head", "proportion.face", "b", "head", "head", _head(size=1.42)),
)  # fmt: skip
DEFECT_BY_NAME = {defect.name: defect for defect in DEFECTS}


def spot_of(figure: Figure, defect: Defect, index: int) -> Point:
    """Return where the error of a changed figure is seen, in pixels."""
    bones = joints(figure)
    if defect.place == "head":
        return between(bones.chest, bones.head, 0.4) if defect.spot == "neck" else bones.head
    if defect.place == "torso":
        return between(bones.hip, bones.chest, 0.4)
    limbs = bones.legs if defect.place == "leg" else bones.arms
    start, middle, end = limbs[-1] if defect.spot == "extra" else limbs[index]
    if defect.spot in ("hand", "foot"):
        drop = 0.12 * figure.unit if defect.spot == "foot" else 0.0
        tip = between(middle, end, 1.3)
        return (end[0], end[1] + drop) if defect.spot == "foot" else tip
    return {"shoulder": start, "hip": start, "wrist": end, "ankle": end}.get(defect.spot, middle)
