"""The version of the computing code, which is part of every report's identity."""

from __future__ import annotations

import hashlib
import tomllib
from functools import cache
from importlib.metadata import version
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# The source files that numbers depend on.
SOURCES = (
    "scoring",
    "analysis/stats",
    "analysis/protocols",
    "analysis/data/ratings_table.py",
    "analysis/data/quality.py",
)
LIBRARIES = ("krippendorff", "numpy", "pandas", "scipy")


@cache
def code_version() -> str:
    """Return 16 hexadecimal digits over the computing source files and numeric library versions."""
    digest = hashlib.sha256()
    for path in _files():
        digest.update(path.relative_to(ROOT).as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    for name in LIBRARIES:
        digest.update(f"{name}=={version(name)}\0".encode())
    return digest.hexdigest()[:16]


@cache
def program_version() -> str:
    """Return the version of Anatomark, which pyproject.toml names."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return str(project["version"])


def _files() -> list[Path]:
    places = [ROOT / source for source in SOURCES]
    files = [
        path for place in places for path in (sorted(place.rglob("*.py")) if place.is_dir() else [place])
    ]
    return sorted(files)
