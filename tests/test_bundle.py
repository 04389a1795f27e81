"""The committed bundles match their sources."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from analysis.figures.bundle import BUNDLE, bundle

ROOT = Path(__file__).resolve().parent.parent
ESBUILD = ROOT / "node_modules/esbuild/bin/esbuild"


@pytest.mark.parametrize("name", ["label", "presence", "upload"])
def test_the_committed_bundle_is_current(name: str, tmp_path: Path) -> None:
    if not ESBUILD.is_file():
        pytest.skip("esbuild is not installed: npm ci --ignore-scripts")
    outcome = subprocess.run(
        ["npm", "run", "--silent", f"build:{name}", "--", f"--outfile={tmp_path / 'built.js'}"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert outcome.returncode == 0, outcome.stderr
    built = (ROOT / f"static/js/built/{name}.js").read_text(encoding="utf-8")
    assert (tmp_path / "built.js").read_text(encoding="utf-8") == built


@pytest.mark.slow  # reads the libraries' scripts
def test_pages_draw_figures_with_what_draws_the_files() -> None:
    assert BUNDLE.read_text(encoding="utf-8") == bundle()
