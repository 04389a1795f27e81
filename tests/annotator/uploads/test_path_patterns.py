"""Names of files: layouts and patterns."""

from __future__ import annotations

import contextlib
import time
import unicodedata
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotator.exchange.formats.names import normal_form, prompt_of_folder
from annotator.uploads.path_patterns import (
    LONGEST_PATTERN,
    Named,
    PatternRefused,
    chosen_layout,
    holds_stamp,
    misfit,
    parse_pattern,
    read_name,
    suggested_layout,
)

pytestmark = pytest.mark.django_db
GENERATORS = ("SDXL", "dall-e3", "stable cascade")
PROMPTS = ("couple_hugging", "zebra_riders", "nurse_with_child")
Layout = Callable[[str, str, int], str]


FOLDERS = "{generator}/{prompt}/{*}{number}"


def names_of(layout: Layout) -> list[str]:
    return [layout(g, p, n) for g in GENERATORS for p in PROMPTS for n in range(1, 9)]


PLAIN = names_of(lambda g, p, n: f"{g}/{p}/{n}.png")


@pytest.mark.parametrize(
    ("names", "pattern"),
    [
        (PLAIN, FOLDERS),
        (names_of(lambda g, p, n: f"{g}/{p}/ComfyUI_{n:05}_.png"), f"{FOLDERS}{{*}}"),
        (names_of(lambda g, p, n: f"{g}/{p}/{'abcdefghi'[n]}.png"), "{generator}/{prompt}/{*}"),
        (names_of(lambda g, p, n: f"{g}/{p}_{n:02}.png"), "{generator}/{prompt}_{number}"),
        (
            names_of(lambda g, p, n: f"{g.replace(' ', '_')}__{p}__{n:04}.png"),
            "{generator}__{prompt}__{number}",
        ),
        # Digits of a stamp are no numbers.
        (names_of(lambda g, p, n: f"{g}/{p}/2024-03-0{n} 14.22.{n}0.png"), "{generator}/{prompt}/{*}"),
        # Folders may hold one generator; a few odd names and copies do not matter.
        (["sdxl/waving/1.png", "sdxl/sitting/1.png"], FOLDERS),
        ([*PLAIN, "cover.png", "SDXL/readme/overview.png", "SDXL/zebra_riders/copy of 1.png"], FOLDERS),
    ],
)
def test_usual_layouts(names: list[str], pattern: str) -> None:
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
        # As many prompts as images: seeds.
        [f"{g}_{7919 * n + len(g)}_{n}.png" for g in ("sdxl", "flux.1") for n in range(1, 4)],
    ],
)
def test_names_that_do_not_say_it(names: list[str]) -> None:
    assert chosen_layout(names) == ""


def test_what_the_lead_has_given_need_not_be_read() -> None:
    flat = [f"a_hand_{number}.png" for number in range(3)]
    assert chosen_layout(flat, ["generator"]) == "{prompt}_{number}"
    assert read_name("{prompt}_{number}", flat[2]) == Named(prompt="a hand", number=2)
    assert chosen_layout(["hand/1.png", "hand/2.png"], ["generator"]) == "{prompt}/{*}{number}"
    comfy = [f"ComfyUI_{number:05}_.png" for number in range(6)]
    assert chosen_layout(comfy, ["generator"]) == ""
    assert chosen_layout(comfy, ["generator", "prompt"]) == "{*}{number}{*}"


@pytest.mark.parametrize(
    ("text", "stamped"),
    [
        ("a woman 7d3e1c52-5c1b-4f7e-9f0a-1b2c3d4e5f60", True),
        ("DALL·E 2024-03-02 14.22.10 - waving", True),
        ("2 April 2025 waving", True),
        ("1743588930123", True),
        ("seed 2743588930", False),
        ("10_15 pm", True),
        ("two people of 1920", False),
        ("a family in may 3 children", False),
    ],
)
def test_stamps(text: str, stamped: bool) -> None:
    assert holds_stamp(text) is stamped


def test_the_published_study(study_data: Path) -> None:
    names = [path.relative_to(study_data).as_posix() for path in sorted(study_data.rglob("*.jpg"))]
    assert chosen_layout(names) == FOLDERS


@pytest.mark.parametrize(
    ("pattern", "name", "read"),
    [
        ("{generator}/{prompt}/{number}", "sdXL/couple_hugging/03.jpg", ("sdXL", "couple hugging", "", 3)),
        (FOLDERS, "g/p/sdXL_physician_018.jpg", ("g", "p", "", 18)),
        ("{generator}/{prompt}/{*}{number}{*}", "g/p/img12_v2.jpg", ("g", "p", "", 2)),
        ("{generator}/{prompt}/{*}{number}_{*}", "g/p/img12_v2.jpg", ("g", "p", "", 12)),
        ("{generator}-{prompt}-{number}", "SDXL-old-couple-03.png", ("SDXL", "old couple", "", 3)),
        ("{generator}_{prompt}_{number}", "sdxl_couple_2_7.webp", ("sdxl", "couple 2", "", 7)),
        ("{prompt_group}/{*}/{prompt}", "pair/anything/hug.png", ("", "hug", "pair", None)),
        ("{generator}/{generator}_{prompt}_{number}", "SD XL/sdxl_man_1.png", ("SD XL", "man", "", 1)),
        ("{generator}\\{prompt}\\{number}.png", "g/p/1.png", ("g", "p", "", 1)),
        ("{generator}/{prompt}/{number}", "مولد/زوجان_يعانقان/3.png", ("مولد", "زوجان يعانقان", "", 3)),
        ("{prompt}/{number}", unicodedata.normalize("NFD", "Ärztin/3.png"), ("", "Ärztin", "", 3)),
    ],
)
def test_what_is_read(pattern: str, name: str, read: tuple[str, str, str, int | None]) -> None:
    assert read_name(pattern, name) == Named(*read)
    assert misfit(pattern, name) == ""


@pytest.mark.parametrize(
    ("pattern", "name", "why"),
    [
        ("{prompt}/{number}", "b.png", "“b.png” is in no folder, but the pattern has 1 folder"),
        ("{prompt}/{number}", "a/b.png", "“b” of “a/b.png” has no run of the digits 0 to 9"),
        ("{prompt}/{number}", "a/٣.png", "“٣” of “a/٣.png” has no run of the digits 0 to 9"),
        ("{prompt}_{number}", "___1.png", "“___1” of “___1.png” does not match “{prompt}_{number}”"),
        ("{number}", "9" * 900, f"The number {'9' * 20} of “{'9' * 900}” is too large"),
        ("{prompt}/{prompt}_{number}", "a/b_1.png", "“a/b_1.png” has different values for a repeated field"),
    ],
)
def test_what_is_not_read_and_why(pattern: str, name: str, why: str) -> None:
    assert read_name(pattern, name) is None
    assert misfit(pattern, name) == f"{why}: change the pattern, or name the file in a manifest."


@pytest.mark.parametrize(
    ("pattern", "why"),
    [
        ("", "The pattern has no field. Add at least one of {generator}, {prompt}, {prompt_group}, {number}"),
        ("{model}/1", "{model} is not a field. Use {generator}, {prompt}, {prompt_group}, {number}, {*}"),
        ("{prompt", "A brace in “{prompt” has no partner"),
        ("{generator}{prompt}", "{generator}{prompt}: separate adjacent fields"),
        ("{number}_{number}", "{number} is used twice in one folder's or file's name"),
        ("{*}/" * 13 + "{number}", "The pattern has more than 12 fields"),
        ("{number}" + "x" * LONGEST_PATTERN, "The pattern is longer than 400 characters"),
    ],
)
def test_patterns_that_cannot_be_used(pattern: str, why: str) -> None:
    with pytest.raises(PatternRefused) as caught:
        parse_pattern(pattern)
    assert str(caught.value).startswith(why)


def test_no_name_takes_long() -> None:
    pattern = parse_pattern("_".join(["{*}a"] * 10) + "_{prompt}b_{number}")
    begin = time.perf_counter()
    for text in ("a_" * 127, "_a" * 127, "aaaa_" * 51, "a_" * 500):
        assert read_name(pattern, text) is None
    assert time.perf_counter() - begin < 5


# Words of letters and digits that begin with a letter, in any script, so that separators stay separators.
WORDS = st.text(st.characters(categories=["L", "Nd"]), min_size=1, max_size=8).filter(
    lambda text: text[0].isalpha() and unicodedata.normalize("NFC", text) == text and normal_form(text) != ""
)
PHRASES = st.lists(WORDS, min_size=1, max_size=4).map("_".join)
NUMBERS = st.integers(0, 2**31 - 1)


@given(generator=PHRASES, prompt=PHRASES, number=NUMBERS, zeros=st.integers(0, 3))
def test_what_a_pattern_wrote_is_read_by_it(generator: str, prompt: str, number: int, zeros: int) -> None:
    digits = "0" * zeros + str(number)
    wanted = Named(generator, prompt_of_folder(prompt), "", number)
    for pattern in (
        "{generator}/{prompt}/{number}",
        "{generator} - {prompt} ({number})",
        "{number}-{generator}+{prompt}",
    ):
        name = (
            pattern.replace("{generator}", generator).replace("{prompt}", prompt).replace("{number}", digits)
        )
        assert read_name(pattern, f"above/{name}.png") == wanted


@given(name=st.text(max_size=60), pattern=st.sampled_from([FOLDERS, "{prompt}_{number}"]))
def test_a_name_is_read_or_it_is_said_why_not(name: str, pattern: str) -> None:
    read = read_name(pattern, name)
    assert (read is None) == (misfit(pattern, name) != "")
    if read is not None:
        assert normal_form(read.prompt)
        assert read.number is not None


@given(text=st.text(max_size=40))
def test_any_text_is_a_pattern_or_refused(text: str) -> None:
    with contextlib.suppress(PatternRefused):
        assert parse_pattern(text).fields
