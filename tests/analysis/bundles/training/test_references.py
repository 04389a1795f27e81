"""References in a bundle: every version with its rationales and its author."""

from __future__ import annotations

import csv
import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest

from analysis.pseudonyms import pseudonyms
from annotator.models import Assignment, Project, Reference
from annotator.training.references import add_reference, retire_reference
from annotator.training.training_batches import release_training
from tests.analysis.bundles.making import bundle_of, files_of, make_picture
from tests.annotator.training.making import submit
from tests.factories import LEAD, REFERENCE, make_batch, make_member, make_payload, make_project

pytestmark = pytest.mark.django_db

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
    assert b"references" not in files["README.txt"]
