"""The number beside “Review”: what it counts, that it is on every page, and what it costs."""

from __future__ import annotations

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from analysis.home.reviewing import waiting_for_review
from analysis.models import Report
from annotator.models import Adjudication, Image, Membership, Question
from tests.analysis.factories import make_unread
from tests.analysis.home.conftest import Led
from tests.analysis.home.making import labelled
from tests.factories import LEAD, make_image, make_member, make_user


def disputed(led: Led, images: list[Image]) -> None:
    """A finished agreement report that lists these images."""
    rows = [{"image": image.pk, "scores": ["0", "1"]} for image in images]
    led.project.reports.create(
        kind=Report.Kind.AGREEMENT,
        status=Report.Status.DONE,
        finished_at=timezone.now(),
        result={},
        excerpt={"disagreements": rows},
    )


def asked(led: Led) -> Question:
    """An open question on a labelled image."""
    assignment = labelled(led.ada, led.batch)[0].assignment
    return Question.objects.create(project=led.project, assignment=assignment, annotator=led.ada, text="Two?")


def test_what_waits(led: Led) -> None:
    assert waiting_for_review(led.project) == 0
    question = asked(led)
    make_unread(led.ada, make_image(led.project), led.batch)
    images = [make_image(led.project) for _ in range(3)]
    disputed(led, images)
    with CaptureQueriesContext(connection) as spent:
        assert waiting_for_review(led.project) == 5
    assert len(spent) == 3, "the third one reads the report, once"
    with CaptureQueriesContext(connection) as spent:
        assert waiting_for_review(led.project) == 5
    assert len(spent) == 2
    Adjudication.objects.create(
        image=images[0],
        protocol="anatomy",
        status=Adjudication.Status.SETTLED,
        payload={},
        ratings=[],
        settled_from=[],
        decided_at=timezone.now(),
        decided_by=led.ada,
    )
    assert waiting_for_review(led.project) == 4
    question.state = Question.State.ANSWERED
    question.save()
    assert waiting_for_review(led.project) == 3
    disputed(led, images[2:])
    assert waiting_for_review(led.project) == 2, "the newest report counts"


@pytest.mark.parametrize("page", ["images/", "people/", "guideline/", "batches/", "questions/", "history/"])
def test_every_page_says_so_at_the_same_cost(led: Led, client: Client, page: str) -> None:
    member: Membership = make_member(led.project, LEAD, user=make_user())
    assert member.user is not None
    client.force_login(member.user)
    costs = []
    for waiting in (1, 2, 3):
        asked(led)
        with CaptureQueriesContext(connection) as spent:
            html = client.get(f"/projects/{led.project.slug}/{page}").content.decode()
        assert html.count(f'<span class="count" data-part="review-count">{waiting}<') == 2, (
            "in the tabs and in the menu"
        )
        costs.append(sum('"unread"' in query["sql"] for query in spent))
    assert costs == [1, 1, 1]
