"""A project with several protocols, its bundle, and the project made of it: nothing differs or mixes.

Also what bundles record of what annotators saw.
"""

from __future__ import annotations

import csv
import io
import json
import re
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest

from analysis.bundles.restoring.archive import BundleRefused
from analysis.bundles.restoring.restoring import restore
from analysis.exports.files import Export
from analysis.exports.registry import layouts_of
from analysis.models import KEPT_UP_TO_DATE, Report
from analysis.reports.lifecycle import newest_done, request_report, run_report
from analysis.tables.blinding import answered, seen_sentences
from annotator.batches.assignments import state_seen
from annotator.models import Adjudication, Annotation, Batch, Image, Project
from annotator.protocols import registry as pages
from annotator.work.jobs import JobRefused
from scoring import service
from scoring.anatomy.protocol import ANATOMY
from scoring.presence.protocol import PRESENCE
from scoring.service import registry
from tests.analysis.bundles.making import Kept, bundle_of, files_of, kept, make_picture, with_changed
from tests.analysis.bundles.packages import validate
from tests.analysis.factories import make_submitted
from tests.analysis.mixed import CODES, SLUGS, make_mixed
from tests.factories import make_batch, make_member, make_project
from tests.protocols.stars.page import PAGE
from tests.stars import STARS

pytestmark = pytest.mark.django_db
STAGED = {"anatomy": "presence", "presence": "anatomy"}
"""The first stage of each protocol that has one."""


@pytest.fixture(autouse=True)
def three(monkeypatch: pytest.MonkeyPatch) -> None:
    """The program knows three protocols, and the page of each."""
    monkeypatch.setattr(pages, "PAGES", pages.registry(*pages.PAGES.values(), PAGE))
    monkeypatch.setattr(service, "PROTOCOLS", registry(ANATOMY, PRESENCE, STARS))


def make_three_ways() -> Project:
    """A project whose pictures were judged under three protocols."""
    return make_mixed("three-ways", make_picture)


@pytest.fixture
def made(tmp_path: Path) -> Kept:
    """Its bundle."""
    return kept(make_three_ways, tmp_path)


def unpacked(made: Kept, path: Path) -> dict[str, bytes]:
    return dict(files_of(made.at(path / "one.zip")))


def back(path: Path, slug: str = "back", **fields: Any) -> Project:
    project = make_project(slug, **fields)
    restore(path, project, actor=None, watch=lambda *_: None)
    return project


def answers_of(project: Project) -> list[tuple[Any, ...]]:
    rows = Annotation.objects.filter(assignment__batch__project=project).order_by("pk")
    return list(rows.values_list("assignment__batch__protocol", "status", "payload", "ratings", "version"))


@pytest.mark.thorough
def test_everything_comes_back(made: Kept, tmp_path: Path) -> None:
    restored = back(made.at(tmp_path / "one.zip"), name=made.name)
    assert bundle_of(restored, tmp_path / "two.zip") == made.bundle
    assert [slug for slug, *_ in answers_of(restored)].count("presence") == 9
    found = Adjudication.objects.filter(image__project=restored).order_by("pk")
    assert [(one.protocol, one.payload.get("stars")) for one in found] == [
        *(("anatomy", None), ("presence", None), ("stars", 5))
    ]
    assert restored.batches.get(protocol="stars").settings == {"lamp": True}
    files = unpacked(made, tmp_path)
    for slug in SLUGS:
        for name, layout in layouts_of(slug).items():
            if layout.only_alone:
                continue
            written = b"".join(Export(restored, layout, protocol=slug))
            assert files[f"data/{slug}-{name}.csv"] == written
        for kind in (*KEPT_UP_TO_DATE, *(("stages",) if slug in STAGED else ())):
            asked = request_report(project=restored, kind=kind, protocol=slug, send=False)
            run_report(asked.pk)
            # It came out the same: the restored report stands.
            assert not Report.objects.filter(pk=asked.pk).exists()
            report = newest_done(restored, kind, slug)
            assert report is not None
            assert report.checked_at is not None


def test_nothing_of_one_protocol_is_in_the_files_of_another(made: Kept, tmp_path: Path) -> None:
    files = unpacked(made, tmp_path)
    words = {"anatomy": b"cumulative_score", "presence": b"cells_marked", "stars": b"stars"}
    named = {name: slug for name in files for slug in SLUGS if f"/{slug}-" in name or f"/{slug}." in name}
    assert {slug: list(named.values()).count(slug) > 10 for slug in SLUGS} == dict.fromkeys(SLUGS, True)
    for name, slug in named.items():
        for other, word in words.items():
            assert other == slug or word not in files[name], name
    others = {name for name in files if name not in named and name.startswith(("data/", "reports/", "proto"))}
    assert others == {"data/dictionary.csv", "data/pictures.csv", "data/plan.csv"}


def test_two_stages_are_there_for_every_protocol_that_has_a_first_stage(made: Kept, tmp_path: Path) -> None:
    files = unpacked(made, tmp_path)
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
def test_what_a_lead_decided_about_two_stages_comes_back(tmp_path: Path) -> None:
    project = make_three_ways()
    asked = request_report(
        project=project, kind="stages", protocol="anatomy", settings={"unmarked_as_zero": True}, send=False
    )
    run_report(asked.pk)
    bundle = bundle_of(project, tmp_path / "one.zip")
    restored = back(tmp_path / "one.zip", name=project.name)
    reports = Report.objects.filter(project=restored, kind="stages").order_by("protocol")
    assert list(reports.values_list("protocol", "settings")) == [
        ("anatomy", {"unmarked_as_zero": True}),
        ("presence", {}),
    ]
    assert bundle_of(restored, tmp_path / "two.zip") == bundle


@pytest.mark.thorough
def test_stages_without_a_common_image_are_in_no_bundle_and_no_failure(tmp_path: Path) -> None:
    project = make_three_ways()
    Annotation.objects.filter(assignment__batch__protocol="presence").delete()
    bundle_of(project, tmp_path / "b.zip")
    assert not [name for name, _ in files_of(tmp_path / "b.zip") if "stages" in name]
    assert not Report.objects.filter(kind="stages").exists()


def test_it_says_what_it_is_about(made: Kept, tmp_path: Path) -> None:
    files = unpacked(made, tmp_path)
    assert sorted(files) == list(files)
    told = files["README.txt"].decode()
    assert "  presence-scores     one row per annotation: cells marked, every measure by component\n" in told
    assert "protocols/            the protocols" in told
    presence = json.loads(files["protocols/presence.json"])
    assert (presence["version"], presence["variables"][0]["name"]) == (1, "cells_marked")
    about = json.loads(files["project.json"])
    assert {row["protocol"] for row in about["reports"]} == set(SLUGS)
    assert "Agreement (presence)\n\nImages were annotated under the protocol" in files["methods.txt"].decode()
    package = json.loads(files["datapackage.json"])
    names = [one["name"] for one in package["resources"]]
    assert names == sorted(names)
    assert "presence-ratings" in names


@pytest.mark.thorough
def test_its_package_is_valid(made: Kept, tmp_path: Path) -> None:
    for name, contents in unpacked(made, tmp_path).items():
        path = tmp_path / "unpacked" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(contents)
    report = validate(str(tmp_path / "unpacked" / "datapackage.json"))
    assert report.valid, report.flatten(["name", "fieldName", "title", "note"])


@pytest.mark.slow
@pytest.mark.thorough
def test_pseudonyms_are_everywhere(tmp_path: Path) -> None:
    bundle_of(make_three_ways(), tmp_path / "hidden.zip", hidden=True)
    for name, contents in files_of(tmp_path / "hidden.zip"):
        # Descriptions of columns have examples.
        if not name.startswith(("images/", "data/dictionary", "datapackage")):
            assert not [code for code in CODES if code.encode() in contents], name
    back(tmp_path / "hidden.zip")


def test_a_bundle_with_a_protocol_that_nobody_knows_is_refused(
    made: Kept, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = made.at(tmp_path / "one.zip")
    monkeypatch.setattr(service, "PROTOCOLS", registry(ANATOMY, PRESENCE))
    with pytest.raises(BundleRefused) as refused:
        back(path)
    assert str(refused.value) == (
        "project.json, batches 3: “protocol” is stars; expected a known protocol: anatomy, presence."
    )
    assert_nothing_is_stored()


@pytest.mark.parametrize(
    ("said", "words"),
    [
        (b'{"lamp": 3}', "batches 3: “settings” are invalid: Show a lamp: 3 is not one of its values."),
        (b'{"candle": true}', "The protocol 'stars' has no setting 'candle'."),
        (b"[]", "batches 3: “settings” is []; expected an object"),
    ],
)
def test_settings_that_a_protocol_does_not_have_are_refused(
    made: Kept, tmp_path: Path, said: bytes, words: str
) -> None:
    about = unpacked(made, tmp_path)["project.json"]
    there = b'"settings": {\n    "lamp": true\n   }'
    assert there in about
    changes = {"project.json": about.replace(there, b'"settings": ' + said)}
    with pytest.raises(BundleRefused, match=re.escape(words)):
        back(with_changed(tmp_path / "one.zip", tmp_path / "two.zip", changes))
    assert_nothing_is_stored()


@pytest.mark.parametrize("key", ["reports", "adjudications"])
def test_each_place_that_names_a_protocol_is_checked(made: Kept, tmp_path: Path, key: str) -> None:
    files = unpacked(made, tmp_path)
    if key == "reports":
        about = json.loads(files["project.json"])
        about["reports"][-1]["protocol"] = "realism"
        changes = {"project.json": json.dumps(about).encode()}
    else:
        name = "restore/adjudications.jsonl"
        changes = {name: files[name].replace(b'"protocol":"stars"', b'"protocol":"realism"')}
    path = with_changed(tmp_path / "one.zip", tmp_path / "two.zip", changes)
    with pytest.raises(BundleRefused, match="“protocol” is realism; expected a known protocol"):
        back(path)
    assert_nothing_is_stored()


def assert_nothing_is_stored() -> None:
    assert (Image.objects.count(), Annotation.objects.count(), Report.objects.count()) == (0, 0, 0)
    assert list(Project.objects.values_list("slug", flat=True)) == ["back"]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (b'["presence","extra.hands","1"]', b'["presence","extra.hands","2"]'),
        (b'["cells_marked","","2"]', b'["cells_marked","","1"]'),
        (b'["stars","","1"]', b'["stars","","2"]'),
        (b'["stars","","1"]', b'["moons","","1"]'),
    ],
)
def test_ratings_that_are_not_those_of_the_answer_are_refused(
    made: Kept, tmp_path: Path, before: bytes, after: bytes
) -> None:
    name = "restore/annotations.jsonl"
    rows = unpacked(made, tmp_path)[name]
    assert before in rows
    path = with_changed(tmp_path / "one.zip", tmp_path / "two.zip", {name: rows.replace(before, after)})
    with pytest.raises(BundleRefused, match="the ratings do not match the marks"):
        back(path)
    assert_nothing_is_stored()


def test_a_project_with_a_protocol_that_nobody_knows_makes_no_bundle(tmp_path: Path) -> None:
    project = make_project("old")
    make_batch(project, protocol="realism")
    with pytest.raises(
        JobRefused, match=r"The bundle cannot be created: There is no protocol 'realism'; known"
    ):
        bundle_of(project, tmp_path / "b.zip")


def test_a_project_of_one_other_protocol_is_named_too(tmp_path: Path) -> None:
    project = make_project("seen")
    make_batch(project, protocol="presence")
    bundle_of(project, tmp_path / "b.zip")
    names = [name for name, _ in files_of(tmp_path / "b.zip")]
    assert {"data/presence-scores.csv", "data/presence-ratings.parquet"} <= set(names)
    assert "protocols/presence.json" in names
    assert "protocol.json" not in names


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


@pytest.mark.thorough
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


def test_the_plan_says_how_the_zoom_was_used(tmp_path: Path, sent: list[int]) -> None:
    project = mixed()
    loupe, without = make_batch(project, name="loupe"), make_batch(project, name="none")
    opened = {"opened_at": "2026-03-01T09:30:00Z"}
    for batch, capture in (
        (loupe, {**opened, "zoom": "loupe", "zoom_ms": 1250.4}),
        (without, opened),
    ):
        member = project.memberships.get(code="A")
        made = make_submitted(member, batch=batch, image=make_picture(project))
        Annotation.objects.filter(pk=made.pk).update(capture=capture)
    bundle_of(project, tmp_path / "b.zip", reports=False)
    with ZipFile(tmp_path / "b.zip") as archive:
        rows = csv.DictReader(io.StringIO(archive.read("data/plan.csv").decode()))
        assert {row["batch"]: (row["zoom"], row["zoom_seconds"]) for row in rows} == {
            "loupe": ("loupe", "1.25"),
            "none": ("none", "0"),
            "here": ("", ""),
            "Imported: a.csv": ("", ""),
        }


@pytest.mark.few(1)
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
