"""The gallery and an annotation as a lead reads it."""

from __future__ import annotations

import re
from typing import Any
from uuid import uuid4

import pytest
from django.test import Client
from django.urls import reverse

from annotator.models import Annotation, Membership, User
from annotator.models.images import LESSONS
from annotator.web.views.lead import images as views
from tests.analysis.factories import make_unread
from tests.annotator.acting import HANDS, save, submit
from tests.annotator.adjudicating import make_case, settle
from tests.annotator.web.views.conftest import Study
from tests.factories import LEAD, make_image, make_member, make_payload, make_project
from tests.support.codes import codes, numbers
from tests.support.signing_in import signed_in

IMAGES = "/projects/pilot/images/"


def shown(page: Any) -> list[int]:
    return [image.pk for image, *_ in page.context["tiles"]]


def test_pages_follow_each_other(study: Study, as_lead: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(views, "IMAGES_SHOWN", 2)
    for _ in range(2):
        make_image(study.project)
    ids = sorted(study.project.images.values_list("pk", flat=True))
    seen, query = [], {"generator": "painter"}
    page = as_lead.get(IMAGES, query)
    assert page.context["before"] is None
    while page.context["after"]:
        seen.append(shown(page))
        page = as_lead.get(IMAGES, {**query, "after": str(page.context["after"].public_id)})
    assert [*seen, shown(page)] == [ids[:2], ids[2:4], ids[4:]]
    assert numbers(page, "count") == ["5"]
    page = as_lead.get(IMAGES, {**query, "before": str(page.context["before"].public_id)})
    assert (shown(page), bool(page.context["before"]), bool(page.context["after"])) == (ids[2:4], True, True)
    page = as_lead.get(IMAGES, {**query, "before": str(page.context["before"].public_id)})
    assert (shown(page), page.context["before"], bool(page.context["after"])) == (ids[:2], None, True)


def test_the_grid_of_an_adjudicated_image_is_that_of_its_value(study: Study, as_lead: Client) -> None:
    case = make_case(study.project)
    settle(case, make_payload([("extra.torso", "1/4c")]))
    for view in ("", "compare"):
        page = as_lead.get(IMAGES, {"adjudicated": "1", "view": view})
        ((_, _, marked),) = page.context["tiles"]
        assert marked == [(6, 0, "severe")]
    (column,) = page.context["comparison"]["columns"]
    assert [cells for image, _, cells in column["shown"] if image == case.image] == [marked]


@pytest.fixture
def made(study: Study) -> Annotation:
    save(study.assignments[0], HANDS)
    return submit(study.assignments[0], replaces=1)


def address(annotation: Annotation) -> str:
    return reverse("annotation", args=[annotation.pk])


def sent(annotation: Annotation, **more: Any) -> dict[str, Any]:
    """The form that sends an annotation back."""
    return {"version": annotation.version, "request_key": str(uuid4()), "reason": "Hands?", **more}


def test_a_lead_sends_it_back_with_a_reason(made: Annotation, as_lead: Client) -> None:
    assert as_lead.post(address(made), sent(made))["Location"] == address(made)
    assert Annotation.objects.get(pk=made.pk).status == "reopened"
    assert "<q>Hands?</q>" in as_lead.get(address(made)).content.decode()


def test_an_annotation_shows_what_its_score_adds_up(made: Annotation, as_lead: Client) -> None:
    User.objects.filter(memberships=made.assignment.annotator).update(username="somebody")
    for place in (address(made), reverse("image_detail", args=["pilot", made.assignment.image.public_id])):
        page = as_lead.get(place)
        assert "sum" in codes(page)
        said = re.search(r'data-code="sum">([^<]*)<', page.content.decode())
        assert (said and said[1]) == "1/4 × 1 = 0.250"
        assert "somebody" not in page.content.decode()


def test_what_has_changed_since_is_not_sent_back(made: Annotation, as_lead: Client) -> None:
    Annotation.objects.filter(pk=made.pk).update(version=3)
    page = as_lead.post(address(made), sent(made), follow=True)
    assert "changed" in codes(page)
    assert Annotation.objects.get(pk=made.pk).status == "submitted"


def test_an_import_whose_annotator_has_no_account_is_not_returned(study: Study, as_lead: Client) -> None:
    unread = make_unread(study.assignments[0].annotator, make_image(study.project))
    assert "send-back" in codes(as_lead.get(address(unread)))
    Membership.objects.filter(pk=study.assignments[0].annotator.pk).update(user=None)
    assert "send-back" not in codes(as_lead.get(address(unread)))


def test_groups_of_prompts_are_saved_where_they_changed(db: None) -> None:
    project = make_project("grouped")
    for prompt, group in (("a hug", ""), ("a hand", "individual"), ("a crowd", "group"), ("a crowd", "pair")):
        make_image(project, prompt=prompt, prompt_group=group)
    make_image(project, prompt="a drawing to train with", generator=LESSONS)
    client, address = signed_in(make_member(project, LEAD)), reverse("prompts", args=[project.slug])
    rows = (shown := client.get(address).context)["rows"]
    assert shown["left"] == 1
    assert [(row["shown"], row["mixed"]) for row in rows] == [("", True), ("individual", False), ("", False)]
    sent: dict[str, Any] = {"prompt": ["a crowd", "a hand", "a hug"]}
    sent |= {"group-0": "", "shown-0": "", "group-1": "", "shown-1": "individual", "group-2": " pair "}
    assert client.post(address, sent).status_code == 302
    groups = project.images.order_by("pk").values_list("prompt_group", flat=True)
    assert list(groups) == ["pair", "", "group", "pair", ""]
    wrong = client.post(address, {**sent, "group-2": "x" * 81})
    assert (wrong.status_code, wrong.context["rows"][2]["group"]) == (422, "x" * 81)
