"""The ratings of the drawn figures: complete, of figures that exist, and of enough prompts for ranks."""

from __future__ import annotations

import csv
from collections import Counter, defaultdict
from pathlib import Path
from typing import Final

from PIL import Image

from annotator.demo.projects import DATA
from annotator.protocols.realism.sheet_format import read
from scoring.realism.consolidation import consolidate

RATERS: Final = 5
Row = dict[str, str]


def rows_of(path: Path) -> list[Row]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def figures() -> dict[str, Path]:
    """Return the drawn figures, real ones included, by file name."""
    return {path.name: path for path in DATA.rglob("*.webp")}


def file_of(row: Row) -> str:
    return f"{row['generator']}_{row['prompt'].replace(' ', '_')}_{int(row['number']):02d}.webp"


def votes() -> dict[tuple[str, str, str], list[int | None]]:
    """Return the ratings of each figure by prompt, generator and file; None for an invalid vote."""
    found = defaultdict(list)
    for row in rows_of(DATA / "realism.csv"):
        payload = read({name: row[name] for name in ("rating", "invalid", "note")}).payload
        assert payload is not None
        found[row["prompt"], row["generator"], file_of(row)].append(payload["rating"])
    return found


def test_every_rated_figure_is_drawn_and_has_all_raters() -> None:
    drawn = figures()
    assert {len(ratings) for ratings in votes().values()} == {RATERS}
    assert [file for *_, file in votes() if file not in drawn] == []


def test_ranks_have_at_least_eight_prompts_of_every_generator() -> None:
    scored = Counter(
        (prompt, generator)
        for (prompt, generator, _), ratings in votes().items()
        if consolidate([vote for vote in ratings if vote is not None], ratings.count(None)).score is not None
    )
    prompts = {prompt for prompt, _ in scored}
    generators = {generator for _, generator in scored}
    whole = [prompt for prompt in prompts if all(scored[prompt, each] >= 3 for each in generators)]
    assert (len(generators), len(whole)) == (3, 8)


def test_every_rated_figure_is_detected_and_its_faces_lie_in_it() -> None:
    rated, drawn, faces = {file for *_, file in votes()}, figures(), rows_of(DATA / "faces.csv")
    assert rated <= {row["file"] for row in rows_of(DATA / "detections.csv")} <= set(drawn)
    assert rated <= {row["file"] for row in faces}
    for row in faces:
        with Image.open(drawn[row["file"]]) as image:
            assert 0 <= int(row["x"]) < int(row["x"]) + int(row["w"]) <= image.width
            assert 0 <= int(row["y"]) < int(row["y"]) + int(row["h"]) <= image.height
