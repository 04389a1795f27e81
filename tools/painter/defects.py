"""The errors that can be drawn: each changes one figure so that the error is seen, and names its cell.

A defect takes one place of a figure (an arm, a leg, the head, the trunk or two clasped hands); a place
is taken at most once, so errors do not hide each other and their counts stay certain.
"""

from __future__ import annotations

from dataclasses import dataclass

from tools.painter.changes import (
    Change,
    Test,
    always,
    arm_clasps,
    arm_hangs,
    arm_is_free,
    arm_is_in_view,
    arm_stump,
    feet_are_bare,
    hand_outwards,
    is_clean_shaven,
    knee_sideways,
    leg_is_upright,
    on_arm,
    on_face,
    on_foot,
    on_hand,
    on_head,
    on_leg,
    on_torso,
    third_arm,
    third_leg,
    unchanged,
)
from tools.painter.figures import Figure
from tools.painter.shapes import Point, between
from tools.painter.skeleton import joints


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
    fits: Test = always
    affected: int = 1


NO_HAND, NO_FOOT = (("hands", -1),), (("feet", -1),)
DEFECTS: tuple[Defect, ...] = (
    Defect("waist missing", "missing.torso", "c", "torso", "waist", on_torso(gap=True)),
    Defect("arm missing", "missing.limbs", "c", "arm", "shoulder",
           on_arm(cut="arm"), (("limbs", -1), *NO_HAND), arm_is_free),
    Defect("forearm missing", "missing.limbs", "b", "arm", "elbow",
           on_arm(cut="forearm"), NO_HAND, arm_is_free),
    Defect("leg missing", "missing.limbs", "c", "leg", "hip",
           on_leg(cut="leg"), (("limbs", -1), *NO_FOOT), leg_is_upright),
    Defect("shin missing", "missing.limbs", "b", "leg", "knee", on_leg(cut="shin"), NO_FOOT, leg_is_upright),
    Defect("foot missing", "missing.feet", "c", "leg", "ankle", on_leg(cut="foot"), NO_FOOT),
    Defect("toes missing", "missing.feet", "b", "leg", "foot", on_foot(missing_toes=3), fits=feet_are_bare),
    Defect("hand missing", "missing.hands", "c", "arm", "wrist", on_arm(cut="hand"), NO_HAND, arm_is_free),
    Defect("two fingers missing", "missing.hands", "b", "arm", "hand",
           on_hand(gone=(3, 4)), fits=arm_is_free),
    Defect("finger missing", "missing.hands", "a", "arm", "hand", on_hand(gone=(2,)), fits=arm_is_free),
    Defect("thumb missing", "missing.hands", "a", "arm", "hand", on_hand(gone=(0,)), fits=arm_is_free),
    Defect("face empty", "missing.face", "c", "head", "head",
           on_face(eyes=(False, False), mouth=False, nose=False), fits=is_clean_shaven),
    Defect("eye missing", "missing.face", "b", "head", "head", on_face(eyes=(True, False))),
    Defect("mouth missing", "missing.face", "b", "head", "head", on_face(mouth=False), fits=is_clean_shaven),
    Defect("nose missing", "missing.face", "a", "head", "head", on_face(nose=False)),
    Defect("third arm", "extra.limbs", "c", "arm", "extra",
           third_arm, (("limbs", 1), ("hands", 1)), arm_is_free),
    Defect("half a third arm", "extra.limbs", "b", "arm", "extra", arm_stump, (("limbs", 1),), arm_hangs),
    Defect("third leg", "extra.limbs", "c", "leg", "extra",
           third_leg, (("limbs", 1), ("feet", 1)), leg_is_upright),
    Defect("second foot on a leg", "extra.feet", "c", "leg", "foot",
           on_foot(doubled=True), (("feet", 1),), leg_is_upright),
    Defect("two toes too many", "extra.feet", "a", "leg", "foot", on_foot(extra_toes=2), fits=feet_are_bare),
    Defect("sixth finger", "extra.hands", "a", "arm", "hand", on_hand(extra=1), fits=arm_is_free),
    Defect("seven fingers", "extra.hands", "b", "arm", "hand", on_hand(extra=2), fits=arm_is_free),
    Defect("second hand on a wrist", "extra.hands", "c", "arm", "hand",
           on_hand(doubled=True), (("hands", 1),), arm_is_free),
    Defect("third eye", "extra.face", "b", "head", "head", on_face(third_eye=True)),
    Defect("second mouth", "extra.face", "b", "head", "head",
           on_face(second_mouth=True), fits=is_clean_shaven),
    Defect("second head", "extra.face", "c", "head", "head", on_head(doubled=True), (("face", 1),)),
    Defect("trunk displaced", "configuration.torso", "b", "torso", "waist", on_torso(slip=0.28)),
    Defect("head detached", "configuration.torso", "c", "head", "neck", on_head(shift=(0.12, -0.5))),
    Defect("arm detached", "configuration.limbs", "c", "arm", "shoulder",
           on_arm(shift=(0.42, 0.12)), fits=arm_hangs),
    Defect("arm at the waist", "configuration.limbs", "b", "arm", "shoulder",
           on_arm(shift=(-0.12, 0.9)), fits=arm_hangs),
    Defect("leg detached", "configuration.limbs", "c", "leg", "hip",
           on_leg(shift=(0.62, -0.1)), fits=leg_is_upright),
    Defect("toes melted", "configuration.feet", "a", "leg", "foot", on_foot(melted=True), fits=feet_are_bare),
    Defect("foot detached", "configuration.feet", "c", "leg", "foot",
           on_foot(shift=(0.4, 0.06)), fits=leg_is_upright),
    Defect("fingers melted", "configuration.hands", "b", "arm", "hand",
           on_hand(melted=True), fits=arm_is_free),
    Defect("thumb on the wrong side", "configuration.hands", "a", "arm", "hand",
           on_hand(flipped=True), fits=arm_is_in_view),
    Defect("hands melted together", "configuration.hands", "c", "clasp", "hand",
           unchanged, fits=arm_clasps, affected=2),
    Defect("one eye lower", "configuration.face", "a", "head", "head", on_face(eye_drop=0.11)),
    Defect("mouth on the cheek", "configuration.face", "b", "head", "head",
           on_face(mouth_shift=(0.17, -0.1)), fits=is_clean_shaven),
    Defect("knee bent sideways", "orientation.limbs", "c", "leg", "knee", knee_sideways, fits=leg_is_upright),
    Defect("foot turned backwards", "orientation.feet", "c", "leg", "foot",
           on_foot(turn=172), fits=leg_is_upright),
    Defect("foot turned inwards", "orientation.feet", "b", "leg", "foot",
           on_foot(turn=105), fits=leg_is_upright),
    Defect("hand bent back", "orientation.hands", "c", "arm", "wrist", hand_outwards(152), fits=arm_hangs),
    Defect("wrist bent sharply", "orientation.hands", "b", "arm", "wrist", hand_outwards(92), fits=arm_hangs),
    Defect("face upside down", "orientation.face", "c", "head", "head", on_face(turn=180.0)),
    Defect("face askew", "orientation.face", "b", "head", "head", on_face(turn=50.0)),
    Defect("short trunk", "proportion.torso", "b", "torso", "waist", on_torso(length=0.6)),
    Defect("long trunk", "proportion.torso", "b", "torso", "waist", on_torso(length=1.3)),
    Defect("long neck", "proportion.torso", "a", "head", "neck", on_head(neck=2.3)),
    Defect("long arm", "proportion.limbs", "b", "arm", "elbow", on_arm(length=1.45), fits=arm_hangs),
    Defect("short arm", "proportion.limbs", "b", "arm", "elbow", on_arm(length=0.55), fits=arm_is_free),
    Defect("thick arm", "proportion.limbs", "a", "arm", "elbow", on_arm(girth=1.6), fits=arm_is_free),
    Defect("short leg", "proportion.limbs", "c", "leg", "foot", on_leg(length=0.62), fits=leg_is_upright),
    Defect("thin leg", "proportion.limbs", "b", "leg", "knee", on_leg(girth=0.5), fits=leg_is_upright),
    Defect("large foot", "proportion.feet", "b", "leg", "foot", on_foot(size=1.65), fits=leg_is_upright),
    Defect("small foot", "proportion.feet", "a", "leg", "foot", on_foot(size=0.52), fits=leg_is_upright),
    Defect("huge hand", "proportion.hands", "c", "arm", "hand", on_hand(size=2.1), fits=arm_is_in_view),
    Defect("large hand", "proportion.hands", "a", "arm", "hand", on_hand(size=1.5), fits=arm_is_in_view),
    Defect("tiny hand", "proportion.hands", "b", "arm", "hand", on_hand(size=0.48), fits=arm_is_free),
    Defect("small head", "proportion.face", "b", "head", "head", on_head(size=0.6)),
    Defect("large head", "proportion.face", "b", "head", "head", on_head(size=1.42)),
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
