"""A test protocol and presence, from the batch to the deletion."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from django.core.management import call_command
from django.test import Client
from pytest_django.fixtures import Settings

from analysis.exports.files import Export
from analysis.exports.formats import FORMATS, OF_SOME
from analysis.exports.registry import layouts_of
from analysis.models import KEPT_UP_TO_DATE, Report
from analysis.reports.lifecycle import RUN_REPORT
from annotator.models import Adjudication, Assignment, Batch, Project
from annotator.protocols.rating_form.stored import save_form
from annotator.protocols.registry import judged_later
from scoring.rating_form.definition import FormDefinition, Item
from scoring.service import get_protocol
from tests.analysis.api.callers import calling
from tests.analysis.bundles.making import bundle_of, make_picture
from tests.analysis.reports.test_report_bad_input import DEFECT
from tests.annotator.acting import delete_with_all
from tests.annotator.web.views.speaking import answer_body, post, reopen_body
from tests.factories import LEAD, make_member, make_project, make_user
from tests.protocols.stars.living import let_live
from tests.scoring.rating_form.test_rules import WHY
from tests.support.codes import codes
from tests.support.messages import ids_sent_to
from tests.support.signing_in import signed_in as client_of

pytestmark = [pytest.mark.django_db, pytest.mark.slow]
PEOPLE = ("ada", "bob")
FORM = FormDefinition(
    name="people",
    title="Rate the people",
    headline="quality",
    adjudicate=True,
    items=(
        Item("quality", "scale", "How good?", required=True, points=tuple((at, "") for at in range(1, 6))),
        Item("hands", "yes_no", "Anything wrong with the hands?", required=True, cannot_judge=True),
        WHY,
        Item("natural", "number", "How natural?", least="0", most="100"),
        Item("style", "choice", "Which style?", options=(("photo", "Photo"), ("drawing", "Drawing"))),
        Item("words", "text", "Anything else?"),
    ),
)


@dataclass(frozen=True)
class Way:
    """A protocol's data: sent by script, sent by form, and adjudicated."""

    answer: Mapping[str, Any]
    typed: Mapping[str, str]
    ticked: Mapping[str, str]
    headline: str


WAYS = {
    "presence": Way(
        answer={"cells": ["extra.hands", "missing.face"]},
        typed={"cells": "extra.hands"},
        ticked={"cells.missing.face": "="},
        headline="1/1",
    ),
    FORM.slug: Way(
        answer={"answers": {"quality": 2, "hands": True, "why": ["fused"], "natural": "62"}},
        typed={"answers.quality": "4", "answers.hands": "no"},
        ticked={
            "answers.quality": "=4",
            "answers.hands": "=Yes",
            "answers.natural": "=62",
            "answers.why.fused": "=ticked",
            "answers.why.missing": "=",
        },
        headline="4/1",
    ),
    "defect-verdict": Way(
        answer={"answers": {"verdict": "reject"}},
        typed={"answers.verdict": "accept"},
        ticked={"answers.verdict": "=Reject"},
        headline="1/1",
    ),
    "defect-marks": Way(
        answer={"defects": [DEFECT], "effect": 1},
        typed={"no_defect": "on"},
        ticked={},
        headline="",
    ),
    "stars": Way(answer={"stars": 2}, typed={"stars": "4"}, ticked={"annotation": "=B"}, headline="4/1"),
}


@pytest.fixture(params=sorted(WAYS))
def slug(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, settings: Settings) -> str:
    let_live(monkeypatch, settings)
    return str(request.param)


@pytest.fixture
def project(monkeypatch: pytest.MonkeyPatch) -> Project:
    """Create four images of two generators, two annotators and a lead."""
    ids_sent_to(monkeypatch, RUN_REPORT)
    made = make_project("pilot")
    for code in (*PEOPLE, "lead"):
        make_member(made, LEAD if code == "lead" else "annotator", user=make_user(code), code=code)
    save_form(made, FORM, made.memberships.get(code="lead"))
    for number in range(4):
        make_picture(made, generator=("alpha", "beta")[number % 2], prompt="jogging", number=number)
    return made


def signed_in(project: Project, code: str) -> Client:
    return client_of(project.memberships.get(code=code))


def said(*arguments: str, **options: Any) -> str:
    out = StringIO()
    call_command(*arguments, stdout=out, **options)
    return out.getvalue()


def test_the_whole_life(project: Project, slug: str, tmp_path: Path) -> None:
    way = WAYS[slug]
    batch = _released(project, slug)
    _labelled(project, batch, way)
    _reported(project, slug)
    if get_protocol(slug).adjudicated:
        _adjudicated(project, slug, way)
    _exported(project, slug, tmp_path)
    _read_over_the_api(project, slug, way)
    assert bundle_of(project, tmp_path / "pilot.zip")
    _deleted(project, slug)


def _released(project: Project, slug: str) -> Batch:
    said("assign", project="pilot", annotators="ada,bob", overlap="4", per_image=2, protocol=slug)
    batch = Batch.objects.get()
    assert (batch.protocol, batch.assignments.count()) == (slug, 8)
    return batch


def _labelled(project: Project, batch: Batch, way: Way) -> None:
    """Annotate by script and by form, with a draft, a conflict and a reopening."""
    ada, bob = (signed_in(project, code) for code in PEOPLE)
    first, *others = batch.assignments.filter(annotator__code="ada").order_by("position")
    assert post(ada, "answer_save", first, answer_body(way.answer)).json()["version"] == 1
    assert post(ada, "answer_save", first, answer_body(way.answer)).status_code == 409
    assert post(ada, "answer_submit", first, answer_body(way.answer, 1)).status_code == 200
    assert post(ada, "answer_reopen", first, reopen_body(2)).status_code == 200
    assert post(ada, "answer_submit", first, answer_body(way.answer, 3)).status_code == 200
    for assignment in others:
        assert post(ada, "answer_submit", assignment, answer_body(way.answer)).status_code == 200
    for assignment in batch.assignments.filter(annotator__code="bob").order_by("position"):
        form = {"action": "submit", "version": 0, "request_key": str(uuid4())}
        assert bob.get(f"/assignments/{assignment.pk}/").status_code == 200
        assert bob.post(f"/assignments/{assignment.pk}/", form).status_code == 422
        assert bob.post(f"/assignments/{assignment.pk}/", form | dict(way.typed)).status_code == 302
    assert set(Assignment.objects.values_list("status", flat=True)) == {"done"}
    progress = signed_in(project, "lead").get(f"/batches/{batch.pk}/progress/")
    assert progress.status_code == 200


def _reported(project: Project, slug: str) -> None:
    lead = signed_in(project, "lead")
    for kind in KEPT_UP_TO_DATE:
        found = json.loads(said("report", kind, project="pilot", json=True))
        assert found["protocol"]["slug"] == slug
        assert found["answers"] == {"submitted": 8, "counted": 8, "not_counted": []}
        page = lead.get(f"/projects/pilot/reports/{kind}/")
        assert page.status_code == 200
        assert [section.slug for section in page.context["reading"].sections][-1] in {"methods", "answers"}
    if not get_protocol(slug).adjudicated:
        # Review lists what differs although nothing of it waits for a decision.
        review = lead.get("/projects/pilot/disagreements/", follow=True)
        if slug in judged_later():
            assert "checked-instead" in codes(review)
        else:
            assert review.context["page"].paginator.count == review.context["n_listed"] > 0


def _adjudicated(project: Project, slug: str, way: Way) -> None:
    lead = signed_in(project, "lead")
    report = Report.objects.get(kind="agreement")
    apart = lead.get(f"/projects/pilot/reports/agreement/{report.pk}/disagreements/")
    if get_protocol(slug).decide:
        # Their list is that of the experts.
        place = lead.get(apart["Location"])["Location"]
        image = lead.get(place).context["image"]
    else:
        assert [each["entry"]["difference"] > 0 for each in apart.context["disagreements"]] == [True] * 3
        assert apart.context["page"].paginator.count == 4
        image = apart.context["disagreements"][0]["image"]
        place = f"/projects/pilot/images/{image.public_id}/adjudicate/?report={report.pk}"
    page = lead.get(place)
    sent = {name: str(page.context[name]) for name in ("version", "seen", "request_key")}
    agreed = {
        cell["other_name"]: cell["other"] for _, row in page.context["agreeing"] for cell in row if cell
    }
    assert lead.post(place, sent | agreed).status_code == 422
    assert lead.post(place, sent | agreed | dict(way.ticked)).status_code == 302
    row = Adjudication.objects.get()
    assert (row.protocol, row.image_id, row.score) == (slug, image.pk, way.headline)


def _exported(project: Project, slug: str, path: Path) -> None:
    for name, layout in layouts_of(slug).items():
        for form in FORMATS.values():
            if form.slug in OF_SOME and form.slug not in layout.own_formats:
                continue
            assert b"".join(Export(project, layout, form, protocol=slug)), (name, form.slug)
    said("export", project="pilot", layout="scores", output=str(path / "scores.csv"))
    assert len((path / "scores.csv").read_text().splitlines()) == 1 + 8


def _read_over_the_api(project: Project, slug: str, way: Way) -> None:
    lead = calling(project.memberships.get(code="lead"))
    found = lead.get(f"/projects/pilot/annotations?protocol={slug}").json()
    assert [row["protocol"] for row in found["results"]] == [slug] * 8
    assert lead.get("/projects/pilot/reports/agreement").json()["result"]["protocol"]["slug"] == slug


def _deleted(project: Project, slug: str) -> None:
    lead = project.memberships.get(code="lead").user
    adjudicated = Adjudication.objects.filter(image__project=project).first()
    image = adjudicated.image if adjudicated else project.images.order_by("pk")[0]
    delete_with_all(image, lead)
    found = json.loads(said("report", "comparison", project="pilot", protocol=slug, json=True))
    assert found["answers"]["counted"] == 6
    assert found["answers"]["not_counted"] == []
