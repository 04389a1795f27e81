"""A project, its bundle, and the project made of the bundle: nothing differs."""

from __future__ import annotations

from io import StringIO
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from django.core.files.storage import default_storage
from django.core.management import call_command
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from analysis.bundles.restoring.restoring import Restored, restore
from analysis.data.ratings_table import load_adjudicated
from analysis.exports.registry import layouts_of
from analysis.models import KEPT_UP_TO_DATE, Report
from analysis.reports.lifecycle import newest_done, request_report, run_report
from annotator.annotations.adjudication import annotations_of, is_outdated, seen
from annotator.batches.plan_verification import problems_of
from annotator.models import Adjudication, Annotation, Event, Image, Project
from annotator.projects.overview import annotations_with_problems
from annotator.work.sending import MAKE_DISPLAY
from tests.analysis.bundles.making import (
    bundle_of,
    exports_of,
    files_of,
    kept,
    make_picture,
    make_rich,
)
from tests.analysis.factories import EARLIER, make_submitted
from tests.factories import LEAD, make_batch, make_member, make_project
from tests.support.examples import examples
from tests.support.messages import ids_sent_to

LAYOUTS = {slug: one for slug, one in layouts_of("anatomy").items() if not one.only_alone}

pytestmark = pytest.mark.django_db
WITHOUT_REPORTS = ("sheet", "scores", "marks", "images")


@pytest.fixture(autouse=True)
def unsent(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Ids of the images whose wake-up left."""
    return ids_sent_to(monkeypatch, MAKE_DISPLAY)


def back(path: Path, slug: str = "back", **fields: Any) -> tuple[Project, Restored]:
    project = make_project(slug, **fields)
    return project, restore(path, project, actor=None, watch=lambda *_: None)


@pytest.mark.slow  # a whole project comes back
@pytest.mark.thorough
def test_everything_comes_back(tmp_path: Path, unsent: list[int]) -> None:
    rich = kept(make_rich, tmp_path)
    restored, made = back(rich.at(tmp_path / "one.zip"), name=rich.name)
    assert (made.images, made.pictures, made.annotations, made.remarks) == (24, 24, 36, [])
    assert exports_of(restored) == rich.exports
    assert bundle_of(restored, tmp_path / "two.zip") == rich.bundle
    assert restored.weights == {"a": "0.2", "b": "1/3", "c": "1"}
    assert unsent == list(restored.images.order_by("pk").values_list("pk", flat=True))
    for image in restored.images.all():
        assert image.file.name == f"originals/{restored.pk}/{image.sha256[:2]}/{image.sha256}.png"
        assert default_storage.exists(image.file.name)
    assert not Project.objects.filter(slug__startswith="restoring").exists()
    event = Event.objects.get(project=restored)
    assert (event.verb, event.data["images"], event.data["annotations"]) == ("restored", 24, 36)


def test_what_was_settled_comes_back(tmp_path: Path) -> None:
    restored, _ = back(kept(make_rich, tmp_path).at(tmp_path / "one.zip"))
    settled, withdrawn = Adjudication.objects.filter(image__project=restored).order_by("image_id")
    assert (settled.status, settled.score, settled.version) == ("settled", "1/6", 1)
    assert settled.note == "Looked at again – “twice”."
    assert (settled.decided_by.code, settled.decided_by.project) == ("Z", restored)
    assert (withdrawn.status, withdrawn.version, withdrawn.payload["no_errors"]) == ("withdrawn", 2, True)
    answers = annotations_of(settled.image)
    assert [pk for pk, _ in settled.settled_from] == [pk for pk, _ in seen(answers)]
    assert is_outdated(settled, answers)
    assert not is_outdated(withdrawn, annotations_of(withdrawn.image))
    assert list(load_adjudicated(restored)) == [settled.image_id]


@pytest.mark.thorough
def test_what_was_scaled_down_says_so(tmp_path: Path, unsent: list[int]) -> None:
    project = make_rich()
    original = {"sha256": "a" * 64, "format": "JPEG", "width": 6000, "height": 4000, "bytes": 5_000_000}
    first = project.images.order_by("pk").first()
    assert first is not None
    project.images.filter(pk=first.pk).update(scaled_from=original)
    bundle_of(project, tmp_path / "bundle.zip")
    restored, _ = back(tmp_path / "bundle.zip", "scaled")
    found = list(restored.images.exclude(scaled_from=None).values_list("sha256", "scaled_from"))
    assert found == [(first.sha256, original)]


def test_a_bundle_without_anything_settled_says_nothing_of_it(tmp_path: Path) -> None:
    project = make_project("plain", name="Plain")
    make_submitted(make_member(project, code="a"), image=make_picture(project))
    bundle_of(project, tmp_path / "one.zip", reports=False)
    files = dict(files_of(tmp_path / "one.zip"))
    assert "restore/adjudications.jsonl" not in files
    assert b"adjudications" not in files["project.json"]


def test_the_plan_of_the_restored_project_stands(tmp_path: Path) -> None:
    restored, _ = back(kept(make_rich, tmp_path).at(tmp_path / "one.zip"))
    batch = restored.batches.get(name="first")
    assert problems_of(batch) == []
    out = StringIO()
    call_command("verify_plan", "first", "--project", "back", stdout=out)
    assert "seed 7, anatomark-plan/1 and one change of annotators." in out.getvalue()
    batch.assignments.filter(status="open").update(position=None, status="withdrawn")
    assert problems_of(batch) != []


def test_restored_reports_count_as_computed(tmp_path: Path) -> None:
    restored, _ = back(kept(make_rich, tmp_path).at(tmp_path / "one.zip"))
    for kind in KEPT_UP_TO_DATE:
        asked = request_report(project=restored, kind=kind, send=False)
        run_report(asked.pk)
        assert not Report.objects.filter(pk=asked.pk).exists()
        report = newest_done(restored, kind)
        assert report is not None
        assert report.checked_at is not None
    report = newest_done(restored, "agreement")
    assert report is not None
    assert report.result is not None
    row = report.result["disagreements"]["rows"][0]
    image = Image.objects.get(pk=row["image"])
    assert (image.project, image.generator, image.number or 0) == (restored, row["generator"], row["number"])
    answers = Annotation.objects.filter(pk__in=row["annotations"])
    assert {one.assignment.image_id for one in answers} == {image.pk}
    assert [
        one.assignment.annotator.code for one in answers.order_by("assignment__annotator__code")
    ] == sorted(row["annotators"])


def test_a_recomputed_report_says_the_same(tmp_path: Path) -> None:
    restored, _ = back(kept(make_rich, tmp_path).at(tmp_path / "one.zip"))
    before = newest_done(restored, "agreement")
    assert before is not None
    Report.objects.filter(project=restored).update(input_digest="")
    asked = request_report(project=restored, kind="agreement", send=False)
    run_report(asked.pk)
    computed = Report.objects.get(pk=asked.pk)
    assert computed.result == Report.objects.get(pk=before.pk).result


@pytest.mark.thorough
def test_pseudonyms_stand_everywhere(tmp_path: Path) -> None:
    project = make_project("hidden", name="Hidden")
    codes = ("Zebulon-Quirk", "Ottoline-Frobisher")
    people = [make_member(project, code=code) for code in codes]
    batch = make_batch(project, name="pilot", seed=7)
    for number in range(8):
        image = make_picture(project, generator=("alpha", "beta")[number % 2], number=number)
        for place, person in enumerate(people):
            marks = [("missing.limbs", f"1/{number % 3 + 1}{'bc'[place]}")]
            source = {"file": f"of {person.code}.csv", "other_columns": {"who": person.code}, "cells": {}}
            make_submitted(
                person, marks, image=image, batch=batch, submitted_at=EARLIER, saved_at=EARLIER, source=source
            )
    bundle = bundle_of(project, tmp_path / "one.zip", hidden=True)
    for name, contents in files_of(tmp_path / "one.zip"):
        for code in codes:
            assert code.encode() not in contents, name
            assert code.split("-")[0].encode() not in contents, name
    restored, _ = back(tmp_path / "one.zip")
    assert exports_of(restored) == exports_of(project, hidden=True)
    assert list(restored.batches.values_list("seed", flat=True)) == [None]
    assert bundle_of(project, tmp_path / "two.zip", hidden=True) == bundle


@pytest.mark.slow  # a whole project comes back
@pytest.mark.thorough
def test_accounts_are_not_in_it_and_new_ones_wait(tmp_path: Path) -> None:
    project = make_rich()
    for member in project.memberships.all():
        assert member.user is not None
        member.user.username, member.user.email = f"secret-{member.pk}", f"secret-{member.pk}@example.org"
        member.user.save()
    bundle_of(project, tmp_path / "one.zip")
    for name, contents in files_of(tmp_path / "one.zip"):
        assert b"secret-" not in contents, name
        assert b"the-lead-of-it" not in contents, name
    restored, _ = back(tmp_path / "one.zip")
    accounts = [member.user for member in restored.memberships.all()]
    assert [(user.is_active, user.has_usable_password()) for user in accounts if user] == [(False, False)] * 6


@pytest.mark.thorough
def test_a_lead_gives_way_to_an_annotator_of_the_same_code(tmp_path: Path) -> None:
    rich = kept(make_rich, tmp_path)
    target = make_project("target")
    lead = make_member(target, LEAD, code="A")
    made = restore(rich.at(tmp_path / "one.zip"), target, actor=lead.user, watch=lambda *_: None)
    lead.refresh_from_db()
    assert lead.code == "A-2"
    assert made.remarks == ["An annotator of the bundle has the code A, so yours is now A-2."]
    assert exports_of(target) == rich.exports


@pytest.mark.thorough
def test_a_bundle_of_hashes_has_rows_without_pictures(tmp_path: Path, unsent: list[int]) -> None:
    project = make_rich()
    bundle_of(project, tmp_path / "one.zip", pictures=False)
    restored, made = back(tmp_path / "one.zip")
    assert made.remarks == [
        "The files of 24 images are not in the bundle, so these cannot be displayed or annotated yet. Upload "
        "the files to this project under any name; they are matched by content."
    ]
    states = set(restored.images.values_list("display_state", "display_error"))
    assert states == {("failed", "the image file was not in the restored bundle")}
    assert unsent == []
    assert exports_of(restored) == exports_of(project)
    # A bundle with pictures of a project that has none says so, and can be read back again.
    bundle_of(restored, tmp_path / "two.zip")
    _, again = back(tmp_path / "two.zip", "again")
    assert (again.images, again.pictures) == (24, 0)


@pytest.mark.study
@pytest.mark.thorough
def test_the_published_study_comes_back(published: Project, tmp_path: Path) -> None:
    bundle = bundle_of(published, tmp_path / "one.zip")
    restored, made = back(tmp_path / "one.zip", name=published.name)
    assert (made.images, made.pictures, made.annotations) == (240, 240, 300)
    assert annotations_with_problems(restored).count() == 5
    assert exports_of(restored) == exports_of(published)
    assert bundle_of(restored, tmp_path / "two.zip") == bundle


@pytest.mark.thorough
def test_a_project_without_answers_comes_back(tmp_path: Path) -> None:
    project = make_project("empty", name="Empty")
    make_picture(project)
    bundle = bundle_of(project, tmp_path / "one.zip")
    restored, made = back(tmp_path / "one.zip", name="Empty")
    assert (made.images, made.annotations) == (1, 0)
    assert bundle_of(restored, tmp_path / "two.zip") == bundle


texts = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=12)
marks = st.lists(
    st.tuples(
        st.sampled_from(["missing.limbs", "extra.hands", "proportion.face"]),
        st.integers(1, 9).flatmap(
            lambda total: st.tuples(st.integers(1, total), st.just(total), st.sampled_from("abc"))
        ),
    ).map(lambda drawn: (drawn[0], f"{drawn[1][0]}/{drawn[1][1]}{drawn[1][2]}")),
    max_size=3,
    unique_by=lambda mark: (mark[0], mark[1][-1]),
)
answers = st.lists(
    st.tuples(st.integers(0, 3), st.integers(0, 2), marks), max_size=8, unique_by=lambda a: a[:2]
)


@pytest.mark.parametrize(("reports", "count"), [(False, 3), (True, 1)])
@pytest.mark.few(1)
@pytest.mark.slow  # whole projects go out and come back
def test_random_projects_come_back(tmp_path: Path, reports: bool, count: int) -> None:
    @settings(max_examples=examples(count), deadline=None, suppress_health_check=list(HealthCheck))
    @given(st.lists(texts, min_size=9, max_size=9), answers, st.integers(0, 10**6))
    def come_back(names: list[str], given_answers: list[Any], seconds: int) -> None:
        comes_back(tmp_path, names, given_answers, seconds, reports)

    come_back()


def comes_back(
    tmp_path: Path, names: list[str], given_answers: list[Any], seconds: int, reports: bool
) -> None:
    project = make_project(f"random-{uuid4().hex[:8]}", name=names[0])
    codes = [f"{place}{name}" for place, name in enumerate(names[1:4])]
    people = [make_member(project, code=code) for code in codes]
    images = [make_picture(project, generator=names[4], prompt=name, source_name=name) for name in names[5:9]]
    batch = make_batch(project, name=names[4])
    for image, person, terms in given_answers:
        make_submitted(
            people[person],
            sorted(terms),
            image=images[image],
            batch=batch,
            submitted_at=EARLIER.replace(microsecond=seconds % 10**6),
        )
    path = tmp_path / f"{project.slug}.zip"
    bundle = bundle_of(project, path, reports=reports)
    restored, _ = back(path, f"back-{project.slug}", name=project.name)
    layouts = tuple(LAYOUTS) if given_answers and reports else WITHOUT_REPORTS
    assert exports_of(restored, layouts=layouts) == exports_of(project, layouts=layouts)
    assert bundle_of(restored, path, reports=reports) == bundle
