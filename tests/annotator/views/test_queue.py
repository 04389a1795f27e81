"""Home and queue: where a person stands and the one button that goes on."""

from __future__ import annotations

import pytest
from django.test import Client
from django.urls import reverse
from pytest_django import DjangoAssertNumQueries

from annotator.models import Assignment
from tests.annotator.views.conftest import Study, address, signed_in, typed
from tests.factories import ANNOTATOR, make_assignment, make_batch, make_member, make_project, make_user

QUEUE = "/projects/pilot/queue/"


def test_an_annotator_of_one_project_goes_straight_on(as_ada: Client) -> None:
    assert as_ada.get("/")["Location"] == QUEUE


def test_several_projects_are_listed_with_what_is_waiting(study: Study, as_ada: Client) -> None:
    second = make_project("second", name="Second look")
    make_member(second, ANNOTATOR, user=study.ada.user, code="ada")
    make_member(make_project("closed", name="Closed"), user=study.ada.user, code="ada", is_active=False)
    as_ada.post(address(study.assignments[0]), typed("submit", no_errors="on"))
    html = as_ada.get("/").content.decode()
    assert "2 images waiting for you" in html
    assert "Second look" in html
    assert "Closed" not in html


def test_a_lead_sees_the_way_to_the_overview(as_lead: Client) -> None:
    html = as_lead.get("/").content.decode()
    assert 'href="/projects/pilot/"' in html
    assert "Lead" in html


def test_somebody_in_no_project_is_told_what_to_do(db: None) -> None:
    client = Client()
    client.force_login(make_user("new"))
    assert "You are in no project yet" in client.get("/").content.decode()


def test_the_queue_begins_with_start(study: Study, as_ada: Client) -> None:
    html = as_ada.get(QUEUE).content.decode()
    assert f'href="{address(study.assignments[0])}">Start</a>' in html
    assert "<b>0</b> of 3 done" in html
    assert "3 images to go" in html


def test_the_queue_goes_on_at_the_first_open_image(study: Study, as_ada: Client) -> None:
    first, second, third = study.assignments
    as_ada.post(address(first), typed("submit", no_errors="on"))
    as_ada.post(address(third), typed("draft", missing_limbs="1/4c"))
    page = as_ada.get(QUEUE)
    assert f'href="{address(second)}">Continue</a>' in page.content.decode()
    assert [row.pk for row in page.context["drafts"]] == [third.pk]
    assert [row.place for row in page.context["drafts"]] == [3]
    assert [row.pk for row in page.context["submitted"]] == [first.pk]


def test_a_finished_queue_says_so_and_can_be_undone(study: Study, as_ada: Client) -> None:
    for assignment in study.assignments:
        as_ada.post(address(assignment), typed("submit", no_errors="on"))
    html = as_ada.get(f"{QUEUE}?after={study.assignments[2].pk}").content.decode()
    assert "All done" in html
    assert "Image 3 submitted." in html
    assert 'value="reopen">Undo' in html


@pytest.mark.parametrize("after", ["", "x", "-1", "99999999", "9" * 40, "²"])
def test_an_after_that_names_nothing_is_ignored(as_ada: Client, after: str) -> None:
    page = as_ada.get(QUEUE, {"after": after})
    assert page.status_code == 200
    assert "Undo" not in page.content.decode()


def test_somebody_without_assignments_is_told_so(study: Study) -> None:
    html = signed_in(make_member(study.project)).get(QUEUE).content.decode()
    assert "Nothing is waiting for you" in html


def test_submitted_images_come_in_pages(study: Study, as_ada: Client) -> None:
    batch = make_batch(study.project)
    for _ in range(22):
        made = make_assignment(study.ada, batch=batch)
        as_ada.post(address(made), typed("submit", no_errors="on"))
    assert len(as_ada.get(QUEUE).context["submitted"]) == 20
    second = as_ada.get(QUEUE, {"page": "2", "drafts": "x"})
    assert len(second.context["submitted"]) == 2
    assert [row.place for row in second.context["submitted"]] == [5, 4]


@pytest.mark.parametrize("count", [1, 3])
def test_the_queue_asks_as_much_for_one_row_as_for_three(
    study: Study, as_ada: Client, count: int, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    batch = make_batch(study.project)
    for _ in range(count):
        as_ada.post(address(make_assignment(study.ada, batch=batch)), typed("submit", no_errors="on"))
        as_ada.post(address(make_assignment(study.ada, batch=batch)), typed("draft", missing_limbs="1/4c"))
    # session, user, membership, progress, next, two lists with their lengths
    with django_assert_num_queries(9):
        as_ada.get(QUEUE)


@pytest.mark.parametrize("count", [2, 4])
def test_home_asks_as_much_for_many_projects(
    study: Study, as_ada: Client, count: int, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    for _ in range(count):
        member = make_member(make_project(), user=study.ada.user)
        make_assignment(member)
    with django_assert_num_queries(3):
        as_ada.get(reverse("home"))
    assert Assignment.objects.count() == count + 4
