"""Invariants of the repository as a whole."""

from __future__ import annotations

import re
import subprocess
from importlib.metadata import metadata
from pathlib import Path

import pytest
from django.core.management import call_command

ROOT = Path(__file__).resolve().parent.parent
LOCKS = ["requirements.lock", "requirements-dev.lock"]


@pytest.mark.parametrize("name", LOCKS)
def test_locks_pin_with_hashes_and_name_no_host(name: str) -> None:
    text = (ROOT / name).read_text()
    assert "://" not in text
    requirements = re.split(r"\n(?=[a-z])", text.strip())
    assert len(requirements) > 20
    assert [item for item in requirements if "==" not in item or "--hash=sha256:" not in item] == []


def test_the_development_lock_agrees_with_the_runtime_lock() -> None:
    runtime, development = (
        set(re.findall(r"^[a-z][^ ]*==[^ ]+", (ROOT / name).read_text(), re.M)) for name in LOCKS
    )
    assert runtime <= development


# https://www.gnu.org/licenses/license-list.html: what may be combined with the GPL, version 3.
COMPATIBLE = re.compile(r"\b(0?BSD|MIT|Apache|MPL|Mozilla|PSF|LGPL|GPL-3\.0|GPLv3|Zlib|CC0)\b", re.I)


def test_every_library_we_hand_on_has_a_licence_that_allows_it() -> None:
    names = re.findall(r"^([a-z][^ =]*)==\S+ \\$", (ROOT / LOCKS[0]).read_text(), re.M)
    assert len(names) > 50
    foreign = []
    for name in names:
        about = metadata(name)
        fields = ("License-Expression", "License", "Classifier")
        said = " ".join(value for field in fields for value in about.get_all(field) or [])
        if not COMPATIBLE.search(said):
            foreign.append((name, said[:80]))
    assert foreign == []


def test_no_migration_is_missing(db: None) -> None:
    call_command("makemigrations", "--check", "--dry-run", verbosity=0)


def test_committed_text_names_no_registry_and_no_place_on_a_machine() -> None:
    hosts = re.compile(
        # A folder of the repository may be called like one of a machine: `annotator/work`.
        rb"files\.pythonhosted\.org|pypi\.org/simple|registry\.npmjs\.org|(?<!\w)/(?:root|home|work)/[a-z]"
    )
    files = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True).stdout.split(
        b"\0"
    )
    assert len(files) > 10
    allowed = {b"tests/test_repository.py", b"Dockerfile"}
    found = [
        name.decode()
        for name in files
        if name and name not in allowed and hosts.search((ROOT / name.decode()).read_bytes())
    ]
    assert found == []


def test_the_typeface_is_small_licensed_and_the_only_font() -> None:
    folder = ROOT / "static" / "fonts"
    fonts = {"inter-latin.woff2": 18_000, "inter-more.woff2": 26_000}
    assert {path.name for path in folder.iterdir()} == {*fonts, "OFL.txt", "README.md"}
    assert [name for name, most in fonts.items() if (folder / name).stat().st_size > most] == []
    assert "SIL OPEN FONT LICENSE Version 1.1" in (folder / "OFL.txt").read_text(encoding="utf-8")
    styles = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "static" / "css").rglob("*.css"))
    assert re.findall(r"url\(\"?([^)\"]+)", styles) == [
        "../fonts/inter-more.woff2",
        "../fonts/inter-latin.woff2",
    ]
