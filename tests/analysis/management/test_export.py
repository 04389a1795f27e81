"""`manage.py export`."""

from __future__ import annotations

import subprocess
import sys
from io import StringIO
from pathlib import Path

import pytest
from django.conf import settings
from django.core.management import CommandError, call_command

from annotator.management.arguments import UnknownProject
from annotator.models import Event, Project
from tests.analysis.processes import child_environment
from tests.factories import make_project

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


def test_an_existing_file_is_replaced(project: Project, tmp_path: Path) -> None:
    path = tmp_path / "out.csv"
    path.write_text("old")
    export("study", "marks", path)
    assert path.read_text().startswith("Image Id,Model,")


def test_a_missing_folder_is_named(project: Project, tmp_path: Path) -> None:
    with pytest.raises(CommandError, match=r"nowhere does not exist\. Create it first\.$"):
        export("study", "sheet", tmp_path / "nowhere" / "out.csv")
    assert list(tmp_path.iterdir()) == []


def test_a_folder_is_no_file(project: Project, tmp_path: Path) -> None:
    with pytest.raises(CommandError, match=r"is a folder\. Name a file in it\.$"):
        export("study", "sheet", tmp_path)


def test_a_file_that_cannot_be_written_is_named(project: Project, tmp_path: Path) -> None:
    with pytest.raises(CommandError, match=r"cannot be written: File name too long\.$"):
        export("study", "sheet", tmp_path / ("x" * 300))
    assert list(tmp_path.iterdir()) == []


def test_weights_that_cannot_be_used_are_named(tmp_path: Path) -> None:
    make_project("odd", weights={"a": "0.2", "b": "0.5"})
    with pytest.raises(CommandError, match=r"^The severity weights of odd cannot be used: .*'c' is missing"):
        export("odd", "scores", tmp_path / "out.csv")
    assert list(tmp_path.iterdir()) == []


def test_an_unknown_project_is_named(tmp_path: Path) -> None:
    make_project("here")
    with pytest.raises(UnknownProject):
        export("nope", "sheet", tmp_path / "out.csv")


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


@pytest.mark.django_db(transaction=True)
@pytest.mark.thorough
def test_a_reader_that_stops_early_is_no_error(project: Project) -> None:
    process = manage("export", "--project", "study", "--layout", "scores", "--output", "-")
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.close()
    errors = process.stderr.read()
    assert (process.wait(timeout=60), errors) == (0, b"")
    process.stderr.close()


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
        (
            ["--drafts"],
            r"^Drafts are available only in the layouts scores, marks, which mark them\.$",
        ),
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


@pytest.mark.thorough
def test_a_process_that_exports_stays_small() -> None:
    """Measured as the benchmark does, at a smaller size: the whole process, SQLite's share included."""
    command = [sys.executable, "-m", "benchmarks.exports", "--annotations", "5000", "--only", "marks.csv"]
    done = subprocess.run(command, cwd=settings.BASE_DIR, capture_output=True, text=True, check=True)
    cells = [cell.strip() for cell in done.stdout.splitlines()[-1].split("|")]
    assert int(cells[1].replace(",", "")) > 20_000
    assert int(cells[5]) < 200
