"""Reports about a protocol: its own answers, or those of another that can be shown as such."""

from __future__ import annotations

import json
from io import StringIO
from typing import Any

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from analysis.models import Report
from analysis.reports.lifecycle import expect_reports, request_report, run_report
from analysis.reports.stored import newest_done
from annotator.annotations.saving import checked_annotation
from annotator.models import Annotation, Project
from scoring.presence.protocol import PRESENCE
from tests.analysis.factories import EARLIER
from tests.analysis.stats.generic.making import rows_of
from tests.factories import make_assignment, make_batch, make_image, make_member, make_project

pytestmark = pytest.mark.django_db


def printed(project: Project, kind: str, **options: Any) -> dict[str, Any]:
    """What the command prints as JSON."""
    said = StringIO()
    call_command("report", kind, project=project.slug, json=True, stdout=said, **options)
    found: dict[str, Any] = json.loads(said.getvalue())
    return found


def make_presence(project: Project, answers: dict[tuple[int, str], list[str]]) -> None:
    """Submitted answers of the presence protocol, by image and annotator."""
    batch = make_batch(project, name="first look", protocol="presence")
    images = {number: make_image(project, generator="alpha") for number in {number for number, _ in answers}}
    people = {code: make_member(project, code=code) for code in {code for _, code in answers}}
    for (number, code), cells in answers.items():
        answer = PRESENCE.clean({"cells": cells, "no_errors": not cells})
        _, ratings = checked_annotation(answer.payload(), PRESENCE, {})
        assignment = make_assignment(people[code], image=images[number], batch=batch, status="done")
        Annotation.objects.create(
            assignment=assignment,
            payload=answer.payload(),
            ratings=ratings,
            status="submitted",
            submitted_at=EARLIER,
            saved_at=EARLIER,
        )


@pytest.mark.thorough
def test_the_published_study_shown_as_presence(published: Project) -> None:
    found = printed(published, "agreement", protocol="presence")
    assert found["protocol"] == {
        "slug": "presence",
        "title": "Presence of errors in 25 cells",
        "headline": "Cells marked",
        "shown_from": "anatomy",
    }
    present = rows_of(found, "agreement")[1]
    assert (present["variable"], present["images"]) == ("Error present", 60)
    assert round(present["pooled"]["value"], 6) == 0.450128
    own = printed(published, "agreement")
    # The alpha over cells that anatomy's own report has prints the same digits, interval included.
    (pooled,) = [row["pooled"] for row in rows_of(own, "agreement") if row["variable"] == "Cells"]
    assert [present["pooled"][end] for end in ("value", "low", "high")] == pytest.approx(
        [pooled[end] for end in ("value", "low", "high")], abs=1e-12
    )


def test_counted_answers_are_shown_as_presence(project: Project) -> None:
    found = printed(project, "comparison", protocol="presence")
    rows = {row["component"]: row for row in rows_of(found, "components")}
    assert rows["extra.hands"]["generator beta"] == 0.5
    assert rows["missing.limbs"]["generator alpha"] == 0.5
    assert (found["answers"]["counted"], found["answers"]["not_counted"]) == (7, [])


@pytest.mark.thorough
def test_nothing_of_one_protocol_is_in_the_numbers_of_another(project: Project) -> None:
    before = printed(project, "comparison")
    cells = {(1, "anno3"): ["extra.face"], (1, "anno4"): [], (2, "anno3"): ["extra.face", "extra.feet"]}
    make_presence(project, cells)
    after = printed(project, "comparison", protocol="anatomy")
    assert after.pop("answers") == {
        "submitted": 10,
        "counted": 7,
        "not_counted": [{"reason": "other_protocol", "count": 3}],
    }
    before.pop("answers")
    assert after == before
    found = printed(project, "comparison", protocol="presence")
    assert "shown_from" not in found["protocol"]
    assert [row["annotator"] for row in rows_of(found, "annotators")] == ["anno3", "anno4"]
    assert found["answers"]["not_counted"] == [{"reason": "other_protocol", "count": 7}]


def test_a_project_with_several_protocols_asks_which(project: Project) -> None:
    make_presence(project, {(1, "anno3"): []})
    with pytest.raises(CommandError, match=r"^study has several .* --protocol anatomy or presence\.$"):
        printed(project, "agreement")


def test_a_protocol_that_is_not_there_is_named(project: Project) -> None:
    known = "anatomy, defect-check, defect-marks, defect-quality, defect-verdict, presence, realism"
    with pytest.raises(CommandError, match=rf"^There is no protocol 'moons'; known: {known}\.$"):
        printed(project, "agreement", protocol="moons")
    other = make_project("other")
    make_presence(other, {(1, "anno3"): []})
    with pytest.raises(CommandError, match=r"^other has no .* 'anatomy'\. Known: presence\.$"):
        printed(other, "agreement", protocol="anatomy")


def test_a_report_of_each_protocol_is_under_way_at_once(project: Project, sent: list[int]) -> None:
    first, second = (
        request_report(project=project, kind="agreement", protocol=slug) for slug in ("anatomy", "presence")
    )
    assert first.pk != second.pk
    assert request_report(project=project, kind="agreement", protocol="presence").pk == second.pk
    assert run_report(second.pk)
    found = newest_done(project, "agreement", "presence")
    assert found is not None
    assert found.pk == second.pk
    assert newest_done(project, "agreement") is None


def test_submissions_ask_for_the_reports_of_their_protocol(project: Project, sent: list[int]) -> None:
    expect_reports(project.pk, protocols=["presence"])
    expect_reports(project.pk, ["comparison"], protocols=["anatomy", "presence"])
    rows = Report.objects.filter(project=project).order_by("protocol", "kind")
    assert [(row.protocol, row.kind) for row in rows] == [
        ("anatomy", "comparison"),
        ("presence", "agreement"),
        ("presence", "comparison"),
    ]


def test_a_report_of_tables_is_printed_with_its_sentences(project: Project) -> None:
    said = StringIO()
    call_command("report", "comparison", project="study", protocol="presence", stdout=said)
    text = said.getvalue()
    assert "The generators are not compared: annotations never differ beyond the other components" in text
    assert "Extra" not in text.split("\n")[0]
    assert "extra.hands" in text
