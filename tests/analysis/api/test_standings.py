"""Standings in the API: a lead's program reads them, by pseudonym."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from analysis.pseudonyms import pseudonyms
from annotator.models import Standing
from tests.analysis.api.callers import Caller, calling, items
from tests.analysis.api.conftest import Study
from tests.factories import ANNOTATOR, LEAD, make_member, make_project

pytestmark = pytest.mark.django_db

LIST = "/projects/pilot/standings"


def given(study: Study, code: str, state: str = "qualified", **more: object) -> Standing:
    values = {"protocol": "anatomy", "guideline": "1.2", "changed_at": timezone.now(), **more}
    return Standing.objects.create(membership=study.people[code], state=state, **values)


def test_a_standing_names_nobody(study: Study, lee: Caller) -> None:
    made = given(study, "ada", "waived", reason="Ada wrote it.", evidence=[7, 8])
    answer = lee.get(LIST)
    [row] = items(answer)
    name = pseudonyms(made.membership.project)["ada"]
    assert (row["annotator"], row["state"], row["permits_work"]) == (name, "waived", True)
    assert (row["guideline"], row["evidence"], "protocol" in row) == ("1.2", 2, False)
    assert b"ada" not in answer.content.lower()


def test_filters_and_pages(study: Study, lee: Caller) -> None:
    given(study, "ada")
    given(study, "bob", "lapsed")
    given(study, "ada", "training", protocol="presence")
    states = [row["state"] for row in items(lee.get(LIST))]
    assert states == ["qualified", "lapsed", "training"]
    assert [row["state"] for row in items(lee.get(f"{LIST}?protocol=presence"))] == ["training"]
    assert [row["state"] for row in items(lee.get(f"{LIST}?state=lapsed"))] == ["lapsed"]
    page = lee.get(f"{LIST}?limit=2").json()
    assert [row["state"] for row in items(lee.get(f"{LIST}?after={page['next']}"))] == ["training"]
    for query in ("state=draft", "protocol=moons", "code=ada"):
        assert lee.get(f"{LIST}?{query}").status_code == 422, query


def test_what_is_due_has_lapsed(study: Study, lee: Caller) -> None:
    long_ago = timezone.now() - timedelta(days=91)
    idle = make_member(study.people["lee"].project, ANNOTATOR)
    Standing.objects.create(
        membership=idle, protocol="anatomy", state="qualified", changed_at=long_ago, evidence=[]
    )
    assert [row["state"] for row in items(lee.get(LIST))] == ["lapsed"]


def test_only_leads_of_the_project(study: Study) -> None:
    given(study, "ada")
    elsewhere = make_member(make_project("other"), LEAD)
    for caller in (*(calling(study.people[code]) for code in ("ada", "bob", "rex")), calling(elsewhere)):
        assert caller.get(LIST).status_code == 404


@pytest.mark.parametrize("count", [1, 3])
def test_a_list_costs_the_same(
    study: Study, lee: Caller, count: int, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    for code in ("ada", "bob", "lee")[:count]:
        given(study, code)
    lee.get(LIST)
    # the token, the project, what lapses, its protocols, the pseudonyms, the standings with people
    with django_assert_num_queries(6):
        assert len(items(lee.get(LIST))) == count
