"""References in a bundle: every version comes back with its rationales and its author."""

from __future__ import annotations

import csv
import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest

from analysis.bundles.restoring.restoring import restore
from analysis.pseudonyms import pseudonyms
from annotator.models import Assignment, Project, Reference
from annotator.training.references import add_reference, retire_reference
from annotator.training.training_batches import release_training
from tests.analysis.bundles.making import bundle_of, files_of, kept_bundle, make_picture, with_changed
from tests.analysis.bundles.test_bad_input import refusal, with_row
from tests.annotator.training.making import submit
from tests.factories import LEAD, REFERENCE, make_batch, make_member, make_payload, make_project

pytestmark = pytest.mark.django_db

ROWS = "restore/references.jsonl"
MARKED = {"cells": ["missing.hands"], "unsure": [], "no_errors": False, "flag": None, "note": ""}


def make_taught() -> Project:
    """Two versions by a lead, one of a command and retired, one of presence; a training batch begun."""
    project = make_project("taught", name="Taught")
    lead, ada = make_member(project, LEAD, code="the-lead"), make_member(project, code="ada")
    first, second = make_picture(project), make_picture(project)
    actor = lead.user
    assert actor is not None
    origins = Reference.Origin
    why = {"missing.face": " The mouth is missing – “twice”. "}
    made: dict[str, Any] = {"image": first, "protocol": "anatomy", "actor": actor}
    add_reference(payload=make_payload(REFERENCE[:2]), origin=origins.IMPORTED, **made)
    add_reference(payload=make_payload(REFERENCE), origin=origins.ADJUDICATED, rationales=why, **made)
    empty: dict[str, Any] = {
        "image": second,
        "protocol": "anatomy",
        "payload": make_payload([]),
        "actor": None,
    }
    retire_reference(reference=add_reference(origin=origins.PLANTED, **empty), actor=actor)
    add_reference(image=second, protocol="presence", payload=MARKED, origin=origins.NORMED, actor=actor)
    [known] = Reference.objects.filter(protocol="anatomy", status="active").values_list("pk", flat=True)
    release_training(
        project=project, name="T", protocol="anatomy", references=[known], people=[ada], actor=actor
    )
    submit(Assignment.objects.get(batch__project=project), REFERENCE[:1])
    make_batch(project, name="presence", protocol="presence")
    return project


def table(path: Path) -> list[dict[str, str]]:
    text = dict(files_of(path))["data/references.csv"].decode()
    return list(csv.DictReader(StringIO(text, newline="")))


def facts(project: Project) -> list[tuple[Any, ...]]:
    held = Reference.objects.filter(image__project=project).order_by("pk")
    columns = ("image__sha256", "protocol", "version", "status", "origin", "made_by__code", "made_at")
    return list(held.values_list(*columns, "payload", "ratings", "rationales"))


@pytest.mark.thorough
def test_every_marked_cell_of_every_version_is_a_row(tmp_path: Path) -> None:
    project = make_taught()
    bundle_of(project, tmp_path / "one.zip", reports=False)
    rows = table(tmp_path / "one.zip")
    said = [(row["reference"], row["version"], row["state"], row["component"], row["value"]) for row in rows]
    assert said == [
        ("1", "1", "retired", "missing.limbs", "1/4c"),
        ("1", "1", "retired", "missing.hands", "1/3b"),
        ("2", "2", "active", "missing.limbs", "1/4c"),
        ("2", "2", "active", "missing.hands", "1/3b"),
        ("2", "2", "active", "missing.face", "2/2a"),
        ("2", "2", "active", "configuration.hands", "1/3b,1/3c"),
        ("3", "1", "retired", "", ""),
        ("4", "1", "active", "missing.hands", "error"),
    ]
    assert [row["rationale"] for row in rows if row["rationale"]] == ["The mouth is missing – “twice”."]
    assert [row["made_by"] for row in rows] == ["the-lead"] * 6 + ["", "the-lead"]
    assert [row["origin"] for row in rows][::2] == ["imported", "adjudicated", "adjudicated", "planted"]
    assert {row["sha256"] for row in rows} == set(project.images.values_list("sha256", flat=True))
    files = dict(files_of(tmp_path / "one.zip"))
    assert b"references,rationale,string" in files["data/dictionary.csv"]
    assert b"\n  references " in files["README.txt"]
    assert json.loads(files["project.json"])["counts"]["references"] == 4


@pytest.mark.thorough
def test_they_come_back_byte_for_byte(tmp_path: Path) -> None:
    project = make_taught()
    one = bundle_of(project, tmp_path / "one.zip", reports=False)
    back = make_project("back", name="Taught")
    restore(tmp_path / "one.zip", back, actor=None, watch=lambda *_: None)
    assert facts(back) == facts(project)
    assert facts(back)[1][-1] == {"missing.face": "The mouth is missing – “twice”."}
    assert bundle_of(back, tmp_path / "two.zip", reports=False) == one
    [row] = Assignment.objects.filter(batch__project=back)
    assert (row.purpose, row.annotator.code) == ("training", "ada")


def test_with_pseudonyms_nobody_is_named(tmp_path: Path) -> None:
    project = make_taught()
    bundle_of(project, tmp_path / "one.zip", reports=False, hidden=True)
    files = dict(files_of(tmp_path / "one.zip"))
    assert [name for name, body in files.items() if b"the-lead" in body] == []
    assert {row["made_by"] for row in table(tmp_path / "one.zip")} == {pseudonyms(project)["the-lead"], ""}
    assert b"data/references.csv" in files["README.txt"]


def test_a_project_without_references_says_nothing_of_them(tmp_path: Path) -> None:
    project = make_project("plain", name="Plain")
    make_batch(project)
    make_picture(project)
    bundle_of(project, tmp_path / "one.zip", reports=False)
    files = dict(files_of(tmp_path / "one.zip"))
    assert [name for name in files if "references" in name] == []
    assert b"references" not in files["project.json"] + files["README.txt"]


@pytest.fixture
def bundle(tmp_path: Path) -> Path:
    """A bundle with references; its project is gone."""
    return kept_bundle(make_taught, tmp_path / "taught.zip")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"image": 3}, "“image” is 3; expected a whole number from 1 to 2"),
        ({"made_by": 3}, "“made_by” is 3; expected a whole number from 1 to 2"),
        ({"version": 0}, "“version” is 0"),
        ({"version": 1}, "the row is a duplicate or contradicts itself"),
        ({"status": "draft"}, "expected active or retired"),
        ({"origin": "guessed"}, "expected adjudicated or imported or planted or normed"),
        ({"payload": {"marks": 3}}, "the reference is invalid"),
        ({"ratings": []}, "the ratings do not match the marks"),
        ({"rationales": {"extra.tail": "Why?"}}, "“extra.tail”: expected a text for a cell"),
        ({"rationales": {"missing.face": ""}}, "a text is empty"),
        ({"rationales": {"missing.face": 7}}, "“missing.face”: expected a text"),
        ({"rationales": {"missing.face": "x" * 401}}, "the rationale has 401 characters; the limit is 400"),
        ({"rationales": {"missing.face": "a "}}, "begins or ends with spaces"),
        ({"made_at": "today"}, "expected a time such as"),
    ],
)
@pytest.mark.few(1)
def test_a_row_that_cannot_be_is_named(bundle: Path, change: dict[str, Any], said: str) -> None:
    refused = refusal(with_row(bundle, ROWS, 2, lambda row: row.update(change)))
    assert refused.startswith(f"{ROWS}, line 2: ")
    assert said in refused
    assert not Reference.objects.exists()


def test_an_image_has_one_reference_in_use(bundle: Path) -> None:
    changed = with_row(bundle, ROWS, 1, lambda row: row.update({"status": "active"}))
    assert f"{ROWS}, line 2: the row is a duplicate" in refusal(changed)


def test_rows_too_few_are_counted(bundle: Path) -> None:
    lines = dict(files_of(bundle))[ROWS].splitlines(keepends=True)
    changed = with_changed(bundle, bundle.with_name("changed.zip"), {ROWS: b"".join(lines[:3])})
    assert "restore/references.jsonl has 3 rows; project.json says 4." in refusal(changed)
