"""A prompt's images from best to worst: by the protocol's score, ties together, all left out named."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest
from django.test import Client
from django.utils import timezone

from analysis.first_screen import best_to_worst as module
from analysis.first_screen.best_to_worst import best_to_worst
from annotator.annotations.summaries import summarise
from annotator.data_sets.settings import DataSetSettings, save_settings
from annotator.models import Annotation, Image, Project
from scoring.realism.protocol import REALISM, clean
from tests.analysis.factories import make_submitted
from tests.factories import (
    LEAD,
    make_assignment,
    make_batch,
    make_image,
    make_member,
    make_project,
    make_stored_image,
)
from tests.support.codes import codes

pytestmark = [pytest.mark.django_db, pytest.mark.databases]
ADDRESS = "/projects/bodies/reports/ranking/strip/"
SVG = "{http://www.w3.org/2000/svg}"
# Scores by the published rule: 9, 2, 9, none (three invalid), 7.4.
RATINGS = ("7 8 9 9 10", "2 2 1 1 2", "9 9 9 9 9", "x x x 9 10", "1 9 9 9 9")


@pytest.fixture
def bodies(client: Client) -> Project:
    """Five images of one prompt rated by five people each, one of another prompt."""
    project = make_project("bodies")
    lead = make_member(project, LEAD)
    assert lead.user is not None
    client.force_login(lead.user)
    batch = make_batch(project, name="Realism", protocol="realism")
    people = [make_member(project, code=code) for code in "abcde"]
    for place, ratings in enumerate(RATINGS):
        image = make_stored_image(
            project, prompt="a man", generator="gA" if place % 2 else "gB", number=place
        )
        for person, said in zip(people, ratings.split(), strict=True):
            payload: dict[str, object] = {"invalid": "no_person"} if said == "x" else {"rating": int(said)}
            rate(project, make_assignment(person, image=image, batch=batch, status="done").pk, payload)
    make_image(project, prompt="a woman & a child", number=9)
    return project


def rate(project: Project, assignment: int, payload: dict[str, object]) -> None:
    answer = clean(payload)
    Annotation.objects.create(
        assignment_id=assignment,
        payload=answer.payload(),
        ratings=[list(map(str, rating)) for rating in REALISM.ratings(answer, {})],
        status="submitted",
        submitted_at=timezone.now(),
        saved_at=timezone.now(),
    )


def test_realism_is_ordered_by_the_consolidated_score(bodies: Project) -> None:
    found = best_to_worst(bodies, "realism", "a man")
    assert found is not None
    assert [[(one.place, one.score, one.image.number) for one in group] for group in found.groups] == [
        [(1, "9.00", 0), (1, "9.00", 2)],
        [(3, "7.40", 4)],
        [(4, "2.00", 1)],
    ]
    assert (found.scored, found.unscored, found.not_read) == (4, 1, 0)
    assert (found.previous, found.next) == ("", "a woman & a child")


def test_anatomy_is_ordered_with_the_fewest_errors_first() -> None:
    project = make_project("bodies")
    person = make_member(project, code="a")
    for number, marks in enumerate(([("missing.limbs", "1/4c")], [], [("missing.limbs", "2/4c")])):
        make_submitted(person, marks, image=make_image(project, prompt="a man", number=number))
    summarise(project.pk, list(Image.objects.values_list("pk", flat=True)), "anatomy")
    found = best_to_worst(project, "anatomy", None)
    assert found is not None
    assert [(one.image.number, one.score) for one in found.shown] == [(1, "0.00"), (0, "0.25"), (2, "0.50")]


def test_more_images_than_a_strip_shows_are_taken_at_equal_steps(
    bodies: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "SHOWN", 2)
    found = best_to_worst(bodies, "realism", "a man")
    assert found is not None
    assert [one.place for one in found.shown] == [1, 3]
    monkeypatch.setattr(module, "READ", 3)
    found = best_to_worst(bodies, "realism", "a man")
    assert found is not None
    assert (found.scored, found.not_read) == (3, 2)


def test_the_page_says_which_way_is_better_and_what_is_left_out(bodies: Project, client: Client) -> None:
    page = client.get(ADDRESS, {"prompt": "a man"})
    assert {"higher-is-better", "tied"} <= set(codes(page))
    assert b"4 scored images; 1 image without a score not shown" in page.content
    assert b"prompt=a+woman+%26+a+child" in page.content


def test_the_first_prompt_with_a_score_is_shown_and_no_real_picture(bodies: Project, client: Client) -> None:
    make_image(bodies, prompt="a boy", number=1)
    batch, person = bodies.batches.get(), bodies.memberships.get(code="a")
    voted = make_image(bodies, prompt="a child", number=1)
    vote = make_assignment(person, image=voted, batch=batch, status="done")
    rate(bodies, vote.pk, {"invalid": "no_person"})
    bodies.images.filter(number=0).update(attributes={"source": "real"})
    found = best_to_worst(bodies, "realism", None)
    assert found is not None
    assert (found.prompt, found.previous) == ("a man", "a child")
    assert (found.scored, found.unscored) == (3, 1)
    assert b'rel="next"' in client.get(ADDRESS, {"prompt": "a boy"}).content


def test_a_prompt_without_scores_or_images_is_told(bodies: Project, client: Client) -> None:
    assert "no-scores" in codes(client.get(ADDRESS, {"prompt": "a woman & a child"}))
    assert "no-prompt" in codes(client.get(ADDRESS, {"prompt": "a cat"}))


@pytest.mark.parametrize(("form", "kind"), [("svg", "image/svg+xml"), ("png", "image/png")])
def test_the_strip_is_a_file(bodies: Project, client: Client, form: str, kind: str) -> None:
    answer = client.get(f"{ADDRESS[:-1]}.{form}", {"prompt": "a man"})
    assert answer["Content-Type"] == kind
    assert 'filename="bodies-best-to-worst-a-man.' in answer["Content-Disposition"]
    if form == "svg":
        drawn = ElementTree.fromstring(answer.content)
        assert len(drawn.findall(f"{SVG}image")) == 4


def test_a_file_without_scores_says_so(bodies: Project, client: Client) -> None:
    answer = client.get(f"{ADDRESS[:-1]}.svg", {"prompt": "a woman & a child"})
    drawn = ElementTree.fromstring(answer.content)
    assert drawn.findall(f"{SVG}image") == []
    assert "0 scored images; 1 image without a score not shown." in (
        drawn.findall(f"{SVG}text")[1].text or ""
    )


def test_a_file_names_another_number_of_invalid_votes(bodies: Project, client: Client) -> None:
    save_settings(bodies, DataSetSettings(invalid_from=1), None)
    answer = client.get(f"{ADDRESS[:-1]}.svg", {"prompt": "a man"})
    words = ElementTree.fromstring(answer.content).findall(f"{SVG}text")[1].text or ""
    assert "; images with 1 or more invalid votes have no score." in words


def test_there_is_no_file_of_no_prompt_or_in_another_form(bodies: Project, client: Client) -> None:
    assert client.get(f"{ADDRESS[:-1]}.svg", {"prompt": "a cat"}).status_code == 404
    assert client.get(f"{ADDRESS[:-1]}.gif", {"prompt": "a man"}).status_code == 404
