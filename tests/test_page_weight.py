"""What click to count and suggestions add to the annotation pages that have them: at most 10 KB, unpacked."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings

ROOT = Path(settings.BASE_DIR)
ESBUILD = ROOT / "node_modules/.bin/esbuild"
OWN = re.compile(r"/(dot|suggest)[a-z_-]*\.\w+$")
"""The modules and sheets that are of nothing else."""
NAMED = re.compile(r"\bdots?\b|Dots?\b|dots?[A-Z]|suggest|Suggest|[Cc]ounting")
MOST_BYTES = 10 * 1024


def bundled(entry: Path, folder: Path) -> dict[str, Any]:
    """Return what each source weighs in a built file."""
    told = folder / f"{entry.name}.json"
    how = ["--bundle", "--minify", "--format=esm", "--charset=utf8", "--log-level=error"]
    outputs = [f"--outfile={folder / entry.name}", f"--metafile={told}"]
    subprocess.run([ESBUILD, entry, *how, *outputs], cwd=ROOT, check=True)
    (output,) = json.loads(told.read_bytes())["outputs"].values()
    return {name: source["bytesInOutput"] for name, source in output["inputs"].items()}


@pytest.mark.parametrize("page", ["anatomy", "defect_marks"])
def test_dots_and_suggestions_add_at_most_10_kb(page: str, tmp_path: Path) -> None:
    """Modules of their own count whole; of others the lines that name them, as the module is minified."""
    if not ESBUILD.is_file():
        pytest.skip("esbuild is not installed: npm ci --ignore-scripts")
    (script,) = (ROOT / "static/js").glob(f"{page}.?s")
    weights = bundled(script, tmp_path) | bundled(ROOT / f"static/css/entries/{page}.css", tmp_path)
    own = {name for name in weights if OWN.search(name)}
    assert len(own) >= (4 if page == "anatomy" else 1)
    added = float(sum(weights[name] for name in own))
    for name in weights.keys() - own:
        text = (ROOT / name).read_text(encoding="utf-8")
        lines = [line for line in text.splitlines() if NAMED.search(line)]
        added += weights[name] * sum(map(len, lines)) / len(text)
    assert MOST_BYTES / 10 < added <= MOST_BYTES
