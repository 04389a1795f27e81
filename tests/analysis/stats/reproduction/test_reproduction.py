"""The page on the published study: what agrees, what does not, and that each explanation is computed."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from analysis.figures.catalogue import figures
from analysis.stats.agreement.agreement import agreement
from analysis.stats.comparison.comparison import comparison
from analysis.stats.frames import RatingsFrame
from analysis.stats.reproduction import SkippedTerm, reproduction, skipped_term
from analysis.stats.reproduction.alphas import pair_alphas
from analysis.stats.reproduction.authors import band_counts, prompt_sums, score_bounds, table_bounds
from analysis.stats.reproduction.checks import (
    Checked,
    Outcome,
    Printed,
    agrees,
    check_all,
    printed_numbers,
)
from analysis.stats.reproduction.markdown import summary
from analysis.stats.reproduction.skipped import readings
from analysis.stats.reproduction.tables import markdown_table
from analysis.stats.reproduction.values import domains, values
from scoring.grid.notation import read_cell
from scoring.grid.taxonomy import BODY_PARTS, CELLS, ERROR_TYPES
from tests.analysis.stats.conftest import framed, rated

Rows = list[dict[str, str]]


@pytest.fixture(scope="session")
def skipped(study_rows: Rows, study_frame: RatingsFrame) -> list[SkippedTerm]:
    """The unreadable terms of the published file."""
    table = study_frame.annotations
    found = []
    for row in study_rows:
        same = (table.generator == row["Model"]) & (table.prompt == row["Prompt"])
        image = int(table.image[same & (table.number == int(row["Pic Num."]))].iloc[0])
        for cell in CELLS:
            for problem in read_cell(row[cell.heading])[1]:
                term = skipped_term(image, row["Annotator"], problem.text)
                found += [term] if term else []
    return found


@pytest.fixture(scope="session")
def by_script(study_rows: Rows) -> pd.DataFrame:
    """The file as the authors' script reads it: the first readable fraction of each comma-separated piece."""
    table = pd.DataFrame(study_rows)
    weights = {"a": 0.2, "b": 0.5, "c": 1}
    for cell in CELLS:
        table[cell.heading] = [
            sum((weights[s] * int(n) / int(d) for n, d, s in _pieces(text)), 0.0)
            for text in table[cell.heading]
        ]
    table["Pic Num."] = table["Pic Num."].astype(int)
    table["Total Score"] = table[[cell.heading for cell in CELLS]].sum(axis=1)
    return table


def _pieces(text: str) -> Sequence[tuple[str, str, str]]:
    matches = (re.search(r"(\d+)/(\d+)\s*([abc])", piece) for piece in text.split(","))
    return [(match[1], match[2], match[3]) for match in matches if match]


@pytest.fixture(scope="session")
def checked(study_frame: RatingsFrame, skipped: list[SkippedTerm]) -> list[Checked]:
    """The list, checked against the published data."""
    return check_all(values(study_frame, skipped), domains(study_frame))


SWAPPED_DOUBLED_OR_CUT = [
    ("Stable Cascade: mean score", "2.1", "1.8008"),
    ("SDXL: mean score", "1.8", "2.0666"),
    ("Stable Cascade: variance", "2.72", "3.68779"),
    ("SDXL: variance", "3.69", "2.72224"),
    ("p of that test, DALL-E 3 against SDXL", "3.72E-10", "3.72865E−10"),
    ("Stable Cascade: severity b", "99.15", "89.53495"),
    ("SDXL: severity b", "89.53", "99.15371"),
    ("Stable Cascade: severity c", "136.81", "109.46386"),
    ("SDXL: severity c", "109.46", "136.81413"),
    ("sunbathing: severity c", "179.72", "89.86184"),
    ("sunbathing: severity a", "71.55", "35.77271"),
    ("sunbathing: severity b", "86.67", "43.33436"),
]
FAILING = [
    ("DALL-E 3: variance", "0.72273"),
    (
        "of these two, SDXL has the lower mean but the higher variance",
        "mean: 2.07 ≥ 1.80; variance: 2.72 ≤ 3.69",
    ),
    (
        "prompts of groups have more errors overall and more severe ones, except pizza",
        "sunbathing: 7 of 7; volleyball: 5 of 7 (not salto 91.06 ≤ 101.65, wrestling 91.06 ≤ 94.80); "
        "share of c, sunbathing: 7 of 7; volleyball: 7 of 7",
    ),
    (
        "in every prompt, DALL-E 3 has fewer errors overall and fewer c errors",
        "overall, SDXL: 10 of 10; Stable Cascade: 9 of 10 (not sauna 27.20 ≥ 22.04); c, SDXL: 10 of 10; "
        "Stable Cascade: 9 of 10 (not wrestling 8.51 ≥ 5.99); mean score, SDXL: 10 of 10; Stable Cascade: "
        "8 of 10 (not sauna 0.92 ≥ 0.79, wrestling 1.46 ≥ 1.17)",
    ),
    (
        "except for sunbathing and volleyball, Stable Cascade makes fewer errors overall than SDXL",
        "7 of 8 (not jogging 33.25 ≥ 31.05)",
    ),
    (
        "missing errors come next, with about as many a as c",
        "overall: 2 of 3 (not proportion 150.63 ≤ 158.71); a and c: 57.19 ≈ 55.67",
    ),
    ("score of that image in the data", "1.050000"),
    ("counts of each annotator’s images of each prompt, annotated once", "12"),
    ("the same counts, all annotations", "8"),
]


@pytest.mark.study
def test_what_does_not_follow(checked: list[Checked]) -> None:
    fits = [one for one in checked if one.outcome is Outcome.FITS_ANOTHER]
    assert [(one.line.quantity, one.line.printed, one.computed) for one in fits] == SWAPPED_DOUBLED_OR_CUT
    wrong = [one for one in checked if one.outcome is Outcome.NO]
    assert [(one.line.quantity, one.computed) for one in wrong] == FAILING


@pytest.mark.study
def test_every_other_line_follows_or_says_why_it_cannot_be_tested(checked: list[Checked]) -> None:
    counts = Counter(one.outcome for one in checked)
    assert (counts[Outcome.YES], counts[Outcome.NOT_TESTABLE], counts[Outcome.NOT_PRINTED]) == (74, 13, 1)
    assert len(checked) == 74 + 13 + 1 + len(SWAPPED_DOUBLED_OR_CUT) + len(FAILING)
    assert all(one.explanation for one in checked if one.outcome is Outcome.NOT_TESTABLE)
    # Each value that an explanation names is there.
    assert not [one.line.quantity for one in checked if "–" in one.computed or "{" in one.explanation]
    assert not [one.line.quantity for one in checked if re.search(r"– |–$|–[.,;)]", one.explanation)]
    assert "**74 of 95 numbers and statements follow from the published data.**" in summary(checked)


@pytest.mark.study
def test_figures_have_the_contents_of_the_papers(study_frame: RatingsFrame) -> None:
    results = {"agreement": agreement(study_frame), "comparison": comparison(study_frame)}
    drawn = {figure.slug for kind, result in results.items() for figure in figures(kind, result)}
    ours = [line.figure for line in printed_numbers() if line.figure]
    assert (len(ours), set(ours) - drawn) == (14, set())


@pytest.mark.study
def test_alphas_are_those_of_the_report(study_frame: RatingsFrame) -> None:
    pairs = pair_alphas(study_frame)
    for ours, reported in zip(pairs, agreement(study_frame)["pairs"], strict=True):
        assert ([ours.first, ours.second], ours.images) == (reported["annotators"], reported["images"])
        for kind in ("cumulative_score", "cells"):
            assert ours.alphas[kind] == pytest.approx(reported[kind]["alpha"], abs=1e-12)
    # The pairs' alphas of the authors' figure, to three digits.
    assert [round(pair.alphas["overall_severity"], 3) for pair in pairs] == [
        0.382,
        1.0,
        0.769,
        0.343,
        0.247,
        0.658,
    ]


@pytest.mark.study
def test_five_terms_are_unreadable(skipped: list[SkippedTerm]) -> None:
    assert [term.fraction for term in skipped] == [
        Fraction(1, 5),
        Fraction(1, 3),
        Fraction(1, 5),
        Fraction(1, 2),
        Fraction(1, 3),
    ]


@pytest.mark.study
def test_the_script_reads_the_file_as_we_do(study_frame: RatingsFrame, by_script: pd.DataFrame) -> None:
    keys = ["generator", "prompt", "number", "annotator"]
    ours = study_frame.annotations.astype({"generator": str, "prompt": str, "annotator": str}).set_index(keys)
    theirs = by_script.set_index(["Model", "Prompt", "Pic Num.", "Annotator"])["Total Score"]
    assert len(theirs) == len(ours) == 300
    assert ours["cumulative_score"].to_numpy() == pytest.approx(theirs.loc[ours.index].to_numpy(), abs=1e-12)


@pytest.mark.study
@pytest.mark.thorough
def test_no_reading_of_the_terms_gives_all_printed_numbers(
    study_frame: RatingsFrame, skipped: list[SkippedTerm]
) -> None:
    codes, labels = study_frame.codes("generator"), study_frame.labels("generator")
    assert labels == ["dall-e3", "sdxl", "stablecascade"]
    variances, both = [], 0
    for _, scores in readings(study_frame, skipped):
        a, b, c = (scores[codes == code] for code in range(3))
        variances.append(f"{a.var(ddof=1):.2f}")
        tests = [stats.ttest_ind(a, other, equal_var=False).statistic for other in (b, c)]
        both += variances[-1] == "0.73" and [f"{t:.2f}" for t in tests] == ["-6.72", "-4.67"]
    assert len(variances) == 4**5
    assert (variances.count("0.72"), variances.count("0.73"), both) == (320, 704, 0)


@pytest.mark.study
def test_the_script_compares_faces_only(study_frame: RatingsFrame, by_script: pd.DataFrame) -> None:
    alphas = {(pair.first, pair.second): pair.alphas["faces"] for pair in pair_alphas(study_frame)}
    assert round(sum(alphas.values()) / len(alphas), 4) == 0.4000
    # The script's loop in outline: the last body part of each error type is what is left to append.
    counted: dict[tuple[str, str], list[tuple[bool, bool]]] = {}
    for _, rows in by_script.groupby(["Model", "Prompt", "Pic Num."]):
        if len(rows) < 2:
            continue
        first, second = (row for _, row in rows.sort_values("Annotator").iterrows())
        for k in range(len(ERROR_TYPES)):
            for cell in CELLS[k * len(BODY_PARTS) : (k + 1) * len(BODY_PARTS)]:
                last = (first[cell.heading] > 0, second[cell.heading] > 0)
            counted.setdefault((first["Annotator"], second["Annotator"]), []).append(last)
    for pair, marked in counted.items():
        array = np.array(marked, dtype=float)
        n, ones = array.size, array.sum()
        disagreement = (array[:, 0] != array[:, 1]).sum()
        assert alphas[pair] == pytest.approx(1 - (n - 1) * disagreement / (n * ones - ones**2), abs=1e-12)


@pytest.mark.study
def test_the_scripts_bounds_follow_picture_numbers(
    study_frame: RatingsFrame, by_script: pd.DataFrame
) -> None:
    bounds = table_bounds(study_frame)
    for annotator, rows in by_script.groupby("Annotator"):
        quantiles = rows.quantile(
            [0.25, 0.5, 0.75], method="table", interpolation="nearest", numeric_only=True
        )
        assert bounds[str(annotator)] == pytest.approx(quantiles["Total Score"].loc[[0.5, 0.75]].tolist())
    assert sum(low > medium for low, medium in bounds.values()) == 3
    assert band_counts(study_frame, bounds) == {
        "dall-e3": (80, 6, 14),
        "sdxl": (46, 13, 41),
        "stablecascade": (57, 8, 35),
    }
    assert band_counts(study_frame, score_bounds(study_frame)) == {
        "dall-e3": (75, 17, 8),
        "sdxl": (28, 34, 38),
        "stablecascade": (49, 21, 30),
    }


@pytest.mark.study
def test_the_script_counts_every_term_twice(study_frame: RatingsFrame, study_rows: Rows) -> None:
    sums = {prompt: np.zeros(3) for prompt in study_frame.labels("prompt")}
    for row in study_rows:
        for _listing in ("by body part", "by error type"):
            for cell in CELLS:
                for n, d, severity in _pieces(row[cell.heading]):
                    sums[row["Prompt"]]["abc".index(severity)] += int(n) / int(d)
    for prompt, found in prompt_sums(study_frame).items():
        assert (2 * found).tolist() == pytest.approx(sums[prompt].tolist())


@pytest.mark.study
def test_the_committed_page_is_the_computed_one(
    study_frame: RatingsFrame, skipped: list[SkippedTerm]
) -> None:
    committed = Path(__file__).resolve().parents[4] / "docs" / "reference" / "reproduction.md"
    assert committed.read_text(encoding="utf-8") == reproduction(study_frame, skipped)


def test_a_project_that_is_not_the_study_still_makes_a_page() -> None:
    page = reproduction(framed(rated(1, "ada", {"missing.face": "1/2c"}), rated(1, "bo", {})))
    assert "| Abstract, 2.3, 3.2 | images | 240 | 1 | **no** |  |" in page
    assert "| 3.3, Figure 3E | DALL-E 3: mean score | 0.82 | – | **no** |" in page
    assert "nan" not in page
    assert page.endswith("|\n")


@pytest.mark.parametrize(
    ("printed", "value", "same"),
    [
        ("0.82", 0.8151, True),
        ("0.82", 0.8149, False),
        ("240", 240, True),
        ("-6.72", -6.7165, True),
        ("3.73E-10", 3.7287e-10, True),
        ("3.72E-10", 3.7287e-10, False),
        ("0.2, 0.5, 1", "0.2, 0.5, 1", True),
        ("0.82", None, False),
    ],
)
def test_a_value_agrees_at_the_printed_precision(printed: str, value: float | str | None, same: bool) -> None:
    assert agrees(printed, value) is same


def test_lines_are_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = [
        ("1.2", "=mean", "", "Of {n:.0f}, {none:.1f}."),
        ("1.2", "=other", "mean", ""),
        ("2.5", "=mean", "2 mean", ""),
        ("1.2", "=cut", "cut", ""),
        ("1.3", "=mean", "other", ""),
        ("", "=mean", "", ""),
        ("", "", "", "Why."),
        ("", "low: mean < other; all: x.{prompt} > mean", "", ""),
        ("", "x.{prompt -b} > mean", "", ""),
        ("", "mean ~ other; none > 1; mean", "", ""),
        ("", "#drawn", "", ""),
    ]
    monkeypatch.setattr(
        "analysis.stats.reproduction.checks.printed_numbers",
        lambda: [Printed("p", "w", "q", *line) for line in lines],
    )
    found = {"mean": 1.24, "other": 2.0, "cut": 1.29, "n": 3.0, "x.a": 5.0, "x.b": -1.0}
    done = check_all(found, {"prompt": ("a", "b")})
    assert [(one.outcome.name, one.computed) for one in done] == [
        ("YES", "1.2400"),
        ("FITS_ANOTHER", "2.0000"),
        ("FITS_ANOTHER", "1.2400"),
        ("FITS_ANOTHER", "1.2900"),
        ("NO", "1.2400"),
        ("NOT_PRINTED", "1.24000"),
        ("NOT_TESTABLE", ""),
        ("NO", "low: 1.24 < 2; all: 1 of 2 (not b −1 ≤ 1.24)"),
        ("YES", "1 of 1"),
        ("NO", "1.24 ≁ 2; –; 1.24"),
    ]
    assert done[0].explanation == "Of 3, –."


def test_unreadable_terms() -> None:
    assert skipped_term(1, "ada", "1c/5c") == SkippedTerm(1, "ada", Fraction(1, 5))
    assert skipped_term(1, "ada", " 2/4 ") == SkippedTerm(1, "ada", Fraction(1, 2))
    assert skipped_term(1, "ada", "1/0") is None
    assert skipped_term(1, "ada", "1/28b,") is None


def test_readings_of_a_term() -> None:
    frame = framed(rated(1, "ada", {"missing.face": "1/2c"}), rated(2, "ada", {}))
    found = [scores.tolist() for _, scores in readings(frame, [SkippedTerm(2, "ada", Fraction(1, 5))])]
    assert found == [[0.5, 0.0], [0.5, pytest.approx(0.04)], [0.5, 0.1], [0.5, 0.2]]
    with pytest.raises(ValueError, match="no annotation of image 2 by bo"):
        next(readings(frame, [SkippedTerm(2, "bo", Fraction(1, 5))]))
    with pytest.raises(ValueError, match="7 terms have too many readings"):
        next(readings(frame, [SkippedTerm(2, "ada", Fraction(1, 5))] * 7))


def test_bars_in_a_table_are_escaped() -> None:
    assert markdown_table(["a", "b"], [["x|y", "z"]]) == "| a | b |\n| --- | --- |\n| x\\|y | z |\n"
