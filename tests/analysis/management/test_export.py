"""`manage.py export`."""

from __future__ import annotations

import subprocess
import sys
from io import StringIO
from pathlib import Path

import pytest
from django.conf import settings
from django.core.management import CommandError, call_command

from annotator.models import Event, Project
from tests.analysis.processes import child_environment

pytestmark = pytest.mark.django_db


def export(slug: str, layout: str, output: Path | str) -> str:
    out = StringIO()
    call_command("export", "--project", slug, "--layout", layout, "--output", str(output), stdout=out)
    return out.getvalue()


@pytest.mark.parametrize(("layout", "rows"), [("sheet", 7), ("scores", 7), ("marks", 7)])
def test_the_file_is_written_and_counted(project: Project, tmp_path: Path, layout: str, rows: int) -> None:
    path = tmp_path / "out.csv"
    assert export("study", layout, path) == f"{rows} rows written to {path}\n"
    lines = path.read_bytes().decode().rstrip("\r\n").split("\r\n")
    assert len(lines) == rows + 1
    assert list(tmp_path.iterdir()) == [path]


def test_a_missing_folder_is_named(project: Project, tmp_path: Path) -> None:
    with pytest.raises(CommandError, match=r"nowhere does not exist\. Create it first\.$"):
        export("study", "sheet", tmp_path / "nowhere" / "out.csv")
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_cannot_be_written_is_named(project: Project, tmp_path: Path) -> None:
    with pytest.raises(CommandError, match=r"cannot be written: File name too long\.$"):
        export("study", "sheet", tmp_path / ("x" * 300))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow  # a command as a process
@pytest.mark.django_db(transaction=True)
def test_standard_output_holds_the_file_and_nothing_else(project: Project, tmp_path: Path) -> None:
    path = tmp_path / "out.csv"
    export("study", "scores", path)
    out, errors = manage("export", "--project", "study", "--layout", "scores", "--output", "-").communicate(
        timeout=60
    )
    assert out == path.read_bytes()
    assert errors == b"7 rows\n"


def manage(*arguments: str) -> subprocess.Popen[bytes]:
    """`manage.py` at work on the test database."""
    return subprocess.Popen(
        [sys.executable, "manage.py", *arguments],
        cwd=settings.BASE_DIR,
        env=child_environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


def test_formats_and_filters(project: Project, tmp_path: Path) -> None:
    path = tmp_path / "out.csv"
    wanted = ["--project", "study", "--layout", "scores", "--output", str(path), "--format", "csv"]
    only = ["--annotator", "anno1", "--generator", "alpha", "--batch", "pilot", "--from", "2026-03-01"]
    out = StringIO()
    call_command("export", *wanted, *only, "--pseudonyms", stdout=out)
    assert out.getvalue() == f"2 rows written to {path}\n"
    assert "anno1" not in path.read_text()
    event = Event.objects.get(verb="exported")
    assert (event.actor, event.data["rows"], event.data["filters"]["since"]) == (None, 2, "2026-03-01")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--generator", "gamma"], r"^study has no image with the generator 'gamma'\.$"),
        (["--annotator", "nobody"], r"^study has no member with the code 'nobody'\.$"),
        (["--from", "yesterday"], r"invalid day value: 'yesterday'"),
    ],
)
def test_a_filter_that_does_not_fit_is_named(
    project: Project, tmp_path: Path, options: list[str], message: str
) -> None:
    with pytest.raises(CommandError, match=message):
        call_command(
            "export", "--project", "study", "--layout", "sheet", "--output", str(tmp_path / "o"), *options
        )
