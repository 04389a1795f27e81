"""Codes that are proposed, whose they are, and which look like a name."""

from __future__ import annotations

import pytest

from annotator.models import Membership
from annotator.people.codes import waiting_members, waits_for_its_person
from annotator.people.personal_codes import looks_personal
from tests.factories import make_member, make_project, make_user

pytestmark = pytest.mark.django_db


def test_who_waits_for_their_person() -> None:
    project = make_project()
    imported = make_member(project, user=make_user("study.anno1", is_active=False), code="anno1")
    known = make_user("known", password="can-sign-in")
    make_member(project, user=known)
    switched_off = make_user("off", password="could-sign-in", is_active=False)
    make_member(project, user=switched_off)
    make_member(project, user=make_user("by-another-way"))  # an account without a password that is in use
    Membership.objects.create(project=project, user=None, role="annotator", code="has-left")
    waiting = [each.code for each in project.memberships.all() if waits_for_its_person(each)]
    assert waiting == [imported.code]
    assert list(waiting_members(project)) == [imported]


@pytest.mark.parametrize(
    "code", ["maria", "Maria", "Jane Doe", "j.smith", "jane_doe", "José", "王芳", "Ольга"]
)
def test_names(code: str) -> None:
    assert looks_personal(code) == "name"


@pytest.mark.parametrize("code", ["a@example.org", "maria@lab"])
def test_addresses(code: str) -> None:
    assert looks_personal(code) == "email"


@pytest.mark.parametrize(
    "code",
    [
        "ann1",
        "anno4",
        "p01",
        "A",
        "AB",
        "lead",
        "lead-a",
        "Reviewer 2",
        "coder b",
        "participant no. 3",
        "7",
        "=x",
    ],
)
def test_other_codes(code: str) -> None:
    assert looks_personal(code) == ""


def test_a_known_name_is_one_with_digits_too() -> None:
    assert looks_personal("maria84", ["Maria84"]) == "name"
    assert looks_personal("lead", ["lead"]) == ""
    assert looks_personal("p1", ["p1", ""]) == looks_personal("ann2", ["ann2"]) == ""
