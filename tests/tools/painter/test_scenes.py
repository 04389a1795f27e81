"""Scenes without errors: deterministic, and everybody is whole and inside the picture."""

from __future__ import annotations

from itertools import product

import pytest

from tools.painter.figures import Figure, Foot, Hand
from tools.painter.scenes import GENERATORS, PROMPTS, Generator, Prompt, build_scene, draw_scene
from tools.painter.skeleton import joints

PEOPLE = {"individual": 1, "pair": 2, "group": 4}


def test_the_same_scene_gives_the_same_pixels() -> None:
    first, second = (draw_scene(build_scene(GENERATORS[1], PROMPTS[2], 3, seed=7)) for _ in range(2))
    assert first.mode == "RGB"
    assert first.size == PROMPTS[2].size
    assert first.tobytes() == second.tobytes()


@pytest.mark.thorough
def test_generators_numbers_and_seeds_differ() -> None:
    scenes = [
        build_scene(generator, PROMPTS[0], number, seed=seed)
        for generator, number, seed in product(GENERATORS, (1, 2), (7, 8))
    ]
    assert len({draw_scene(scene).tobytes() for scene in scenes}) == len(scenes)


@pytest.mark.parametrize("prompt", PROMPTS, ids=lambda prompt: prompt.text)
@pytest.mark.parametrize("generator", GENERATORS, ids=lambda generator: generator.name)
def test_everybody_is_whole_and_in_the_picture(generator: Generator, prompt: Prompt) -> None:
    for number in range(1, 9):
        scene = build_scene(generator, prompt, number, seed=7)
        assert len(scene.figures) == PEOPLE[prompt.group]
        for figure in scene.figures:
            _assert_whole(figure)
            _assert_inside(figure, prompt.size)


def _assert_whole(figure: Figure) -> None:
    assert [arm.side for arm in figure.arms] == [-1, 1]
    assert [leg.side for leg in figure.legs] == [-1, 1]
    assert all(not arm.cut and arm.hand.gone == () and arm.hand.extra == 0 for arm in figure.arms)
    assert all(arm.hand.size == Hand().size for arm in figure.arms)
    assert all(not leg.cut and leg.foot == Foot() for leg in figure.legs)


def _assert_inside(figure: Figure, size: tuple[int, int]) -> None:
    bones = joints(figure)
    hand, foot, head = 0.4 * figure.unit, 0.3 * figure.unit, 0.55 * figure.unit
    for reach, points in ((hand, [a[2] for a in bones.arms]), (foot, [a[2] for a in bones.legs])):
        assert all(reach < x < size[0] - reach and reach < y < size[1] - reach for x, y in points)
    assert bones.head[1] > head
