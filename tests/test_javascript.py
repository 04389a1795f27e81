"""The pages' scripts: its own tests, its types, and its agreement with the server and the study."""

from __future__ import annotations

import csv
import json
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from analysis.figures.bundle import BUNDLE, bundle
from scoring.anatomy.protocol import clean
from scoring.grid.notation import read_cell
from scoring.grid.scores import cumulative_score
from scoring.grid.taxonomy import CELLS
from scoring.protocol import InvalidPayload

ROOT = Path(__file__).resolve().parent.parent
BUILT = ROOT / "static/js/built"
ESBUILD = ROOT / "node_modules/esbuild/bin/esbuild"
TYPESCRIPT = ROOT / "node_modules/typescript/bin/tsc"
# Of all well-formed terms, entered in the fewest seconds. The keystroke model, which also reads a missing
# severity as "a", has 6563 and 5117.
KEYS, CLICKS = 6521, 5086

pytestmark = pytest.mark.skipif(shutil.which("node") is None, reason="Node.js is not installed")


def node(*arguments: str, text: str | None = None) -> str:
    """Return node's output; its errors fail the test."""
    return _output(["node", *arguments], text)


def npm(name: str, *arguments: str, built: str = "") -> str:
    """Return the output of a script of package.json, whose errors fail the test."""
    if not ESBUILD.is_file() or shutil.which("npm") is None:
        pytest.skip("esbuild is not installed: npm ci --ignore-scripts")
    return _output(
        ["npm", "run", "--silent", name, "--", *arguments], None, {"BUILT": built} if built else {}
    )


def _output(command: list[str], text: str | None, more: dict[str, str] | None = None) -> str:
    done = subprocess.run(
        command,
        cwd=ROOT,
        input=text,
        env=os.environ | (more or {}),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@cache
def replay() -> str:
    """Return tests/js/replay/scripts.js and what it imports as one script without types."""
    return npm("bundle", "tests/js/replay/scripts.js")


def scripts(*arguments: str, text: str | None = None) -> Iterator[dict[str, Any]]:
    """Return the lines that tests/js/replay/scripts.js prints."""
    with tempfile.NamedTemporaryFile("w", suffix=".mjs", encoding="utf-8") as file:
        file.write(replay())
        file.flush()
        return map(json.loads, node(file.name, *arguments, text=text).splitlines())


@pytest.mark.slow
def test_own_tests_pass() -> None:
    assert re.search(r"^# pass [1-9]", npm("test"), re.MULTILINE)


@pytest.mark.slow
def test_types_are_right() -> None:
    if not TYPESCRIPT.is_file():
        pytest.skip("TypeScript is not installed: npm ci --ignore-scripts")
    node(str(TYPESCRIPT))


MOST_BYTES = {
    "anatomy": 104_000,
    "presence": 70_000,
    "rating_form": 60 * 1024,
    "rating_form_given": 67_000,
    "defect_marks": 88_000,
}
"""What a page loads before it works: its script and what that imports at once, dialogs left out."""


@pytest.mark.parametrize("page", MOST_BYTES)
def test_no_page_script_has_grown_past_its_cap(page: str) -> None:
    """A rating form's and realism's is the promise of their issue; the others are where they stand."""
    loaded = (BUILT / f"{page}.js").read_text(encoding="utf-8")
    at_once = set(re.findall(r"""(?:from|import) ?"\./([\w-]+\.js)";""", loaded))
    assert at_once
    assert sum((BUILT / name).stat().st_size for name in {f"{page}.js", *at_once}) <= MOST_BYTES[page]


@pytest.mark.slow
def test_the_built_files_are_those_of_the_sources(tmp_path: Path) -> None:
    shutil.copy(BUILT / "vega.js", tmp_path)
    npm("build", built=str(tmp_path))
    built = {path.name: path.read_bytes() for path in tmp_path.rglob("*.*s")}
    kept = [*BUILT.rglob("*.js"), *(ROOT / "static/css/built").iterdir()]
    assert built == {path.name: path.read_bytes() for path in kept}
    assert {path.stem for path in tmp_path.glob("*.css")} == {*MOST_BYTES, "plain"}


@pytest.mark.slow
def test_the_server_takes_whatever_the_page_makes() -> None:
    """Each intermediate payload is accepted and canonical, with the same warnings, score and readiness."""
    made = 0
    for line in scripts("payloads", "120", "1"):
        made += 1
        payload = line["payload"]
        answer = clean(payload, complete=False)
        assert answer.payload() == payload
        warnings = [{"field": w.field, "code": w.code, "message": w.message} for w in answer.warnings]
        assert warnings == line["warnings"]
        if line["score"] is not None:
            assert str(cumulative_score(answer.marks)) == line["score"]
        assert is_complete(payload) == line["complete"]
    assert made > 2000


def is_complete(payload: object) -> bool:
    """Return whether the server accepts its submission."""
    try:
        clean(payload)
    except InvalidPayload:
        return False
    return True


def published_rows(folder: Path) -> list[dict[str, Any]]:
    """Return the well-formed terms of every published annotation, in published order."""
    with (folder / "data/annotations.csv").open(encoding="utf-8-sig", newline="") as file:
        return [
            {
                "id": row["Image Id"],
                "terms": [
                    {
                        "type": cell.error_type,
                        "part": cell.body_part,
                        "severity": term.severity,
                        "affected": term.affected,
                        "total": term.total,
                    }
                    for cell in CELLS
                    for term in read_cell(row[cell.heading])[0]
                ],
            }
            for row in csv.DictReader(file)
        ]


@pytest.mark.thorough
def test_every_published_annotation_can_be_entered_by_keys_and_by_clicks(study_data: Path) -> None:
    rows = published_rows(study_data)
    replayed = list(scripts("study", text="\n".join(json.dumps(row) for row in rows)))
    assert len(rows) == len(replayed) == 300
    for hand in ("keyboard", "pointer", "both"):
        assert [marks_of(line[hand]) for line in replayed] == [row["terms"] for row in rows]
        assert all(line[hand]["submitted"] for line in replayed)
    assert sum(line["keyboard"]["clicks"] + line["pointer"]["keys"] for line in replayed) == 0
    assert sum(line["keyboard"]["keys"] for line in replayed) == KEYS
    assert sum(line["pointer"]["clicks"] for line in replayed) == CLICKS


def marks_of(replay: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the marks of a replay as published terms."""
    return [
        {name: mark[name] for name in ("type", "part", "severity", "affected", "total")}
        for mark in replay["marks"]
    ]


@pytest.mark.thorough  # changes only with the libraries
@pytest.mark.slow  # reads their scripts
def test_pages_draw_figures_with_what_draws_the_files() -> None:
    assert BUNDLE.read_text(encoding="utf-8") == bundle()
