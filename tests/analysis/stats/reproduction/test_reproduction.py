"""The page on the published study: what agrees, what does not, and that each explanation is computed."""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from analysis.stats.frames import RatingsFrame
from analysis.stats.reproduction import SkippedTerm, reproduction, skipped_term
from analysis.stats.reproduction.assignment import notebook_counts
from analysis.stats.reproduction.authors import (
    band_counts,
    face_only_alphas,
    prompt_sums,
    score_bounds,
    student_test,
    table_bounds,
)
from analysis.stats.reproduction.claims import CLAIMS, HANDED_DOWN
from analysis.stats.reproduction.computed_values import figures
from analysis.stats.reproduction.markdown import agrees
from analysis.stats.reproduction.skipped import readings
from analysis.stats.reproduction.tables import markdown_table
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


@pytest.mark.study
def test_only_one_end_of_the_variance_does_not_follow(study_frame: RatingsFrame) -> None:
    found = figures(study_frame)
    wrong = [claim for claim in CLAIMS if not agrees(claim, found[claim.figure])]
    assert [(claim.source, claim.figure, claim.printed) for claim in wrong] == [
        (HANDED_DOWN, "variance.dall-e3", "0.73")
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
    alphas = face_only_alphas(study_frame)
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
    for pair, values in counted.items():
        array = np.array(values, dtype=float)
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
def test_the_scripts_prompt_sums_count_every_term_twice(study_frame: RatingsFrame, study_rows: Rows) -> None:
    sums = {prompt: np.zeros(3) for prompt in study_frame.labels("prompt")}
    for row in study_rows:
        for _listing in ("by body part", "by error type"):
            for cell in CELLS:
                for n, d, severity in _pieces(row[cell.heading]):
                    sums[row["Prompt"]]["abc".index(severity)] += int(n) / int(d)
    for prompt, found in prompt_sums(study_frame).items():
        assert found.tolist() == pytest.approx(sums[prompt].tolist())


@pytest.mark.study
def test_the_notebook_describes_another_draw(study_frame: RatingsFrame) -> None:
    assert notebook_counts(study_frame) == (12, 8)


@pytest.mark.study
def test_welch_and_student_share_t_in_groups_of_equal_size(study_frame: RatingsFrame) -> None:
    codes = study_frame.codes("generator")
    t, df, p = student_test(study_frame.scores[codes == 0], study_frame.scores[codes == 1])
    assert (round(t, 4), df, f"{p:.1e}") == (-6.7165, 198.0, "1.9e-10")


@pytest.mark.study
@pytest.mark.thorough
def test_the_page(study_frame: RatingsFrame, skipped: list[SkippedTerm]) -> None:
    page = reproduction(study_frame, skipped)
    assert page.startswith("# The published study, reproduced\n")
    assert "**34 of 35 printed numbers agree.**" in page
    assert "| 0.44 | 0.44 | 0.437563 | yes |" in page
    assert "| −6.72 | −6.72 | −6.716523 | yes |" in page
    assert "| 0.73 | 0.72 | 0.722733 | **no** |" in page
    assert "lower mean than stablecascade in 8 of 10 prompts (not: old couple in sauna, wrestling" in page
    assert "true of 3 of 3" in page
    assert "nan" not in page
    assert page.endswith("|\n")


@pytest.mark.study
def test_the_committed_page_is_the_computed_one(
    study_frame: RatingsFrame, skipped: list[SkippedTerm]
) -> None:
    committed = Path(__file__).resolve().parents[4] / "docs" / "reference" / "reproduction.md"
    assert committed.read_text(encoding="utf-8") == reproduction(study_frame, skipped)


def test_a_project_that_is_not_the_study_still_makes_a_page() -> None:
    page = reproduction(framed(rated(1, "ada", {"missing.face": "1/2c"}), rated(1, "bo", {})))
    assert "Not compared: the notebook has four annotators." in page
    assert "The project has no such generator." in page
    assert "No pair of annotators has an alpha." in page
    assert "nan" not in page


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
