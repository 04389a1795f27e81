"""The printed numbers of the published paper, recomputed, and the page that compares them."""

from __future__ import annotations

import re
from collections import Counter
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from django.core.management import CommandError, call_command

from analysis.figures.generic import figures
from analysis.management.commands.reproduce import (
    FITS,
    HERE,
    NO,
    NOT_PRINTED,
    OVER,
    PROMPTS,
    UNTESTED,
    YES,
    Value,
    agrees,
    checked,
    filled,
    printed_numbers,
    values,
)
from analysis.protocols.anatomy.agreement import anatomy_agreement as agreement
from analysis.protocols.anatomy.comparison import anatomy_comparison as comparison
from analysis.stats.frames import RatingsFrame
from analysis.stats.generic.tables import rows_of
from annotator.exchange.formats.names import normal_form
from annotator.exchange.formats.published import PROMPT_GROUPS
from scoring.grid.taxonomy import CELLS

PAGE = Path(__file__).resolve().parents[3] / "docs" / "reference" / "reproduction.md"
Tables = tuple[pd.DataFrame, pd.DataFrame]


@pytest.fixture(scope="module")
def found(study_tables: Tables) -> dict[str, Value]:
    return values(*study_tables)


def test_it_prints_the_committed_page(study_data: Path) -> None:
    said = StringIO()
    call_command("reproduce", str(study_data), stdout=said)
    assert said.getvalue() == PAGE.read_text(encoding="utf-8")


def test_a_folder_without_the_study_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="No such file or directory"):
        call_command("reproduce", str(tmp_path))
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "annotations.csv").write_text("Model,Prompt\nother,cat\n", encoding="utf-8")
    with pytest.raises(CommandError, match="does not have the prompts of the published study"):
        call_command("reproduce", str(tmp_path))


def test_every_printed_number_is_recomputed_or_says_why_not(found: dict[str, Value]) -> None:
    lines = printed_numbers(found)
    counts = Counter(line["outcome"] for line in lines)
    assert counts == {YES: 74, FITS: 12, NO: 9, UNTESTED: 13, NOT_PRINTED: 1}
    for line in lines:
        assert bool(line["check"]) == bool(line["computed"]), line
        assert line["check"] or line["explanation"], line
        assert "–" not in line["computed"], line
    text = (HERE / "page.md").read_text(encoding="utf-8") + "".join(line["explanation"] for line in lines)
    named = {name.rpartition(" ")[2] for name in re.findall(r"\{([^{}:]+\.[^{}:]+):", text)}
    assert named <= found.keys()


def test_prompts_have_the_groups_of_the_import() -> None:
    groups = {normal_form(str(prompt)): group for prompt, group in PROMPTS["prompt_group"].items()}
    assert groups == dict(PROMPT_GROUPS)


def test_figures_have_the_contents_of_the_papers(study_frame: RatingsFrame) -> None:
    results: dict[str, Any] = {"agreement": agreement(study_frame), "comparison": comparison(study_frame)}
    drawn = {figure.slug for kind, result in results.items() for figure in figures(result)}
    listed = {table["name"] for table in results["comparison"]["tables"]}
    rows = re.findall(
        r"^\| Figure \S+ \| .* \| (table )?`(\S+)` \|", PAGE.read_text(encoding="utf-8"), re.MULTILINE
    )
    ours = {kind: [name for found, name in rows if found == kind] for kind in ("", "table ")}
    assert (len(ours[""]), set(ours[""]) - drawn) == (6, set())
    assert (len(ours["table "]), set(ours["table "]) - listed) == (3, set())


def test_the_product_reads_and_compares_as_this_second_implementation(
    study_frame: RatingsFrame, study_tables: Tables, found: dict[str, Value]
) -> None:
    rows, marks = study_tables
    table = study_frame.annotations.astype({"generator": str, "prompt": str, "number": str, "annotator": str})
    keys = ["generator", "prompt", "number", "annotator"]
    ours = rows.drop(columns="prompt").rename(columns={"text": "prompt"}).set_index(keys)["score"]
    theirs = table.set_index(keys)["cumulative_score"].loc[ours.index]
    assert ours.to_numpy() == pytest.approx(theirs.to_numpy(), abs=1e-9)
    assert (len(rows), len(marks), rows["unread"].sum()) == (300, len(study_frame.marks.row), 5)
    kinds = {
        title: title.lower().replace(" ", "_") for title in ("Cumulative score", "Overall severity", "Cells")
    }
    pairs = [row for row in rows_of(agreement(study_frame), "pairs") if row["variable"] in kinds]
    assert len(pairs) == 6 * 3
    for pair in pairs:
        name = ".".join(pair["annotators"])
        assert found[f"shared.{name}"] == pair["images"]
        expected = pytest.approx(pair["agreement"]["value"], abs=1e-9)
        assert found[f"{kinds[pair['variable']]}.{name}"] == expected


# What the page says in words about the authors' script and the variance of DALL-E 3.


def test_the_scripts_bounds_follow_picture_numbers(study_tables: Tables) -> None:
    rows, marks = study_tables
    cells = marks.groupby(["row", "cell"])["worth"].sum().unstack(fill_value=0)
    table = cells.reindex(rows.index, columns=range(len(CELLS)), fill_value=0.0)
    table.insert(0, "number", rows["number"].astype(int))
    table["score"] = rows["score"]
    page = PAGE.read_text(encoding="utf-8")
    bands: dict[str, Any] = {}
    for name, part in table.groupby(rows["annotator"]):
        of_rows = part.quantile([0.5, 0.75], method="table", interpolation="nearest")["score"].tolist()
        of_scores = part["score"].quantile([0.5, 0.75]).tolist()
        assert f"| {name} | " + " | ".join(f"{bound:.3f}" for bound in of_rows + of_scores) + " |" in page
        for kind, bounds in {"script": of_rows, "scores": of_scores}.items():
            low, medium = (part["score"] <= bound for bound in bounds)
            bands.setdefault(kind, []).append(pd.Series(np.where(low, 0, np.where(medium, 1, 2)), part.index))
    counts = {kind: pd.crosstab(rows["generator"], pd.concat(series)) for kind, series in bands.items()}
    for name in counts["script"].index:
        row = [" / ".join(map(str, counts[kind].loc[name])) for kind in ("script", "scores")]
        assert f"| {name} | {' | '.join(row)} |" in page


@pytest.mark.parametrize(
    ("printed", "value", "same"),
    [
        ("0.82", 0.8151, True),
        ("0.82", 0.8149, False),
        ("240", 240, True),
        ("-6.72", -6.7165, True),
        ("3.73E-10", 3.7287e-10, True),
        ("3.72E-10", 3.7287e-10, False),
        ("1.12E-7", 1.1188e-07, True),
        ("0.2, 0.5, 1", "0.2, 0.5, 1", True),
        ("0.82", None, False),
    ],
)
def test_a_value_agrees_at_the_printed_precision(printed: str, value: Value, same: bool) -> None:
    assert agrees(printed, value) is same


@pytest.mark.parametrize(
    ("printed", "check", "fits", "outcome", "computed"),
    [
        ("1.2", "=mean", "", YES, "1.2400"),
        ("1.2", "=other", "mean", FITS, "2.0000"),
        ("2.5", "=mean", "2 mean", FITS, "1.2400"),
        ("1.2", "=long", "cut", FITS, "1.2900"),
        ("1.3", "=mean", "other", NO, "1.2400"),
        ("1.3", "=unknown", "cut", NO, "–"),
        ("", "=mean", "", NOT_PRINTED, "1.24000"),
        ("", "", "", UNTESTED, ""),
        (
            *("", "low: mean < other; all: mean.{prompt} > mean", ""),
            *(NO, "low: 1.24 < 2; all: 9 of 10 (not baby −1 ≤ 1.24)"),
        ),
        ("", "mean.{prompt -baby} > mean", "", YES, "9 of 9"),
        ("", "mean ~ other; unknown > 1; mean", "", NO, "1.24 ≁ 2; –; 1.24"),
    ],
)
def test_a_line_is_checked(printed: str, check: str, fits: str, outcome: str, computed: str) -> None:
    of_prompts = {f"mean.{name}": 5.0 for name in OVER["prompt"]} | {"mean.baby": -1.0}
    found: dict[str, Value] = {"mean": 1.24, "other": 2, "long": 1.29, **of_prompts}
    line = {"printed": printed, "check": check, "fits": fits, "explanation": "Of {other:.0f}, {none:.1f}."}
    done = checked(line, found)
    assert (done["outcome"], done["computed"]) == (outcome, computed)
    assert done["explanation"] == "Of 2, –."


def test_texts_hold_values() -> None:
    assert filled("{a:.1f}, {2 a:.1f}, {b:s}, {c:.2f}", {"a": -1.5, "b": "x"}) == "−1.5, −3.0, x, –"
