"""A lead's pages: what they show, and that they do not grow with the project."""

from __future__ import annotations

import uuid
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from annotator.annotations.saving import save_draft, submit_annotation
from annotator.models import Annotation, Assignment, Image
from tests.annotator.web.views.conftest import Study
from tests.factories import make_assignment, make_batch, make_image, make_member, make_payload, make_project
from tests.support.codes import codes, numbers

PROJECT = "/projects/pilot/details/"
IMAGES = "/projects/pilot/images/"
PROBLEMS = "/projects/pilot/problems/"


def answer(assignment: Assignment, *marks: tuple[str, str], submit: bool = True, **fields: Any) -> Annotation:
    """An annotation made by the assignment's own annotator."""
    assert assignment.annotator.user is not None
    verb = submit_annotation if submit else save_draft
    return verb(
        assignment=assignment,
        actor=assignment.annotator.user,
        payload=make_payload(marks, **fields),
        replaces=0,
        request_key=uuid.uuid4(),
    )


def detail(image: Image) -> str:
    """The page of one image."""
    return reverse("image_detail", args=[image.project.slug, image.public_id])


def test_the_overview_counts(study: Study, as_lead: Client) -> None:
    make_image(study.project, generator="sculptor", prompt="a pair", prompt_group="pair")
    answer(study.assignments[0], ("missing.limbs", "1/4c"))
    answer(study.assignments[1], ("missing.limbs", "1/4c"), submit=False)
    page = as_lead.get(PROJECT)
    counts = page.context["counts"]
    assert (counts.images, counts.assignments, counts.done) == (4, 4, 1)
    people = {row.code: (row.owed, row.done, row.begun) for row in page.context["people"]}
    assert people == {"ada": (3, 1, 1), "bob": (1, 0, 0), "lee": (0, 0, 0)}
    [batch] = page.context["batches"]
    assert (batch.owed, batch.done, batch.image_count, batch.people) == (4, 1, 3, 2)
    rows = [(row.prompt, row.prompt_group, row.counts, row.total) for row in page.context["prompt_rows"]]
    assert rows == [("a pair", "pair", (0, 1), 1), ("one person", "", (3, 0), 3)]
    assert page.context["generators"] == [("painter", 3), ("sculptor", 1)]


def test_an_empty_project_says_what_to_do(as_lead: Client, study: Study) -> None:
    empty = make_project("empty")
    make_member(empty, "lead", user=study.lead.user, code="lee")
    assert codes(as_lead.get("/projects/empty/details/")) == ["no-batch", "weights"]
    images = as_lead.get("/projects/empty/images/").content.decode()
    assert '<a class="button primary large" href="/projects/empty/uploads/">Add images</a>' in images


def test_many_generators_and_prompts_come_in_parts(study: Study, as_lead: Client) -> None:
    for number in range(25):
        make_image(study.project, generator=f"generator {number:02}", prompt=f"prompt {number:02}")
    page = as_lead.get(PROJECT, {"prompts": "2"})
    assert len(page.context["generators"]) == 12
    assert [row.prompt for row in page.context["prompt_rows"]] == [f"prompt {n}" for n in range(19, 25)]


def test_one_image_shows_every_annotation(study: Study, as_lead: Client) -> None:
    answer(study.assignments[0], ("missing.limbs", "1/4c"), ("missing.limbs", "1/3b"), note="<b>left</b>")
    answer(study.of_bob, ("missing.hands", "1/3b"), submit=False)
    page = as_lead.get(detail(study.assignments[0].image))
    html = page.content.decode()
    assert [reading.annotation.assignment.annotator.code for reading in page.context["readings"]] == [
        "ada",
        "bob",
    ]
    assert [reading.score for reading in page.context["readings"]] == ["5/12", ""]
    assert "0.417" in html
    assert '<span class="tag">Draft</span>' in html
    assert numbers(html, "different_totals") == ["3", "4"]
    assert "&lt;b&gt;left&lt;/b&gt;" in html
    assert "Missing" in html


def test_an_image_nobody_has_seen_says_so(study: Study, as_lead: Client) -> None:
    assert numbers(as_lead.get(detail(study.assignments[0].image)), "assigned") == ["2"]
    assert "not-assigned" in codes(as_lead.get(detail(make_image(study.project))))


def imported(assignment: Assignment, problems: list[dict[str, Any]]) -> Annotation:
    """An annotation as the import leaves it."""
    return Annotation.objects.create(
        assignment=assignment,
        payload=make_payload(),
        status="submitted",
        ratings=[["cumulative_score", "", "1/4"]],
        saved_at=timezone.now(),
        submitted_at=timezone.now(),
        source={"file": "sheet.csv", "row": 2, "image_id": "x", "cells": {}, "problems": problems},
        has_unread_terms=bool(problems),
    )


def test_problems_of_the_import_are_listed(study: Study, as_lead: Client) -> None:
    problem = {"row": 2, "column": "2. Extra Error-2.4 Hands", "text": "1/5", "reason": "no severity"}
    imported(study.assignments[0], [problem, {**problem, "column": "2. Extra Error-2.5 Face"}])
    imported(study.assignments[1], [])
    answer(study.assignments[2], ("missing.limbs", "1/4c"))
    assert as_lead.get(PROJECT).context["problems"] == 1
    for page in (PROBLEMS, detail(study.assignments[0].image)):
        html = as_lead.get(page).content.decode()
        assert "<code>1/5</code>" in html
        assert "2. Extra Error-2.4 Hands" in html
    image = detail(study.assignments[0].image)
    assert as_lead.get(PROBLEMS).content.decode().count(f'href="{image}"') == 1
    assert "Not read" not in as_lead.get(detail(study.assignments[1].image)).content.decode()


@pytest.mark.parametrize("count", [1, 3])
@pytest.mark.parametrize(("page", "queries"), [(PROJECT, 14), (IMAGES, 8), (PROBLEMS, 5), ("detail", 14)])
def test_pages_ask_as_much_for_one_row_as_for_three(
    study: Study,
    as_lead: Client,
    count: int,
    page: str,
    queries: int,
    django_assert_num_queries: DjangoAssertNumQueries,
) -> None:
    image = study.assignments[0].image
    for number in range(count):
        made = make_image(
            study.project, generator=f"g{number}", prompt=f"p{number}", prompt_group=f"q{number}"
        )
        member = make_member(study.project)
        batch = make_batch(study.project)
        imported(make_assignment(member, batch=batch, image=made), [{"row": 1, "text": "x"}])
        imported(make_assignment(member, batch=batch, image=image), [])
    with django_assert_num_queries(queries):
        as_lead.get(detail(image) if page == "detail" else page)
