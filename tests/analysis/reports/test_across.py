"""The report across protocols: its result, page and command, and when it is outdated."""

from __future__ import annotations

from io import StringIO
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client
from scipy import stats

from analysis.models import Report
from analysis.reports.lifecycle import request_report, run_report
from annotator.models import Batch, Project, User
from scoring.realism.consolidation import consolidate
from scoring.realism.protocol import REALISM
from tests.analysis.factories import make_submitted
from tests.analysis.mixed import answered
from tests.analysis.reading import whole_page
from tests.analysis.stats.generic.making import rows_of
from tests.annotator.batches.first_stages import images_of, make_first
from tests.factories import make_batch, make_image, make_member, make_project
from tests.support.codes import codes

pytestmark = [pytest.mark.django_db, pytest.mark.databases]
ADDRESS = "/projects/pilot/reports/across/"


@pytest.fixture
def counted(sent: list[int]) -> Batch:
    """18 images, two of three marked under presence; 12 counted under anatomy, alike but for one."""
    first = make_first(cells=lambda image, _: () if image % 3 == 0 else ("extra.limbs",), each=1)
    batch = make_batch(first.project, name="Counts")
    person = first.project.memberships.get(code="A")
    for place, image in enumerate(images_of(first)[:12]):
        marks = [("extra.limbs", f"{place % 3}/4c")] if place % 3 and place != 4 else []
        make_submitted(person, marks, image=image, batch=batch)
    return batch


def asked(project: Project, protocol: str = "anatomy") -> Report:
    report = request_report(project=project, kind="across", protocol=protocol)
    run_report(report.pk)
    return Report.objects.get(pk=report.pk)


def lead_of(project: Project) -> User:
    user = project.memberships.get(code="lee").user
    assert user is not None
    return user


def test_it_relates_the_images_of_both_protocols(counted: Batch) -> None:
    result: dict[str, Any] = asked(counted.project).result or {}
    (row,) = rows_of(result, "across")
    assert row["images"] == 12
    assert row["rho"]["value"] > 0.5
    assert [r["number"] for r in rows_of(result, "contradictions")] == [1]
    assert result["across"] == ["presence"]
    assert result["answers"]["counted"] == 12 + 36


def test_without_a_shared_image_it_says_what_to_do(sent: list[int]) -> None:
    first = make_first(each=1)
    report = asked(first.project, "presence")
    assert report.status == Report.Status.FAILED
    assert "Release a batch of the same images under another protocol." in report.error


def test_opening_the_page_asks_for_it_once(counted: Batch, client: Client) -> None:
    client.force_login(lead_of(counted.project))
    for _ in range(2):
        assert "first-numbers" in codes(client.get(f"{ADDRESS}?protocol=anatomy"))
    assert counted.project.reports.filter(kind="across").count() == 1


def test_the_page_and_the_command_show_it(counted: Batch, client: Client) -> None:
    asked(counted.project)
    client.force_login(lead_of(counted.project))
    html = whole_page(client, f"{ADDRESS}?protocol=anatomy")
    assert "rise together" in html
    assert "up-to-date" in codes(html)
    told = StringIO()
    call_command("report", "across", "--project", "pilot", "--protocol", "anatomy", stdout=told)
    assert "Rank correlation" in told.getvalue()


def test_the_link_is_there_only_with_several_protocols(sent: list[int], client: Client) -> None:
    first = make_first(each=1)
    client.force_login(lead_of(first.project))
    run_report(request_report(project=first.project, kind="comparison", protocol=first.protocol).pk)
    page = f"/projects/pilot/reports/comparison/?protocol={first.protocol}"
    assert ADDRESS not in client.get(page).content.decode()
    make_batch(first.project, protocol="realism")
    assert ADDRESS in client.get(page).content.decode()


def test_realism_is_related_by_its_consolidated_score(sent: list[int]) -> None:
    """1 1 1 8 8 gives 8, though its mean is 3.8: the image counts as the other reports say."""
    given = (
        "1 1 1 8 8",
        "2 2 3 3 2",
        "4 5 4 5 4",
        "9 9 9 8 9",
        "5 5 6 5 6",
        "1 2 1 1 2",
        "7 7 6 7 7",
        "3 3 3 4 4",
    )
    marks = (1, 8, 5, 2, 4, 9, 3, 7)
    project = make_project("scores")
    people = [make_member(project) for _ in range(5)]
    rating = make_batch(project, name="ratings", protocol="realism")
    counting = make_batch(project, name="counts")
    scores = []
    for place, (ratings, affected) in enumerate(zip(given, marks, strict=True)):
        image = make_image(project, number=place + 1)
        make_submitted(people[0], [("missing.face", f"{affected}/10c")], image=image, batch=counting)
        values = list(map(int, ratings.split()))
        for person, value in zip(people, values, strict=True):
            answered(REALISM, person, image, rating, {"rating": value})
        scores.append(consolidate(values, 0, 3).score)
    (row,) = rows_of(asked(project, "realism").result or {}, "across")
    expected = stats.spearmanr([float(score or 0) for score in scores], marks).statistic
    assert row["rho"]["value"] == pytest.approx(expected, abs=1e-12)
    means = [sum(map(int, ratings.split())) / 5 for ratings in given]
    assert abs(expected - stats.spearmanr(means, marks).statistic) > 0.01
