"""The printed numbers of the published paper, recomputed, and the page that compares them."""

from __future__ import annotations

import re
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from django.core.management import CommandError, call_command

from analysis.figures.generic import figures
from analysis.management.commands.reproduce import PROMPTS, Value
from analysis.stats.frames import RatingsFrame
from analysis.stats.generic.tables import Json, rows_of
from annotator.exchange.formats.names import normal_form
from annotator.exchange.formats.published import PROMPT_GROUPS
from scoring.grid.taxonomy import CELLS

PAGE = Path(__file__).resolve().parents[3] / "docs" / "reference" / "reproduction.md"
Tables = tuple[pd.DataFrame, pd.DataFrame]


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


def test_prompts_have_the_groups_of_the_import() -> None:
    groups = {normal_form(str(prompt)): group for prompt, group in PROMPTS["prompt_group"].items()}
    assert groups == dict(PROMPT_GROUPS)


def test_figures_have_the_contents_of_the_papers(study_agreement: Json, study_comparison: Json) -> None:
    drawn = {figure.slug for result in (study_agreement, study_comparison) for figure in figures(result)}
    listed = {table["name"] for table in study_comparison["tables"]}
    rows = re.findall(
        r"^\| Figure \S+ \| .* \| (table )?`(\S+)` \|", PAGE.read_text(encoding="utf-8"), re.MULTILINE
    )
    ours = {kind: [name for found, name in rows if found == kind] for kind in ("", "table ")}
    assert (len(ours[""]), set(ours[""]) - drawn) == (6, set())
    assert (len(ours["table "]), set(ours["table "]) - listed) == (3, set())


def test_the_product_reads_and_compares_as_this_second_implementation(
    study_frame: RatingsFrame, study_agreement: Json, study_tables: Tables, reproduced: dict[str, Value]
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
    pairs = [row for row in rows_of(study_agreement, "pairs") if row["variable"] in kinds]
    assert len(pairs) == 6 * 3
    for pair in pairs:
        name = ".".join(pair["annotators"])
        assert reproduced[f"shared.{name}"] == pair["images"]
        expected = pytest.approx(pair["agreement"]["value"], abs=1e-9)
        assert reproduced[f"{kinds[pair['variable']]}.{name}"] == expected


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
