"""How names are read if nobody has said so, and when the lead is asked instead."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from annotator.uploads.layouts import chosen_layout, holds_stamp, suggested_layout
from annotator.uploads.patterns import Named, read_name

GENERATORS = ("SDXL", "dall-e3", "stable cascade")
PROMPTS = ("couple_hugging", "zebra_riders", "nurse_with_child")
Layout = Callable[[str, str, int], str]


def names_of(layout: Layout) -> list[str]:
    return [layout(g, p, n) for g in GENERATORS for p in PROMPTS for n in range(1, 9)]


@pytest.mark.parametrize(
    ("layout", "pattern"),
    [
        (lambda g, p, n: f"{g}/{p}/{n}.png", "{generator}/{prompt}/{*}{number}"),
        (lambda g, p, n: f"in/{g}/{p}/{g[:2]}_{n:02}.jpg", "{generator}/{prompt}/{*}{number}"),
        (lambda g, p, n: f"{g}/{p}/ComfyUI_{n:05}_.png", "{generator}/{prompt}/{*}{number}{*}"),
        (lambda g, p, n: f"{g}/{p}/{'abcdefghi'[n]}.png", "{generator}/{prompt}/{*}"),
        (lambda g, p, n: f"{g}/{p}_{n:02}.png", "{generator}/{prompt}_{number}"),
        (lambda g, p, n: f"{g}/{p} ({n}).png", "{generator}/{prompt} ({number})"),
        (lambda g, p, n: f"{g}_{p}_{n}.webp", "{generator}_{prompt}_{number}"),
        (lambda g, p, n: f"{g[:4]}-{p}-{n}.webp", "{generator}-{prompt}-{number}"),
        (lambda g, p, n: f"out/2024-05-0{n}/{g}/{p}/{n}.png", "{generator}/{prompt}/{*}{number}"),
        (lambda g, p, n: f"稳定/{g}/{p}/{n}.png", "{generator}/{prompt}/{*}{number}"),
    ],
)
def test_usual_layouts(layout: Layout, pattern: str) -> None:
    names = names_of(layout)
    assert chosen_layout(names) == suggested_layout(names) == pattern


@pytest.mark.parametrize(
    "names",
    [
        [],
        ["1.png", "2.png"],
        [f"ComfyUI_{number:05}_.png" for number in range(6)],
        # As many generators as images, by folders and by names.
        ["a/hand/1.png", "b/hand/1.png", "c/hand/1.png"],
        ["red_hand_1.png", "blue_hand_1.png", "green_hand_1.png", "red_hand_2.png"],
        # One generator, guessed from names.
        ["out/hand_1.png", "out/hand_2.png", "out/foot_1.png"],
        # More generators than anybody compares.
        [f"g{folder}/hand/{number}.png" for folder in range(31) for number in range(2)],
        # Prompts that a program has stamped.
        [f"{g}_hand {g}7d3e1c52-5c1b-4f7e-9f0a_{n}.png" for g in "ab" for n in range(3)],
        [f"DALL-E/2024-03-0{n} 14.22.10 - waving_{n}.png" for n in range(1, 4)],
    ],
)
def test_names_that_do_not_say_it(names: list[str]) -> None:
    assert chosen_layout(names) == ""


def test_folders_may_hold_one_generator() -> None:
    assert chosen_layout(["study/sdxl/waving/1.png"]) == "{generator}/{prompt}/{*}{number}"
    assert chosen_layout(["sdxl/waving/1.png", "sdxl/sitting/1.png"]) == "{generator}/{prompt}/{*}{number}"


def test_digits_of_a_stamp_are_no_numbers() -> None:
    names = names_of(lambda g, p, n: f"{g}/{p}/2024-03-0{n} 14.22.{n}0.png")
    assert chosen_layout(names) == "{generator}/{prompt}/{*}"


def test_what_the_lead_has_given_need_not_be_read() -> None:
    flat = [f"a_hand_{number}.png" for number in range(3)]
    assert chosen_layout(flat, ["generator"]) == "{prompt}_{number}"
    assert read_name("{prompt}_{number}", flat[2]) == Named(prompt="a hand", number=2)
    assert chosen_layout(["hand/1.png", "hand/2.png"], ["generator"]) == "{prompt}/{*}{number}"
    comfy = [f"ComfyUI_{number:05}_.png" for number in range(6)]
    assert chosen_layout(comfy, ["generator"]) == ""
    assert chosen_layout(comfy, ["generator", "prompt"]) == "{*}{number}{*}"


def test_a_few_odd_names_and_copies_do_not_matter() -> None:
    names = names_of(lambda g, p, n: f"{g}/{p}/{n}.png")
    odd = [*names, "cover.png", "SDXL/readme/overview.png", "SDXL/zebra_riders/copy of 1.png"]
    assert chosen_layout(odd) == "{generator}/{prompt}/{*}{number}"


@pytest.mark.parametrize(
    ("text", "stamped"),
    [
        ("a woman 7d3e1c52-5c1b-4f7e-9f0a-1b2c3d4e5f60", True),
        ("DALL·E 2024-03-02 14.22.10 - waving", True),
        ("ChatGPT Image Apr 2, 2025, 10 15 30 AM", True),
        ("2 April 2025 waving", True),
        ("20250402", True),
        ("10:15:30", True),
        ("10_15 pm", True),
        ("two people of 1920", False),
        ("a family in may 3 children", False),
        ("12 hands", False),
        ("model v1.5.2", False),
    ],
)
def test_stamps(text: str, stamped: bool) -> None:
    assert holds_stamp(text) is stamped


@pytest.mark.study
def test_the_published_study(study_data: Path) -> None:
    names = [path.relative_to(study_data).as_posix() for path in sorted(study_data.rglob("*.jpg"))]
    assert chosen_layout(names) == "{generator}/{prompt}/{*}{number}"
