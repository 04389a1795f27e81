"""A project with several protocols and its bundle: nothing mixes.

Also what bundles record of what annotators saw.
"""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

from analysis.models import Report
from analysis.tables.blinding import answered, seen_sentences
from annotator.batches.assignments import state_seen
from annotator.models import Annotation, Batch, Project
from annotator.protocols import registry as pages
from annotator.work.jobs import JobRefused
from tests.analysis.bundles.making import files_of, kept, make_picture, unpacked
from tests.analysis.factories import make_submitted
from tests.analysis.mixed import CODES, SLUGS, make_mixed
from tests.factories import make_batch, make_member, make_project
from tests.protocols.stars.page import PAGE

pytestmark = pytest.mark.django_db
STAGED = {"anatomy": "presence", "presence": "anatomy"}
"""The first stage of each protocol that has one."""


@pytest.fixture(autouse=True)
def pages_of_three(monkeypatch: pytest.MonkeyPatch, three: None) -> None:
    """There is a page of each of the three protocols."""
    monkeypatch.setattr(pages, "PAGES", pages.registry(*pages.PAGES.values(), PAGE))


def make_three_ways() -> Project:
    """A project whose pictures were judged under three protocols."""
    return make_mixed("three-ways", make_picture)


@pytest.fixture
def files(tmp_path: Path) -> dict[str, bytes]:
    """The files of its bundle."""
    return dict(files_of(kept(make_three_ways, tmp_path / "one.zip")))


def test_nothing_of_one_protocol_is_in_the_files_of_another(files: dict[str, bytes]) -> None:
    words = {"anatomy": b"cumulative_score", "presence": b"cells_marked", "stars": b"stars"}
    named = {name: slug for name in files for slug in SLUGS if f"/{slug}-" in name or f"/{slug}." in name}
    assert {slug: list(named.values()).count(slug) > 10 for slug in SLUGS} == dict.fromkeys(SLUGS, True)
    for name, slug in named.items():
        for other, word in words.items():
            assert other == slug or word not in files[name], name
    others = {name for name in files if name not in named and name.startswith(("data/", "reports/", "proto"))}
    assert others == {"data/dictionary.csv", "data/pictures.csv", "data/plan.csv"}


def test_two_stages_are_there_for_every_protocol_that_has_a_first_stage(files: dict[str, bytes]) -> None:
    for second, first in STAGED.items():
        report = json.loads(files[f"reports/{second}-stages/report.json"])
        assert [report["stages"][stage]["slug"] for stage in ("first", "second")] == [first, second]
        folder = f"reports/{second}-stages/tables/"
        tables = {table["name"] for table in report["tables"]}
        assert {f"{folder}{name}.csv" for name in (*tables, "answers")} == {
            name for name in files if name.startswith(folder)
        }
        assert f"Two stages ({second})" in files["methods.txt"].decode()
    assert not [name for name in files if name.startswith("reports/stars-stages/")]
    # Of 100 cells: nobody marked the same in both.
    people = files["reports/anatomy-stages/tables/consistency_people.csv"].decode()
    assert people.splitlines()[1:] == ["anno1,4,0,3,4,93,0%", "anno2,4,0,4,4,92,0%"]


@pytest.mark.thorough
def test_stages_without_a_common_image_are_in_no_bundle_and_no_failure(tmp_path: Path) -> None:
    project = make_three_ways()
    Annotation.objects.filter(assignment__batch__protocol="presence").delete()
    assert not [name for name in unpacked(project, tmp_path, reports=True) if "stages" in name]
    assert not Report.objects.filter(kind="stages").exists()


@pytest.mark.slow
@pytest.mark.thorough
def test_pseudonyms_are_everywhere(tmp_path: Path) -> None:
    for name, contents in unpacked(make_three_ways(), tmp_path, reports=True, hidden=True).items():
        # Descriptions of columns have examples.
        if not name.startswith(("images/", "data/dictionary", "datapackage")):
            assert not [code for code in CODES if code.encode() in contents], name


def test_a_project_with_a_protocol_that_nobody_knows_makes_no_bundle(tmp_path: Path) -> None:
    project = make_project("old")
    make_batch(project, protocol="realism")
    with pytest.raises(
        JobRefused, match=r"The bundle cannot be created: There is no protocol 'realism'; known"
    ):
        unpacked(project, tmp_path)


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


def plan_of(files: dict[str, bytes], *names: str) -> dict[str, tuple[str, ...]]:
    rows = csv.DictReader(io.StringIO(files["data/plan.csv"].decode()))
    return {row["batch"]: tuple(row[name] for name in names) for row in rows}


@pytest.mark.thorough
def test_all_its_files_say_the_same(tmp_path: Path, sent: list[int]) -> None:
    project = mixed()
    said = seen_sentences(answered(project))
    assert said.count(".") == 2
    files = unpacked(project, tmp_path)
    assert " ".join(said.split()) in " ".join(files["README.txt"].decode().split())
    assert json.loads(files["datapackage.json"])["description"] == said
    seen, own = ("prompt_seen", "generator_seen"), {"here": ("hidden", "hidden")}
    assert plan_of(files, *seen) == own | {"Imported: a.csv": ("unknown", "unknown")}
    state_seen(project.batches.get(name="Imported: a.csv"), {"prompt", "generator"}, None)
    assert plan_of(unpacked(project, tmp_path), *seen) == own | {"Imported: a.csv": ("shown", "shown")}


def test_the_plan_says_how_the_zoom_was_used(tmp_path: Path, sent: list[int]) -> None:
    project = mixed()
    loupe, without = make_batch(project, name="loupe"), make_batch(project, name="none")
    opened = {"opened_at": "2026-03-01T09:30:00Z"}
    for batch, capture in ((loupe, {**opened, "zoom": "loupe", "zoom_ms": 1250.4}), (without, opened)):
        member = project.memberships.get(code="A")
        made = make_submitted(member, batch=batch, image=make_picture(project))
        Annotation.objects.filter(pk=made.pk).update(capture=capture)
    assert plan_of(unpacked(project, tmp_path), "zoom", "zoom_seconds") == {
        "loupe": ("loupe", "1.25"),
        "none": ("none", "0"),
        "here": ("", ""),
        "Imported: a.csv": ("", ""),
    }
