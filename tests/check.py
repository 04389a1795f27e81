"""`make check`: style, types and the tests of the rooms that changed, in under a minute.

The tests of a changed file lie in the deepest folder that mirrors its own. A file has changed if it differs
from the commit at which this branch left `main`. Browser tests and the tests of `make test-all` are left out:
run `make test` before you submit.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from tests.test_architecture import CEILINGS, sizes

ROOT: Final = Path(__file__).resolve().parents[1]
MIRRORED: Final = {"templates": "web", "static": "web"}
"""Folders whose tests lie with the pages of the package they are named after."""
ALWAYS: Final = "tests/test_architecture.py"


def main() -> int:
    """Run the steps, print the sizes; return the first exit status that is not 0."""
    changed = changed_files()
    python = [name for name in changed if name.endswith(".py") and "migrations" not in name]
    commands = [
        ["ruff", "check", "."],
        ["ruff", "format", "--check", "."],
        *([["mypy", *python]] if python else []),
        ["pytest", "-n", "2", "-x", "-m", "not thorough and not browser", *rooms(changed)],
    ]
    # The embedded database: mypy reads the settings too, and those of a server want secrets.
    embedded = {k: v for k, v in os.environ.items() if k not in {"DATABASE_URL", "REDIS_URL"}}
    for command in commands:
        print("──", *command, flush=True)
        done = subprocess.run([sys.executable, "-m", *command], cwd=ROOT, env=embedded, check=False)
        if done.returncode:
            return done.returncode
    print("Sizes:", ", ".join(f"{size:,} of {CEILINGS[name]:,} {name}" for name, size in sizes().items()))
    return 0


def changed_files() -> list[str]:
    """Return the paths of new and changed files, committed or not; deleted ones are left out."""
    base = _git("merge-base", "HEAD", "main") or ["HEAD"]
    names = {*_git("diff", "--name-only", base[0]), *_git("ls-files", "--others", "--exclude-standard")}
    return sorted(name for name in names if (ROOT / name).is_file())


def rooms(changed: Iterable[str]) -> list[str]:
    """Return the test folders of the changed files; those inside another one are left out."""
    found = {folder for name in changed if (folder := _tests_of(Path(name)))}
    return [ALWAYS, *sorted(one for one in found if not any(one.startswith(f"{other}/") for other in found))]


def _tests_of(path: Path) -> str:
    """Return the folder whose tests mirror a file's folder; empty if only the root of all tests does."""
    if not path.parent.parts:
        return ""
    top, *rest = path.parent.parts
    if top in MIRRORED:
        package = next((each for each in rest if each == "analysis"), "annotator")
        parts: tuple[str, ...] = (package, MIRRORED[top])
    else:
        parts = tuple(rest) if top == "tests" else (top, *rest)
    for depth in range(len(parts), 0, -1):
        folder = Path("tests", *parts[:depth])
        if any((ROOT / folder).rglob("test_*.py")):
            return folder.as_posix()
    return path.as_posix() if top == "tests" and path.name.startswith("test_") else ""


def _git(*words: str) -> list[str]:
    done = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=False)
    return done.stdout.split("\n")[:-1] if done.returncode == 0 else []


if __name__ == "__main__":
    sys.exit(main())
