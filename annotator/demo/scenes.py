"""Scenes: who stands where in which pose for a generator, a prompt and a number."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from PIL import Image

from annotator.demo.backdrops import backdrop
from annotator.demo.bodies import draw_figure, draw_shadow
from annotator.demo.canvas import Canvas
from annotator.demo.chance import Chance
from annotator.demo.figures import LEFT, RIGHT, Arm, Figure, Foot, Hand, Head, Leg, Look, Torso
from annotator.demo.heads import HAIR_STYLES
from annotator.demo.palettes import COOL, HAIRS, POSTER, SKINS, SOFT, Style, mixed
from annotator.demo.shapes import Point, ellipse, smooth


@dataclass(frozen=True)
class Generator:
    """An invented generator: its name, its style and how many errors it plants per person on average."""

    name: str
    style: Style
    error_rate: float
    severities: tuple[float, float, float]  # shares of a, b, c


@dataclass(frozen=True)
class Prompt:
    """A prompt, its group (individual, pair, group), place and picture size in pixels."""

    text: str
    group: str
    place: str
    size: tuple[int, int]
    horizon: float
    cast: Callable[[Chance, Style, tuple[int, int]], tuple[Figure, ...]]


@dataclass(frozen=True)
class Scene:
    """Everything a picture shows; `melted_clasp` melts the hands of two people into one lump."""

    generator: str
    prompt: str
    number: int
    size: tuple[int, int]
    place: str
    horizon: float
    style: Style
    figures: tuple[Figure, ...]
    melted_clasp: bool = False


def draw_scene(scene: Scene) -> Image.Image:
    """Return the picture of a scene, mode RGB; the same scene gives the same pixels."""
    name = f"{scene.generator}/{scene.prompt}/{scene.number}"
    canvas = backdrop(scene.place, scene.size, scene.horizon * scene.size[1], scene.style, name)
    for figure in scene.figures:
        draw_shadow(canvas, figure)
    for figure in scene.figures:
        draw_figure(canvas, figure)
    if scene.melted_clasp:
        _draw_lump(canvas, scene)
    return canvas.image


def _draw_lump(canvas: Canvas, scene: Scene) -> None:
    first, second = scene.figures[:2]
    place = next(arm.reach for arm in first.arms if arm.reach)
    unit = first.unit
    x, y = (place[0] + _clasp(scene.figures)[0]) / 2, place[1]
    lump = [(-0.5, -0.1), (-0.2, -0.26), (0.1, -0.2), (0.34, -0.3), (0.56, -0.08), (0.4, 0.16), (0.2, 0.14),
            (0.05, 0.34), (-0.12, 0.2), (-0.34, 0.24)]  # fmt: skip
    skin = mixed(first.look.skin, second.look.skin, 0.5)
    canvas.paint([smooth([(x + dx * unit, y + dy * unit) for dx, dy in lump])], skin)
    canvas.tint([ellipse((x + 0.3 * unit, y), 0.26 * unit, 0.2 * unit)], second.look.skin, 0.7, 0.1 * unit)
    canvas.tint([ellipse((x - 0.3 * unit, y), 0.26 * unit, 0.2 * unit)], first.look.skin, 0.7, 0.1 * unit)


def _clasp(figures: tuple[Figure, ...]) -> Point:
    return next(arm.reach for arm in figures[1].arms if arm.reach)


def build_scene(generator: Generator, prompt: Prompt, number: int, *, seed: int) -> Scene:
    """Return the scene without errors for a generator, a prompt and a number."""
    chance = Chance(f"scene/{seed}/{generator.name}/{prompt.text}/{number}")
    figures = prompt.cast(chance, generator.style, prompt.size)
    return Scene(
        generator.name,
        prompt.text,
        number,
        prompt.size,
        prompt.place,
        prompt.horizon,
        generator.style,
        figures,
    )


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


def _waving(chance: Chance, style: Style, size: tuple[int, int]) -> tuple[Figure, ...]:
    side = chance.choice((LEFT, RIGHT))
    wave = Arm(side, chance.between(72, 104), chance.between(152, 178))
    other = chance.choice((_rest(-side, chance), Arm(-side, 42, -38, hand=Hand(turn=0))))
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


def _stretching(chance: Chance, style: Style, size: tuple[int, int]) -> tuple[Figure, ...]:
    side = chance.choice((LEFT, RIGHT))
    arms, legs, torso, head = chance.choice((_side_bend, _tree_pose, _lunge, _reach_up))(side)
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


Pose = tuple[tuple[Arm, Arm], tuple[Leg, Leg], Torso, Head]


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


def _handshake(chance: Chance, style: Style, size: tuple[int, int]) -> tuple[Figure, ...]:
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


def _standing(chance: Chance, style: Style, size: tuple[int, int]) -> tuple[Figure, ...]:
    unit, step = size[1] * 0.117, size[0] / 4.35
    figures = []
    for i in range(4):
        x = size[0] / 2 + (i - 1.5) * step + chance.between(-8, 8)
        figure = Figure(
            look=_look(chance, style, barefoot=True),
            x=x,
            ground=size[1] * chance.between(0.895, 0.935),
            unit=unit * chance.between(0.92, 1.02),
            arms=(_group_arm(LEFT, chance), _group_arm(RIGHT, chance)),
            legs=_stance(chance),
            head=Head(look=chance.between(-0.5, 0.5), tilt=chance.between(-6, 6)),
        )
        figures.append(figure)
    return _told_apart(figures, chance, style)


def _group_arm(side: int, chance: Chance) -> Arm:
    waving = Arm(side, chance.between(20, 30), chance.between(140, 160))
    hip = Arm(side, 36, -36)
    return chance.choice((_rest(side, chance), _rest(side, chance), hip, waving))


PROMPTS = (
    Prompt("person waving", "individual", "beach", (640, 704), 0.6, _waving),
    Prompt("person stretching", "individual", "studio", (640, 704), 0.74, _stretching),
    Prompt("two people shaking hands", "pair", "office", (768, 640), 0.76, _handshake),
    Prompt("group of four standing", "group", "park", (832, 640), 0.66, _standing),
)
GENERATORS = (
    Generator("model-a", SOFT, 0.5, (0.5, 0.3, 0.2)),
    Generator("model-b", COOL, 1.1, (0.35, 0.35, 0.3)),
    Generator("model-c", POSTER, 2.0, (0.2, 0.35, 0.45)),
)
__all__ = ["GENERATORS", "PROMPTS", "Foot", "Generator", "Prompt", "Scene", "build_scene", "draw_scene"]
