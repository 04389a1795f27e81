"""Rows of a protocol that this site does not know: pages and the API say so."""

from __future__ import annotations

import logging

import pytest
from django.urls import reverse

from annotator.models import Assignment, Batch, Membership
from tests.analysis.api.callers import calling
from tests.factories import LEAD, make_assignment, make_member, make_project
from tests.support.signing_in import signed_in

pytestmark = pytest.mark.django_db
WORDS = (
    "This server does not know the protocol “gone”. Ask its administrator to install a version of "
    "Anatomark that does."
)


@pytest.fixture(autouse=True)
def quiet(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.CRITICAL)


@pytest.fixture
def lead() -> Membership:
    return make_member(make_project("pilot"), LEAD, code="lead")


@pytest.fixture
def work(lead: Membership) -> Assignment:
    """An assignment whose batch comes from a site with another protocol."""
    made = make_assignment(make_member(lead.project, code="A"))
    Batch.objects.filter(pk=made.batch_id).update(protocol="gone")
    return made


def test_its_pages_name_it(work: Assignment, lead: Membership) -> None:
    for member, name, pk in ((work.annotator, "label", work.pk), (lead, "batch", work.batch_id)):
        page = signed_in(member).get(reverse(name, args=[pk]))
        assert (page.status_code, WORDS in page.content.decode()) == (503, True), name


def test_all_other_pages_open(work: Assignment, lead: Membership) -> None:
    for member, name in ((lead, "project"), (lead, "batches"), (lead, "people"), (work.annotator, "queue")):
        assert signed_in(member).get(reverse(name, args=[lead.project.slug])).status_code == 200, name


def test_the_api_names_it(work: Assignment, lead: Membership) -> None:
    root, caller = f"/projects/{lead.project.slug}", calling(lead)
    assert caller.get(f"{root}/annotations").status_code == 200
    refused = caller.get(f"{root}/exports/scores.csv")
    assert (refused.status_code, list(refused.json()["error"]["fields"])) == (422, ["protocol"])
