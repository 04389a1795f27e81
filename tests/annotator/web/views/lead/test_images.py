"""The gallery of a project's images, and the image pages opened from it."""

from __future__ import annotations

import re
import uuid
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from annotator.annotations.saving import submit_annotation
from annotator.models import Assignment, Image, Project
from annotator.web.views.lead import images as views
from tests.annotator.adjudicating import make_case, settle
from tests.annotator.web.views.conftest import Study
from tests.factories import make_assignment, make_batch, make_image, make_member, make_payload
from tests.support.codes import codes, numbers

IMAGES = "/projects/pilot/images/"


def answer(assignment: Assignment, *marks: tuple[str, str], **fields: Any) -> Image:
    """An annotation submitted by the assignment's own annotator; its image."""
    assert assignment.annotator.user is not None
    submit_annotation(
        assignment=assignment,
        actor=assignment.annotator.user,
        payload=make_payload(marks, **fields),
        replaces=0,
        request_key=uuid.uuid4(),
    )
    return assignment.image


def shown(page: Any) -> list[int]:
    return [tile.image.pk for tile in page.context["tiles"]]


def detail(image: Image, query: str = "") -> str:
    return reverse("image_detail", args=[image.project.slug, image.public_id]) + query


def test_scores_are_on_the_pictures(study: Study, as_lead: Client) -> None:
    answer(study.assignments[0], ("missing.limbs", "1/4c"))  # 1/4
    answer(study.of_bob, ("missing.hands", "1/3b"))  # 1/6
    page = as_lead.get(IMAGES)
    assert shown(page) == [each.image_id for each in study.assignments]
    html = page.content.decode()
    assert '<span class="visually-hidden">score </span>0.21</span>' in html
    assert codes(page).count("not-labelled") == 2
    alone = as_lead.get(IMAGES, {"annotator": "bob"}).content.decode()
    assert '<span class="visually-hidden">score </span>0.17</span>' in alone


def test_filters_are_in_the_heading_and_in_chips(study: Study, as_lead: Client) -> None:
    image = answer(study.assignments[0], ("configuration.hands", "1/2c"))
    answer(study.assignments[1], ("configuration.hands", "1/2a"))
    given = {"cell": "configuration.hands", "severity": "c", "sort": "high", "from": "comparison.errors"}
    page = as_lead.get(IMAGES, given)
    html = page.content.decode()
    assert shown(page) == [image.pk]
    assert "1 image: <bdi>Configuration · Hands, severe</bdi>" in html
    assert '<a href="/projects/pilot/reports/comparison/#errors">' in html
    rest = "?cell=configuration.hands&amp;sort=high&amp;from=comparison.errors"
    assert f'href="{rest}" data-code="chip"' in html
    opened = detail(
        image, "?cell=configuration.hands&amp;severity=c&amp;sort=high&amp;from=comparison.errors"
    )
    assert f'href="{opened}"' in html


@pytest.mark.parametrize(
    ("given", "code"),
    [
        ({"severity": "z"}, "bad-severity"),
        ({"sort": "'; drop"}, "bad-sort"),
        ({"view": "film"}, "bad-view"),
        ({"from": "https://elsewhere.example"}, "bad-from"),
        ({"after": "x"}, "bad-place"),
        ({"before": str(uuid.UUID(int=5))}, "bad-place"),
        ({"colour": "red"}, "unknown-filter"),
        ({"page": "2"}, "unknown-filter"),
        ({"generator": "\0"}, "bad-generator"),
    ],
)
def test_bad_addresses_say_so(study: Study, as_lead: Client, given: dict[str, str], code: str) -> None:
    page = as_lead.get(IMAGES, given)
    assert page.status_code == 200
    assert code in codes(page)
    assert len(shown(page)) == 3


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


def test_neighbours_of_an_image_keep_filter_and_order(study: Study, as_lead: Client) -> None:
    for assignment, affected in zip(study.assignments, (1, 3, 2), strict=True):
        answer(assignment, ("missing.limbs", f"{affected}/4c"))
    first, second, third = (each.image for each in study.assignments)
    page = as_lead.get(detail(third, "?sort=high&cell=missing.limbs&from=comparison.errors"))
    html = page.content.decode()
    query = "?cell=missing.limbs&amp;sort=high&amp;from=comparison.errors"
    assert f'rel="prev" href="{detail(second, query)}"' in html
    assert f'rel="next" href="{detail(first, query)}"' in html
    assert f'href="{IMAGES}{query}"' in html
    assert "bad-sort" in codes(as_lead.get(detail(third, "?sort=sideways")))


def test_generators_side_by_side(study: Study, as_lead: Client) -> None:
    make_image(study.project, generator="sculptor", prompt="one person")
    make_image(study.project, generator="sculptor", prompt="two people")
    page = as_lead.get(IMAGES, {"view": "compare"})
    assert page.context["comparison"].prompt == "one person"
    assert [each.generator for each in page.context["comparison"].columns] == ["painter", "sculptor"]
    assert 'href="?view=compare&amp;compare=two%20people#compare-title"' in page.content.decode()
    other = as_lead.get(IMAGES, {"view": "compare", "compare": "two people"}).context["comparison"]
    assert (other.prompt, other.previous, other.next) == ("two people", "one person", "")


def test_marks_in_small(study: Study, as_lead: Client) -> None:
    image = answer(study.assignments[0], ("missing.limbs", "1/4c"))
    answer(study.of_bob, ("missing.hands", "1/3b"))
    address = reverse("image_marks", args=["pilot", image.public_id])
    both = as_lead.get(address).content.decode()
    assert both.count('<table class="result compared-grid">') == 2
    assert "1/4c" in both
    assert "1/3b" in both
    only = as_lead.get(address, {"annotator": "bob"}).content.decode()
    assert ("1/4c" in only, "1/3b" in only) == (False, True)
    empty = reverse("image_marks", args=["pilot", study.assignments[1].image.public_id])
    assert codes(as_lead.get(empty)) == ["not-labelled"]
    case = make_case(study.project)
    settle(case)
    adjudicated = as_lead.get(reverse("image_marks", args=["pilot", case.image.public_id])).content.decode()
    assert adjudicated.count('<table class="result compared-grid">') == 1


def test_the_form_offers_attributes_people_and_tags(study: Study, as_lead: Client) -> None:
    Project.objects.filter(pk=study.project.pk).update(tags=["", "twinning"])
    image = study.assignments[0].image
    image.attributes = {"gender": "female", "a=b": "c", "place": ""}
    image.save()
    asked = {"add": "1", "attribute": ["gender=male", "age=old"], "tag": "twinning", "generator": "painter"}
    page = as_lead.get(IMAGES, asked)
    fields = [(each.title, each.chosen, list(each.values)) for each in page.context["choices"]]
    # What an address asks for stays, although no image has it.
    assert ("gender", "gender=male", [("gender=female", "female"), ("gender=male", "male")]) in fields
    assert ("age", "age=old", [("age=old", "old")]) in fields
    assert ("Tag", "twinning", [("twinning", "twinning")]) in fields
    assert [title for title, *_ in fields].count("People counted") == 1
    (form,) = re.findall(r'<form[^>]*id="add-filter".*?</form>', page.content.decode(), re.DOTALL)
    assert re.findall(r'<(\w+) id="(by-attribute-\d)" name="attribute"', form) == [
        ("select", "by-attribute-0"),
        ("select", "by-attribute-1"),
    ]
    assert form.count('name="attribute"') == 2


def rate(project: Project, ratings: str, **fields: Any) -> Image:
    """Return an image with these ratings, each by another rater; x is an invalid vote."""
    image, batch = make_image(project, **fields), make_batch(project, protocol="realism")
    for rating in ratings.split():
        rater = make_member(project)
        assert rater.user is not None
        submit_annotation(
            assignment=make_assignment(rater, image=image, batch=batch),
            actor=rater.user,
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


def test_the_images_have_consolidated_scores_and_say_why_one_has_none(study: Study, as_lead: Client) -> None:
    scored = rate(study.project, "1 9 1 8 1")
    rate(study.project, "x x x 9 9")
    rate(study.project, "9 9 9", attributes={"source": "real"})
    page = as_lead.get(IMAGES, {"protocol": "realism", "sort": "high"})
    html = page.content.decode()
    assert shown(page)[0] == scored.pk
    assert '<span class="score on-image"><span class="visually-hidden">score </span>1</span>' in html
    assert (codes(page).count("no-score"), codes(page).count("real")) == (1, 1)
    assert ">Highest score</a>" in html
    compared = as_lead.get(IMAGES, {"protocol": "realism", "view": "compare", "compare": scored.prompt})
    assert "from the highest to the lowest score" in compared.content.decode()
