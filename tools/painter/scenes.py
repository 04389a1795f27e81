"""Scenes: who stands where in which pose for a generator, a prompt and a number."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from PIL import Image

from tools.painter.backdrops import backdrop
from tools.painter.bodies import draw_figure, draw_shadow
from tools.painter.canvas import Canvas
from tools.painter.casting import (
    cheering,
    dancing,
    flexing,
    handshake,
    jumping_jacks,
    presenting,
    shrugging,
    standing,
    stretching,
    waving,
)
from tools.painter.chance import Chance
from tools.painter.figures import Figure
from tools.painter.palettes import COOL, POSTER, SOFT, Style, mixed
from tools.painter.shapes import Point, ellipse, smooth


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
    cast: Callable[[Chance, Style, tuple[int, int], int], tuple[Figure, ...]]


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
    draw_people(canvas, scene)
    return canvas.image


def draw_people(canvas: Canvas, scene: Scene) -> None:
    """Draw everybody in a scene, with their shadows, on whatever the canvas shows."""
    for figure in scene.figures:
        draw_shadow(canvas, figure)
    for figure in scene.figures:
        draw_figure(canvas, figure)
    if scene.melted_clasp:
        _draw_lump(canvas, scene)


def _draw_lump(canvas: Canvas, scene: Scene) -> None:
    first, second = scene.figures[:2]
    place = _clasped(first)
    unit = first.unit
    x, y = (place[0] + _clasped(second)[0]) / 2, place[1]
    lump = [(-0.5, -0.1), (-0.2, -0.26), (0.1, -0.2), (0.34, -0.3), (0.56, -0.08), (0.4, 0.16), (0.2, 0.14),
            (0.05, 0.34), (-0.12, 0.2), (-0.34, 0.24)]  # fmt: skip
    skin = mixed(first.look.skin, second.look.skin, 0.5)
    canvas.paint([smooth([(x + dx * unit, y + dy * unit) for dx, dy in lump])], skin)
    canvas.tint([ellipse((x + 0.3 * unit, y), 0.16 * unit, 0.1 * unit)], second.look.skin, 0.8, 0.05 * unit)
    canvas.tint([ellipse((x - 0.3 * unit, y), 0.16 * unit, 0.1 * unit)], first.look.skin, 0.8, 0.05 * unit)


def _clasped(figure: Figure) -> Point:
    return next(arm.reach for arm in figure.arms if arm.reach)


def build_scene(generator: Generator, prompt: Prompt, number: int, *, seed: int) -> Scene:
    """Return the scene without errors for a generator, a prompt and a number."""
    chance = Chance(f"scene/{seed}/{generator.name}/{prompt.text}/{number}")
    figures = prompt.cast(chance, generator.style, prompt.size, number)
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


PROMPTS = (
    Prompt("person waving", "individual", "beach", (640, 704), 0.6, waving),
    Prompt("person stretching", "individual", "studio", (640, 704), 0.74, stretching),
    Prompt("two people shaking hands", "pair", "office", (768, 640), 0.76, handshake),
    Prompt("group of four standing", "group", "park", (832, 640), 0.66, standing),
)
RATED_PROMPTS = (
    Prompt("person cheering", "individual", "park", (640, 704), 0.66, cheering),
    Prompt("person dancing", "individual", "studio", (640, 704), 0.74, dancing),
    Prompt("person presenting", "individual", "office", (640, 704), 0.76, presenting),
    Prompt("person doing jumping jacks", "individual", "beach", (640, 704), 0.6, jumping_jacks),
    Prompt("person flexing", "individual", "studio", (640, 704), 0.74, flexing),
    Prompt("person shrugging", "individual", "park", (640, 704), 0.66, shrugging),
)
"""Prompts of the project of realism alone."""
GENERATORS = (
    Generator("model-a", SOFT, 0.5, (0.5, 0.3, 0.2)),
    Generator("model-b", COOL, 1.1, (0.35, 0.35, 0.3)),
    Generator("model-c", POSTER, 2.0, (0.2, 0.35, 0.45)),
)
