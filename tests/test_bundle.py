"""The committed bundles match their sources."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from analysis.figures.bundle import BUNDLE, bundle

ROOT = Path(__file__).resolve().parent.parent
ESBUILD = ROOT / "node_modules/esbuild/bin/esbuild"


def test_the_committed_bundles_are_current(tmp_path: Path) -> None:
    if not ESBUILD.is_file():
        pytest.skip("esbuild is not installed: npm ci --ignore-scripts")
    outcome = subprocess.run(
        ["npm", "run", "--silent", "build", "--", f"--outdir={tmp_path}"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert outcome.returncode == 0, outcome.stderr
    committed = {path.name: path.read_text(encoding="utf-8") for path in BUNDLE.parent.glob("*.js")}
    del committed[BUNDLE.name]
    assert {path.name: path.read_text(encoding="utf-8") for path in tmp_path.iterdir()} == committed


@pytest.mark.thorough  # changes only with the libraries
@pytest.mark.slow  # reads their scripts
def test_pages_draw_figures_with_what_draws_the_files() -> None:
    assert BUNDLE.read_text(encoding="utf-8") == bundle()
