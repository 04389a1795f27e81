"""The gallery and an annotation as a lead reads it."""

from __future__ import annotations

import re
import uuid
from typing import Any
from uuid import uuid4

import pytest
from django.test import Client
from django.urls import reverse

from annotator.annotations.saving import submit_annotation
from annotator.batches.closing import close_batch
from annotator.gallery.small_grids import SmallCell
from annotator.models import Annotation, Assignment, Image, Membership, Project
from annotator.web.views.lead import images as views
from tests.analysis.factories import make_unread
from tests.annotator.acting import HANDS, save, submit, verbs
from tests.annotator.adjudicating import make_case, settle
from tests.annotator.web.views.conftest import Study
from tests.factories import make_assignment, make_batch, make_image, make_member, make_payload, user_of
from tests.support.codes import codes, numbers

IMAGES = "/projects/pilot/images/"


def answer(assignment: Assignment, *marks: tuple[str, str], **fields: Any) -> Image:
    """An annotation submitted by the assignment's own annotator; its image."""
    submit_annotation(
        assignment=assignment,
        actor=user_of(assignment.annotator),
        payload=make_payload(marks, **fields),
        replaces=0,
        request_key=uuid.uuid4(),
    )
    return assignment.image


def shown(page: Any) -> list[int]:
    return [tile.image.pk for tile in page.context["tiles"]]


def detail(image: Image, query: str = "") -> str:
    return reverse("image_detail", args=[image.project.slug, image.public_id]) + query


def test_pages_begin_where_the_last_one_ended(
    study: Study, as_lead: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
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
        (tile,) = page.context["tiles"]
        assert tile.cells == [SmallCell(6, 0, "severe")]
    (column,) = page.context["comparison"].columns
    assert [cells for image, _, cells in column.shown if image == case.image] == [tile.cells]


def rate(project: Project, ratings: str, **fields: Any) -> Image:
    """Return an image with these ratings, each by another rater; x is an invalid vote."""
    image, batch = make_image(project, **fields), make_batch(project, protocol="realism")
    for rating in ratings.split():
        rater = make_member(project)
        submit_annotation(
            assignment=make_assignment(rater, image=image, batch=batch),
            actor=user_of(rater),
            payload={"invalid": "no_person"} if rating == "x" else {"rating": int(rating)},
            replaces=0,
            request_key=uuid.uuid4(),
        )
    return image


def outcome(lead: Client, image: Image) -> dict[str, str]:
    """Return the titles and texts of an image's outcome, and the first figure of the page's head."""
    html = lead.get(detail(image, "?protocol=realism")).content.decode()
    (head,) = re.findall(r'<dl class="figures">(.*?)</dl>', html, re.DOTALL)
    (own,) = re.findall(r'data-code="outcome">.*?<dl[^>]*>(.*?)</dl>', html, re.DOTALL)
    pairs = re.compile(r"<dt>([^<]*)</dt><dd>([^<]*)</dd>")
    return {"head": " ".join(pairs.findall(head)[0]), **dict(pairs.findall(own))}


def test_a_consolidated_image_shows_score_branch_and_ratings_kept(study: Study, as_lead: Client) -> None:
    image = rate(study.project, "1 9 1 8 1")
    assert outcome(as_lead, image) == {
        "head": "Realism 1",
        "Ratings": "1 1 1 8 9",
        "Outcome": "mean of the ratings strictly inside median ± half the interquartile range",
        "Interval": "−2.5 to 4.5, around the median 1",
        "Kept": "1 1 1",
        "Class": "low; it would change if one rating changed by 1",
        "Median of all": "1",
        "Mean of all": "4",
    }


@pytest.fixture
def made(study: Study) -> Annotation:
    save(study.assignments[0], HANDS)
    return submit(study.assignments[0], replaces=1)


def address(annotation: Annotation) -> str:
    return reverse("annotation", args=[annotation.pk])


def sent(annotation: Annotation, **more: Any) -> dict[str, Any]:
    """The form that sends an annotation back."""
    return {"version": annotation.version, "request_key": str(uuid4()), "reason": "Hands?", **more}


def test_a_lead_sends_it_back_with_a_reason(study: Study, made: Annotation, as_lead: Client) -> None:
    close_batch(batch=study.assignments[0].batch, reason="Done.", actor=study.lead.user)
    answer = as_lead.post(address(made), sent(made))
    assert (answer.status_code, answer["Location"]) == (302, address(made))
    made.refresh_from_db()
    assert (made.status, made.ratings) == ("reopened", None)
    html = as_lead.get(address(made)).content.decode()
    assert "reopened_by_lead" in verbs(study.assignments[0])
    assert "<q>Hands?</q>" in html
    assert "send-back" not in codes(html)


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
