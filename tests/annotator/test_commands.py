"""Commands: a plan as it is printed and stored, annotations and references from a file."""

from __future__ import annotations

import csv
import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from annotator.models import Annotation, Assignment, Batch, Event, Membership, Project, Reference
from tests.annotator.exchange.conftest import sheet_row, sheet_text
from tests.annotator.planned import make_study
from tests.factories import make_image, make_project

pytestmark = pytest.mark.django_db


@pytest.fixture
def project() -> Project:
    return make_study("pilot")


def printed_by(command: str, *arguments: str) -> str:
    out = StringIO()
    call_command(command, *arguments, stdout=out, stderr=StringIO())
    return out.getvalue()


def assign(*arguments: str) -> str:
    return printed_by("assign", "--project", "pilot", "--annotators", "A,B,C,D", *arguments)


def as_json(*arguments: str) -> dict[str, Any]:
    printed: dict[str, Any] = json.loads(assign("--json", *arguments))
    return printed


def test_what_is_printed_is_what_is_stored(project: Project) -> None:
    printed = as_json("--seed", "7", "--name", "Main")
    batch = Batch.objects.get()
    assert printed["batch"] == {"id": batch.pk, "name": "Main"}
    stored = Assignment.objects.filter(batch=batch).order_by("annotator__code", "position")
    columns = ("image__source_name", "image__sha256", "image__generator", "image__prompt")
    assert [
        tuple(row[key] for key in ("image", "sha256", "generator", "prompt", "annotator", "position"))
        for row in printed["assignments"]
    ] == list(stored.values_list(*columns, "annotator__code", "position"))
    facts = {"seed", "algorithm", "batch", "balance", "unscored", "left_out"}
    assert set(printed) == {*facts, "assignments"}
    assert set(json.loads(assign("--dry-run"))) == facts
    assert (printed["seed"], batch.seed) == (7, 7)


def test_a_dry_run_shows_the_same_and_stores_nothing(project: Project) -> None:
    shown = as_json("--seed", "7", "--dry-run")
    assert (Batch.objects.count(), Assignment.objects.count(), Event.objects.count()) == (0, 0, 0)
    assert shown["batch"] is None
    assert shown == {**as_json("--seed", "7"), "batch": None}


def run(path: Path, *options: str) -> str:
    return printed_by("import_answers", str(path), "--project", "study", *options)


@pytest.fixture
def study() -> Project:
    project = make_project("study")
    for number in (1, 2, 3):
        make_image(project, generator="sdxl", prompt="hug", number=number)
    return project


def test_lint_lists_everything_and_stores_nothing(study: Project, tmp_path: Path) -> None:
    path = tmp_path / "answers.csv"
    slips = {"missing.limbs": "14c", "extra.hands": "1/5,1/5b"}
    others = [sheet_row(name, "anno1") for name in ("sdxl_hug_02", "sdxl_hug_09")]
    path.write_text(sheet_text([sheet_row("sdxl_hug_01", "anno1", slips), *others]))
    found = json.loads(run(path, "--lint-only"))
    assert (found["rows"]["usable"], found["new_annotators"]) == (2, ["anno1"])
    assert [(each["row"], each["column"], each["text"]) for each in found["rows"]["refused"]] == [
        (4, "Pic Num.", "9")
    ]
    assert [(each["row"], each["text"]) for each in found["findings"]] == [(2, "14c"), (2, "1/5")]
    assert not Annotation.objects.exists()
    assert not Membership.objects.filter(code="anno1").exists()


def refer(path: Path, *options: str) -> str:
    return run(path, *(() if "--as" in options else ("--as", "imported")), *options)


def counts(path: Path, *options: str) -> list[int]:
    """How many references were added, got other rationales and were there, as the command prints."""
    return list(json.loads(refer(path, *options))["references"].values())


def written(tmp_path: Path, *rows: dict[str, str]) -> Path:
    path = tmp_path / "truth.csv"
    columns = list(dict.fromkeys(heading for row in rows for heading in row))
    with path.open("w", newline="") as target:
        writer = csv.DictWriter(target, columns, restval="")
        writer.writeheader()
        writer.writerows(rows)
    return path


def truth(
    number: int, cells: dict[str, str] | None = None, annotator: str = "truth", **why: str
) -> dict[str, str]:
    """A row, with rationales by heading."""
    return sheet_row(f"sdxl_hug_0{number}", annotator, cells) | why


NO_TOTAL = "no total: expected affected/total and a severity, such as 1/4b"
MARKED = {"missing.hands": "1/4c,1/4a", "extra.face": "1/1b"}
WHY = {"Rationale missing.hands": "One hand ends early.", "RATIONALE: Proportion · Face": "It fits the body."}


def test_each_row_becomes_the_reference_of_its_image(study: Project, tmp_path: Path) -> None:
    path = written(tmp_path, truth(1, MARKED, **WHY), truth(2))
    assert counts(path, "--as", "planted") == [2, 0, 0]
    first, second = Reference.objects.order_by("image__number")
    assert [(mark["type"], mark["part"], mark["severity"]) for mark in first.payload["marks"]] == [
        ("missing", "hands", "a"),
        ("missing", "hands", "c"),
        ("extra", "face", "b"),
    ]
    assert first.ratings[0] == ["cumulative_score", "", "4/5"]
    assert first.rationales == {
        "missing.hands": "One hand ends early.",
        "proportion.face": "It fits the body.",
    }
    assert (second.payload["no_errors"], second.rationales) == (True, {})
    assert {(one.origin, one.made_by, one.version) for one in (first, second)} == {("planted", None, 1)}
    # Nothing counts as work, and nobody joins.
    assert not Annotation.objects.exists()
    assert not Membership.objects.exists()
    assert Event.objects.filter(verb="reference_added").count() == 2


def test_a_second_import_adds_only_what_has_changed(study: Project, tmp_path: Path) -> None:
    refer(written(tmp_path, truth(1, MARKED, **WHY), truth(2)))
    assert counts(written(tmp_path, truth(1, MARKED, **WHY), truth(2))) == [0, 0, 2]
    other = {**WHY, "Rationale missing.hands": "Look at the wrist."}
    changed = written(tmp_path, truth(1, MARKED, **other), truth(2, {"missing.face": "1/1a"}))
    assert counts(changed) == [1, 1, 0]
    kept = Reference.objects.filter(status="active").order_by("image__number")
    assert [(one.version, one.origin) for one in kept] == [(1, "imported"), (2, "imported")]
    assert kept[0].rationales["missing.hands"] == "Look at the wrist."
    # A file without the column takes no rationale away.
    assert counts(written(tmp_path, truth(1, MARKED), truth(2, {"missing.face": "1/1a"})))[2] == 2
    assert Reference.objects.get(pk=kept[0].pk).rationales["missing.hands"] == "Look at the wrist."


def test_every_refused_row_is_named_and_the_others_are_stored(study: Project, tmp_path: Path) -> None:
    path = written(
        tmp_path,
        truth(1, {"missing.hands": "14c"}),
        truth(2, {"missing.hands": "1/4c"}),
        truth(2, {"missing.hands": "1/4b"}, "other"),
        truth(3, {"missing.hands": "1/4c"}, **{"Rationale missing.hands": "x" * 401}),
        truth(9),
    )
    with pytest.raises(CommandError, match="Nothing was imported"):
        refer(path)
    found = json.loads(refer(path, "--lint-only"))
    assert found["rows"]["usable"] == 0
    assert [(note["row"], note["reason"]) for note in found["rows"]["refused"]] == [
        (2, f"{NO_TOTAL}; every term of a reference must be readable"),
        (3, "the file has different values for this image (rows 3, 4): keep one of them"),
        (4, "the file has different values for this image (rows 3, 4): keep one of them"),
        (5, "Missing · Hands: the rationale has 401 characters; the limit is 400."),
        (6, "there is no image 9 of “sdxl”, “hug”"),
    ]
    # Equal marks with other rationales differ, too.
    doubled = (truth(1, MARKED, **{"Rationale missing.hands": why}) for why in ("Look.", "See."))
    found = json.loads(refer(written(tmp_path, *doubled), "--lint-only"))
    assert [note["row"] for note in found["rows"]["refused"]] == [2, 3]
    assert not Reference.objects.exists()
