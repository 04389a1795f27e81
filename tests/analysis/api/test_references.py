"""References in the API: a lead's program reads them, nobody else's."""

from __future__ import annotations

import pytest
from pytest_django import DjangoAssertNumQueries

from annotator.models import Reference
from annotator.training.references import add_reference, retire_reference
from tests.analysis.api.callers import Caller, calling, items
from tests.analysis.api.conftest import Study
from tests.factories import LEAD, REFERENCE, make_member, make_payload, make_project

pytestmark = pytest.mark.django_db

LIST = "/projects/pilot/references"
MARKED = {"cells": ["missing.hands"], "unsure": [], "no_errors": False, "flag": None, "note": ""}


def taught(study: Study, count: int = 1) -> list[Reference]:
    """References of the first images."""
    return [
        add_reference(
            image=row.image,
            protocol="anatomy",
            payload=make_payload(REFERENCE),
            origin=Reference.Origin.PLANTED,
            actor=study.people["lee"].user,
            rationales={"missing.face": "The mouth is missing."},
        )
        for row in study.queue[:count]
    ]


def test_a_reference_has_its_value_and_its_reasons(study: Study, lee: Caller) -> None:
    [made] = taught(study)
    [row] = items(lee.get(LIST))
    assert row["id"] == made.pk
    assert row["image"] == str(made.image.public_id)
    assert (row["version"], row["status"], row["origin"], row["made_by"]) == (1, "active", "planted", "lee")
    assert row["rationales"] == {"missing.face": "The mouth is missing."}
    assert row["payload"] == made.payload
    [score] = [one for one in row["ratings"] if one["variable"] == "cumulative_score"]
    assert (score["value"], score["component"]) == ("67/60", "")
    assert "protocol" not in row  # the project has one


def test_filters_and_pages(study: Study, lee: Caller) -> None:
    first, second, third = taught(study, 3)
    assert study.people["lee"].user is not None
    retire_reference(reference=second, actor=study.people["lee"].user)
    other = add_reference(
        image=first.image, protocol="presence", payload=MARKED, origin=Reference.Origin.NORMED, actor=None
    )
    for query, found in [
        ("status=active", [first, third, other]),
        ("status=retired", [second]),
        ("protocol=presence", [other]),
        ("protocol=anatomy&status=active", [first, third]),
    ]:
        assert [row["id"] for row in items(lee.get(f"{LIST}?{query}"))] == [one.pk for one in found], query
    [row] = items(lee.get(f"{LIST}?protocol=presence"))
    assert (row["protocol"], row["made_by"], row["rationales"]) == ("presence", None, {})
    page = lee.get(f"{LIST}?limit=2").json()
    assert [row["id"] for row in page["items"]] == [first.pk, second.pk]
    following = items(lee.get(f"{LIST}?limit=2&after={page['next']}"))
    assert [row["id"] for row in following] == [third.pk, other.pk]
    for query in ("status=draft", "protocol=moons", "image=1"):
        assert lee.get(f"{LIST}?{query}").status_code == 422, query


def test_only_leads_of_the_project(study: Study) -> None:
    taught(study)
    elsewhere = make_member(make_project("other"), LEAD)
    for caller in (*(calling(study.people[code]) for code in ("ada", "bob", "rex")), calling(elsewhere)):
        refused = caller.get(LIST)
        assert refused.status_code == 404
        assert b"mouth" not in refused.content


@pytest.mark.parametrize("count", [1, 3])
def test_a_list_costs_the_same(
    study: Study, lee: Caller, count: int, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    taught(study, count)
    lee.get(LIST)
    # the token, the project, its protocols, the references with images and authors
    with django_assert_num_queries(4):
        assert len(items(lee.get(LIST))) == count
