"""Names of files, read by patterns."""

from __future__ import annotations

import contextlib
import time
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotator.exchange.formats.names import normal_form, prompt_of_folder
from annotator.uploads.patterns import (
    LONGEST_PATTERN,
    Named,
    PatternRefused,
    misfit,
    parse_pattern,
    read_name,
)


@pytest.mark.parametrize(
    ("pattern", "name", "read"),
    [
        ("{generator}/{prompt}/{number}", "sdXL/couple_hugging/03.jpg", ("sdXL", "couple hugging", "", 3)),
        ("{generator}/{prompt}/{number}", "a/b/images/sdXL/x/3.PNG", ("sdXL", "x", "", 3)),
        ("{generator}/{prompt}/{*}{number}", "g/p/sdXL_physician_018.jpg", ("g", "p", "", 18)),
        ("{generator}/{prompt}/{*}{number}{*}", "g/p/img12_v2.jpg", ("g", "p", "", 2)),
        ("{generator}/{prompt}/{*}{number}_{*}", "g/p/img12_v2.jpg", ("g", "p", "", 12)),
        ("{generator}-{prompt}-{number}", "SDXL-old-couple-03.png", ("SDXL", "old couple", "", 3)),
        ("{generator}_{prompt}_{number}", "stable cascade_nurse_7.webp", ("stable cascade", "nurse", "", 7)),
        ("{generator}_{prompt}_{number}", "sdxl_couple_2_7.webp", ("sdxl", "couple 2", "", 7)),
        ("{prompt}_{generator}_{number}", "old_couple_sdxl_7.webp", ("sdxl", "old couple", "", 7)),
        ("{generator}/{prompt}/{*}({number})", "d/A_b/img (12).jpg", ("d", "A b", "", 12)),
        ("{prompt_group}/{*}/{prompt}", "pair/anything/hug.png", ("", "hug", "pair", None)),
        ("{generator}/{generator}_{prompt}_{number}", "SD XL/sdxl_man_1.png", ("SD XL", "man", "", 1)),
        ("IMG_{number}", "img_0007.jpeg", ("", "", "", 7)),
        ("{generator}\\{prompt}\\{number}.png", "g/p/1.png", ("g", "p", "", 1)),
        ("{ Generator }/{Prompt Group}", "g/pair.png", ("g", "", "pair", None)),
        ("{generator}/{number}", "v1.5/1", ("v1.5", "", "", 1)),
        ("{generator}_{prompt}_{number}", "稳定扩散_拥抱的情侣_3.png", ("稳定扩散", "拥抱的情侣", "", 3)),
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
        (
            "{generator}/{prompt}/{number}",
            "a/b.png",
            "“a/b.png” is in 1 folder, but the pattern has 2 folders",
        ),
        ("{prompt}/{number}", "b.png", "“b.png” is in no folder, but the pattern has 1 folder"),
        ("{prompt}/{number}", "a/b.png", "“b” of “a/b.png” has no run of the digits 0 to 9"),
        ("{prompt}/{number}", "a/٣.png", "“٣” of “a/٣.png” has no run of the digits 0 to 9"),
        ("{prompt}/{number}", "a/12b.png", "“12b” of “a/12b.png” has no run of the digits 0 to 9"),
        ("{prompt}_{number}", "a-1.png", "“a-1” of “a-1.png” has no match for “{prompt}_{number}”"),
        ("{prompt}_{number}", "___1.png", "“___1” of “___1.png” has no match for “{prompt}_{number}”"),
        ("{number}", f"{2**31}.png", "The number 2147483648 of “2147483648.png” is too large"),
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
        (
            "",
            "The pattern has no field. Add at least one of {generator}, {prompt}, {prompt_group}, {number}",
        ),
        ("{*}/{*}", "The pattern has no field"),
        (
            "{model}/{number}",
            "{model} is not a field. Use {generator}, {prompt}, {prompt_group}, {number}, {*}",
        ),
        ("{prompt", "A brace in “{prompt” has no partner"),
        ("{generator}{prompt}", "{generator}{prompt}: separate adjacent fields"),
        ("{prompt}{*}", "{prompt}{*}: separate adjacent fields"),
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
def test_what_was_written_by_a_pattern_is_read_by_it(
    generator: str, prompt: str, number: int, zeros: int
) -> None:
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


@given(
    name=st.text(max_size=60),
    pattern=st.sampled_from(["{generator}/{prompt}/{*}{number}", "{prompt}_{number}"]),
)
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
