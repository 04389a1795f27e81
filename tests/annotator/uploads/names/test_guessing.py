"""Other people's habits: which pattern their names follow."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from annotator.uploads.names.guessing import COMMON, guess_patterns
from annotator.uploads.names.naming import Named, read_name

GENERATORS = ("SDXL", "dall-e3", "stable_cascade")
# One of these is in the published study, the others nobody has heard of.
PROMPTS = ("couple_hugging", "zebra_riders", "nurse_with_child")
Layout = Callable[[str, str, int], str]


def names_of(
    layout: Layout, generators: Sequence[str] = GENERATORS, prompts: Sequence[str] = PROMPTS
) -> dict[str, tuple[str, str, int]]:
    """Each name with what it was made of."""
    return {
        layout(generator, prompt, number): (generator, prompt, number)
        for generator in generators
        for prompt in prompts
        for number in range(1, 9)
    }


def spaced(text: str) -> str:
    return text.replace("_", " ")


LAYOUTS: list[tuple[str, Layout, str]] = [
    ("folders", lambda g, p, n: f"{g}/{p}/{n}.png", "{generator}/{prompt}/{number}"),
    ("as published", lambda g, p, n: f"in/{g}/{p}/{g[:2]}_{n:02}.jpg", "{generator}/{prompt}/{*}{number}"),
    ("prompt first", lambda g, p, n: f"{p}/{g}/{n:03}.png", "{prompt}/{generator}/{number}"),
    ("hyphens", lambda g, p, n: f"{g}-{p.split('_')[0]}-{n:02}.png", "{generator}-{prompt}-{number}"),
    ("a file manager's", lambda g, p, n: f"{g}/A_{p}/img ({n}).jpg", "{generator}/{prompt}/{*}({number})"),
    ("a file manager's, flat", lambda g, p, n: f"{g}_{p} ({n}).jpg", "{generator}_{prompt} ({number})"),
    ("underscores", lambda g, p, n: f"{g}_{p}_{n}.webp", "{generator}_{prompt}_{number}"),
    ("image ids", lambda g, p, n: f"{g}_{spaced(p)}_{n:02}", "{generator}_{prompt}_{number}"),
    ("folder of a generator", lambda g, p, n: f"{g}/{p}_{n:02}.png", "{generator}/{prompt}_{number}"),
    ("folder of a prompt", lambda g, p, n: f"{p}/{g}_{n:02}.png", "{prompt}/{generator}_{number}"),
    ("number first", lambda g, p, n: f"{n:02}_{g}_{p}.png", "{number}_{generator}_{prompt}"),
    ("spelt out", lambda g, p, n: f"{g} - {spaced(p)} - {n}.png", "{generator} - {prompt} - {number}"),
    ("dots", lambda g, p, n: f"{g}.{p}.{n}.png", "{generator}.{prompt}.{number}"),
    ("two underscores", lambda g, p, n: f"{p}__{g}__{n}.png", "{prompt}__{generator}__{number}"),
    ("said twice", lambda g, p, n: f"{g}/{g}_{p}_{n}.png", "{generator}/{generator}_{prompt}_{number}"),
    ("a seed before", lambda g, p, n: f"{g}/{p}/seed_4711_{n:03}.png", "{generator}/{prompt}/{*}{number}"),
    ("a sign after", lambda g, p, n: f"{g}/{p}/ComfyUI_{n:05}_.png", "{generator}/{prompt}/{*}{number}_{*}"),
    ("a version after", lambda g, p, n: f"{g}/{p}/img{n}_v2.png", "{generator}/{prompt}/{*}{number}_{*}"),
    ("a folder between", lambda g, p, n: f"{g}/png/{p}/{n}.png", "{generator}/{*}/{prompt}/{number}"),
    ("folders above", lambda g, p, n: f"out/2024-05-0{n}/{g}/{p}/{n}.png", "{generator}/{prompt}/{number}"),
]  # fmt: skip


@pytest.mark.parametrize(("layout", "pattern"), [row[1:] for row in LAYOUTS], ids=[row[0] for row in LAYOUTS])
@pytest.mark.few(3)
def test_usual_layouts(layout: Layout, pattern: str) -> None:
    names = names_of(layout)
    assert guess_patterns(names)[0] == pattern
    for name, (generator, prompt, number) in names.items():
        read = read_name(pattern, name, COMMON)
        assert read is not None
        assert (read.generator, read.number) == (generator, number)
        assert read.prompt in (spaced(prompt), f"A {spaced(prompt)}", prompt.split("_")[0])


@pytest.mark.parametrize(
    ("generators", "prompts"),
    [
        (("мидджорни", "кандинский"), ("пара_обнимается", "врач", "семья")),
        (("稳定扩散", "文心"), ("拥抱的情侣", "医生", "老人")),
        (("مولد", "اخر"), ("زوجان_يعانقان", "طبيب", "عائلة")),
        (("חולל", "אחר"), ("זוג", "רופאה", "משפחה")),
    ],
)
@pytest.mark.few(1)
def test_other_scripts(generators: tuple[str, ...], prompts: tuple[str, ...]) -> None:
    for layout, pattern in (
        (LAYOUTS[0][1], "{generator}/{prompt}/{number}"),
        (lambda g, p, n: f"{g}-{p}-{n}.png", "{generator}-{prompt}-{number}"),
    ):
        names = names_of(layout, generators, prompts)
        assert guess_patterns(names)[0] == pattern
        for name, (generator, prompt, number) in names.items():
            assert read_name(pattern, name, COMMON) == Named(generator, spaced(prompt), "", number)


@pytest.mark.thorough
def test_groups_are_told_by_their_names() -> None:
    group = {"couple_hugging": "pair", "zebra_riders": "group", "nurse_with_child": "pair"}
    below = guess_patterns(names_of(lambda g, p, n: f"{g}/{group[p]}/{p}/{n}.png"))
    assert below[0] == "{generator}/{prompt_group}/{prompt}/{number}"
    above = guess_patterns(names_of(lambda g, p, n: f"{group[p]}/{p}/{g}_{n}.png"))
    assert above[0] == "{prompt_group}/{prompt}/{generator}_{number}"


@pytest.mark.thorough
def test_random_names_have_no_numbers() -> None:
    names = names_of(lambda g, p, n: f"{g}/{p}/{uuid.uuid5(uuid.NAMESPACE_OID, f'{g}{p}{n}')}.png")
    assert guess_patterns(names)[0] == "{generator}/{prompt}/{*}"


def test_what_only_names_prompts() -> None:
    assert guess_patterns(names_of(lambda _, p, n: f"{p}/{n}.png", ["one"]))[0] == "{prompt}/{number}"
    assert guess_patterns(names_of(lambda _, p, n: f"{p}{n}.png", ["one"]))[0] == "{prompt}{number}"


def test_a_few_odd_names_do_not_matter() -> None:
    names = [*names_of(LAYOUTS[0][1]), "cover.png", "sdxl/readme/overview.png"]
    assert guess_patterns(names)[0] == "{generator}/{prompt}/{number}"


def test_one_name_and_none() -> None:
    assert guess_patterns(["sdxl/couple hugging/1.png"])[0] == "{generator}/{prompt}/{number}"
    assert guess_patterns([]) == []
    assert guess_patterns(["1.png", "2.png"]) == []


def test_a_hundred_thousand_names_are_sampled() -> None:
    names = (f"{g}/{p}/{n}.png" for g in GENERATORS for p in PROMPTS for n in range(11_000))
    assert guess_patterns(names)[0] == "{generator}/{prompt}/{number}"


@pytest.mark.study
def test_the_published_study(study_data: Path) -> None:
    names = [path.relative_to(study_data).as_posix() for path in sorted(study_data.rglob("*.jpg"))]
    assert guess_patterns(names)[0] == "{generator}/{prompt}/{*}{number}"
