"""A bundle says what annotators saw, and claims nothing of imported answers that nobody has said."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from zipfile import ZipFile

import pytest

from analysis.bundles.restoring.restoring import restore
from analysis.tables.blinding import answered, seen_sentences
from annotator.batches.assignments import state_seen
from annotator.models import Batch, Project
from tests.analysis.bundles.making import bundle_of, make_picture, with_changed
from tests.analysis.factories import make_submitted
from tests.factories import make_batch, make_member, make_project

pytestmark = pytest.mark.django_db

UNKNOWN = Batch.Seen.UNKNOWN


def mixed() -> Project:
    project = make_project(name="Mixed")
    member = make_member(project, code="A")
    here = make_batch(project, name="here")
    imported = make_batch(project, name="Imported: a.csv", prompt_seen=UNKNOWN, generator_seen=UNKNOWN)
    make_submitted(member, batch=here, image=make_picture(project))
    source = {"file": "a.csv", "row": 2, "image_id": "", "cells": {}, "problems": []}
    make_submitted(member, batch=imported, image=make_picture(project), source=source)
    return project


def plan_of(archive: ZipFile) -> dict[str, tuple[str, str]]:
    rows = csv.DictReader(io.StringIO(archive.read("data/plan.csv").decode()))
    return {row["batch"]: (row["prompt_seen"], row["generator_seen"]) for row in rows}


def test_all_its_files_say_the_same(tmp_path: Path, sent: list[int]) -> None:
    project = mixed()
    said = seen_sentences(answered(project))
    assert said.count(".") == 2
    bundle_of(project, tmp_path / "b.zip", reports=False)
    with ZipFile(tmp_path / "b.zip") as archive:
        assert " ".join(said.split()) in " ".join(archive.read("README.txt").decode().split())
        assert json.loads(archive.read("datapackage.json"))["description"] == said
        assert plan_of(archive) == {"here": ("hidden", "hidden"), "Imported: a.csv": ("unknown", "unknown")}
    state_seen(project.batches.get(name="Imported: a.csv"), {"prompt", "generator"}, None)
    bundle_of(project, tmp_path / "b.zip", reports=False)
    with ZipFile(tmp_path / "b.zip") as archive:
        assert plan_of(archive) == {"here": ("hidden", "hidden"), "Imported: a.csv": ("shown", "shown")}


@pytest.mark.parametrize("says", [True, False])
def test_a_bundle_of_before_claims_nothing_of_imported_answers(
    tmp_path: Path, sent: list[int], says: bool
) -> None:
    project = mixed()
    state_seen(project.batches.get(name="Imported: a.csv"), {"prompt"}, None)
    path = tmp_path / "b.zip"
    bundle_of(project, path, reports=False)
    with ZipFile(path) as archive:
        described = json.loads(archive.read("project.json"))
    if not says:
        for row in described["batches"]:
            del row["prompt_seen"], row["generator_seen"]
        path = with_changed(path, tmp_path / "old.zip", {"project.json": json.dumps(described).encode()})
    target = make_project("target")
    restore(path, target, actor=None, watch=lambda *_: None)
    found = {each.name: (each.prompt_was, each.generator_was) for each in target.batches.all()}
    stated = ("shown", "hidden") if says else ("unknown", "unknown")
    assert found == {"here": ("hidden", "hidden"), "Imported: a.csv": stated}
