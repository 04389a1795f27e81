"""Casts: who is in the picture of a prompt, how they look, where they stand and in which pose."""

from __future__ import annotations

from dataclasses import replace

from tools.painter.chance import Chance
from tools.painter.figures import LEFT, RIGHT, Arm, Figure, Hand, Head, Leg, Look, Torso
from tools.painter.heads import HAIR_STYLES
from tools.painter.palettes import HAIRS, SKINS, Style

Size = tuple[int, int]
Pose = tuple[tuple[Arm, Arm], tuple[Leg, Leg], Torso, Head]


def _look(chance: Chance, style: Style, barefoot: bool, formal: bool = False) -> Look:
    bottoms = "trousers" if formal else chance.choice(("trousers", "shorts", "shorts", "skirt"))
    return Look(
        skin=chance.choice(SKINS),
        hair=chance.choice(HAIRS),
        hair_style=chance.choice(HAIR_STYLES),
        top=chance.choice(style.tops),
        bottom=chance.choice(style.bottoms),
        sleeves="long" if formal or chance.happens(0.3) else "short",
        bottoms=bottoms,
        shoes=None if barefoot else chance.choice(style.shoes),
    )


def _rest(side: int, chance: Chance) -> Arm:
    return Arm(side, chance.between(12, 20), chance.between(4, 12))


def _stance(chance: Chance) -> tuple[Leg, Leg]:
    return Leg(LEFT, chance.between(4, 9), chance.between(1, 5)), Leg(
        RIGHT, chance.between(4, 9), chance.between(1, 5)
    )


def waving(chance: Chance, style: Style, size: Size, _number: int) -> tuple[Figure, ...]:
    """Return one person who waves."""
    side = chance.choice((LEFT, RIGHT))
    wave = Arm(side, chance.between(72, 104), chance.between(152, 178))
    other = chance.choice((_rest(-side, chance), Arm(-side, 42, -38)))
    figure = Figure(
        look=_look(chance, style, barefoot=True),
        x=size[0] * chance.between(0.46, 0.54),
        ground=size[1] * 0.9,
        unit=size[1] * chance.between(0.126, 0.132),
        arms=(wave, other) if side == LEFT else (other, wave),
        legs=_stance(chance),
        head=Head(tilt=side * chance.between(0, 7), look=side * chance.between(0, 0.6)),
    )
    return (figure,)


def stretching(chance: Chance, style: Style, size: Size, number: int) -> tuple[Figure, ...]:
    """Return one person in a stretching pose; the number chooses which."""
    side = chance.choice((LEFT, RIGHT))
    arms, legs, torso, head = POSES[number % len(POSES)](side)
    figure = Figure(
        look=replace(_look(chance, style, barefoot=True), bottoms=chance.choice(("trousers", "shorts"))),
        x=size[0] * chance.between(0.48, 0.52),
        ground=size[1] * 0.9,
        unit=size[1] * 0.107,
        arms=arms,
        legs=legs,
        torso=torso,
        head=head,
    )
    return (figure,)


def _pair(side: int, this: Arm, other: Arm) -> tuple[Arm, Arm]:
    return (this, other) if side == LEFT else (other, this)


def _side_bend(side: int) -> Pose:
    arms = _pair(side, Arm(side, 150, 205), Arm(-side, 40, -30))
    return (
        arms,
        (Leg(LEFT, 15, 13), Leg(RIGHT, 15, 13)),
        Torso(lean=-side * 17),
        Head(tilt=-side * 20, look=-side * 0.3),
    )


def _tree_pose(side: int) -> Pose:
    raised, standing = Leg(side, 62, -58), Leg(-side, 1, -1)
    arms = Arm(LEFT, 152, 172), Arm(RIGHT, 152, 172)
    legs = (raised, standing) if side == LEFT else (standing, raised)
    return arms, legs, Torso(), Head()


def _lunge(side: int) -> Pose:
    bent, long = Leg(side, 56, 2), Leg(-side, 40, 34)
    legs = (bent, long) if side == LEFT else (long, bent)
    return (Arm(LEFT, 92, 88), Arm(RIGHT, 92, 88)), legs, Torso(), Head(look=side * 0.6)


def _reach_up(side: int) -> Pose:
    arms = _pair(side, Arm(side, 160, 176), Arm(-side, 96, 92))
    return (
        arms,
        (Leg(LEFT, 10, 8), Leg(RIGHT, 10, 8)),
        Torso(lean=-side * 5),
        Head(tilt=-side * 6, look=side * 0.4),
    )


POSES = (_side_bend, _tree_pose, _lunge, _reach_up)


def _alone(
    chance: Chance, style: Style, size: Size, pose: Pose, *, barefoot: bool = True, formal: bool = False
) -> tuple[Figure, ...]:
    arms, legs, torso, head = pose
    figure = Figure(
        look=_look(chance, style, barefoot, formal),
        x=size[0] * chance.between(0.47, 0.53),
        ground=size[1] * 0.9,
        unit=size[1] * chance.between(0.107, 0.111),
        arms=arms,
        legs=legs,
        torso=torso,
        head=head,
    )
    return (figure,)


def _without_skirt(chance: Chance, figures: tuple[Figure, ...]) -> tuple[Figure, ...]:
    """Dress people whose legs a skirt would not follow."""
    return tuple(
        replace(figure, look=replace(figure.look, bottoms=chance.choice(("trousers", "shorts"))))
        for figure in figures
    )


def cheering(chance: Chance, style: Style, size: Size, _number: int) -> tuple[Figure, ...]:
    """Return one person with both arms up."""
    arms = (
        Arm(LEFT, chance.between(128, 150), chance.between(150, 172)),
        Arm(RIGHT, chance.between(128, 150), chance.between(150, 172)),
    )
    head = Head(tilt=chance.between(-7, 7), look=chance.between(-0.4, 0.4))
    return _alone(chance, style, size, (arms, _stance(chance), Torso(), head))


def dancing(chance: Chance, style: Style, size: Size, _number: int) -> tuple[Figure, ...]:
    """Return one person who dances: weight on one leg, one arm over the head."""
    side = chance.choice((LEFT, RIGHT))
    other = chance.choice((Arm(-side, 42, -38), Arm(-side, 78, 112)))
    arms = _pair(side, Arm(side, chance.between(132, 148), chance.between(188, 204)), other)
    free, standing = Leg(side, chance.between(24, 34), chance.between(-6, 4)), Leg(-side, 3, 1)
    legs = (free, standing) if side == LEFT else (standing, free)
    torso = Torso(lean=-side * chance.between(5, 10))
    pose = arms, legs, torso, Head(tilt=-side * 10, look=side * 0.4)
    return _without_skirt(chance, _alone(chance, style, size, pose))


def presenting(chance: Chance, style: Style, size: Size, _number: int) -> tuple[Figure, ...]:
    """Return one person in an office who shows something beside them."""
    side = chance.choice((LEFT, RIGHT))
    show = Arm(side, chance.between(56, 74), chance.between(92, 112))
    other = chance.choice((_rest(-side, chance), Arm(-side, 42, -38)))
    head = Head(tilt=side * chance.between(0, 5), look=side * chance.between(0.2, 0.7))
    pose = _pair(side, show, other), _stance(chance), Torso(), head
    return _alone(chance, style, size, pose, barefoot=False, formal=True)


def jumping_jacks(chance: Chance, style: Style, size: Size, _number: int) -> tuple[Figure, ...]:
    """Return one person with arms and legs apart."""
    arm, leg = chance.between(106, 132), chance.between(16, 19)
    arms = Arm(LEFT, arm, arm + 12), Arm(RIGHT, arm, arm + 12)
    legs = Leg(LEFT, leg, leg - 2), Leg(RIGHT, leg, leg - 2)
    pose = arms, legs, Torso(), Head(look=chance.between(-0.4, 0.4))
    return _without_skirt(chance, _alone(chance, style, size, pose))


def flexing(chance: Chance, style: Style, size: Size, _number: int) -> tuple[Figure, ...]:
    """Return one person who shows the strength of both arms."""
    arms = (
        Arm(LEFT, chance.between(78, 96), chance.between(172, 186)),
        Arm(RIGHT, chance.between(78, 96), chance.between(172, 186)),
    )
    head = Head(tilt=chance.between(-5, 5), look=chance.between(-0.6, 0.6))
    return _alone(chance, style, size, (arms, _stance(chance), Torso(), head))


def shrugging(chance: Chance, style: Style, size: Size, _number: int) -> tuple[Figure, ...]:
    """Return one person who shrugs."""
    arms = (
        Arm(LEFT, chance.between(16, 26), chance.between(84, 104)),
        Arm(RIGHT, chance.between(16, 26), chance.between(84, 104)),
    )
    head = Head(tilt=chance.choice((-1, 1)) * chance.between(6, 13))
    return _alone(chance, style, size, (arms, _stance(chance), Torso(), head), barefoot=False)


def handshake(chance: Chance, style: Style, size: Size, _number: int) -> tuple[Figure, ...]:
    """Return two people who shake hands in the middle of the picture."""
    middle, ground, unit = size[0] / 2, size[1] * 0.925, size[1] * 0.122
    clasp = size[1] * chance.between(0.46, 0.5)
    figures = []
    for side in (LEFT, RIGHT):
        tall = unit * chance.between(0.95, 1.03)
        reach = middle + side * 0.34 * unit, clasp - side * 0.03 * unit
        shake, other = Arm(-side, reach=reach, hand=Hand(turn=side * 4)), _rest(side, chance)
        figures.append(
            Figure(
                look=_look(chance, style, barefoot=False, formal=True),
                x=middle + side * chance.between(1.62, 1.74) * unit,
                ground=ground,
                unit=tall,
                arms=(other, shake) if side == LEFT else (shake, other),
                legs=_stance(chance),
                head=Head(look=-side * chance.between(0.5, 0.9), tilt=-side * chance.between(0, 5)),
            )
        )
    return _told_apart(figures, chance, style)


def _told_apart(figures: list[Figure], chance: Chance, style: Style) -> tuple[Figure, ...]:
    """Give each figure its own top, and its own skin, so that people in a scene are told apart."""
    tops, skins = chance.shuffled(style.tops), chance.shuffled(SKINS)
    return tuple(
        replace(figure, look=replace(figure.look, top=tops[i % len(tops)], skin=skins[i % len(skins)]))
        for i, figure in enumerate(figures)
    )


def standing(chance: Chance, style: Style, size: Size, _number: int) -> tuple[Figure, ...]:
    """Return four people who stand side by side."""
    unit, step = size[1] * 0.117, size[0] / 4.35
    figures = []
    for i in range(4):
        side = chance.choice((LEFT, RIGHT))
        x = size[0] / 2 + (i - 1.5) * step + chance.between(-8, 8)
        figure = Figure(
            look=_look(chance, style, barefoot=True),
            x=x,
            ground=size[1] * chance.between(0.895, 0.935),
            unit=unit * chance.between(0.92, 1.02),
            arms=_pair(side, _rest(side, chance), _group_arm(-side, chance)),
            legs=_stance(chance),
            head=Head(look=chance.between(-0.5, 0.5), tilt=chance.between(-6, 6)),
        )
        figures.append(figure)
    return _told_apart(figures, chance, style)


def _group_arm(side: int, chance: Chance) -> Arm:
    greeting = Arm(side, chance.between(16, 24), chance.between(158, 172))
    hip = Arm(side, 37, -33)
    return chance.choice((_rest(side, chance), _rest(side, chance), hip, greeting))
