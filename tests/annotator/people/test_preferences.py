"""Settings of a person."""

from __future__ import annotations

from typing import Any

import pytest

from annotator.models import User
from annotator.people.preferences import change_preferences, preferences_of
from scoring.protocol import InvalidPayload
from tests.factories import make_user

pytestmark = pytest.mark.django_db

DEFAULTS = {"single_keys": True, "surround": "auto", "show_score": False, "hide_codes": False}


def test_everybody_begins_with_the_defaults() -> None:
    assert preferences_of(make_user()) == DEFAULTS


@pytest.mark.parametrize("stored", [{}, [], None, "x", {"theme": "dark"}])
def test_whatever_is_stored_gives_all_settings(stored: Any) -> None:
    assert preferences_of(User(preferences=stored)) == DEFAULTS


def test_a_change_leaves_the_rest() -> None:
    user, other = make_user(), make_user()
    stale = User.objects.get(pk=user.pk)
    assert change_preferences(user=user, changes={"surround": "dark"}) == {**DEFAULTS, "surround": "dark"}
    changed = {**DEFAULTS, "surround": "dark", "show_score": True}
    assert change_preferences(user=stale, changes={"show_score": True}) == changed
    assert preferences_of(User.objects.get(pk=user.pk)) == preferences_of(stale) == changed
    assert preferences_of(User.objects.get(pk=other.pk)) == DEFAULTS


@pytest.mark.parametrize(
    ("changes", "fields"),
    [
        (None, [""]),
        ([], [""]),
        ({"theme": "dark"}, [""]),
        ({"single_keys": 1}, ["single_keys"]),
        ({"single_keys": None}, ["single_keys"]),
        ({"surround": "black"}, ["surround"]),
        ({"surround": None, "show_score": "yes"}, ["surround", "show_score"]),
    ],
)
def test_nonsense_is_refused_by_name_and_changes_nothing(changes: object, fields: list[str]) -> None:
    user = make_user()
    with pytest.raises(InvalidPayload) as caught:
        change_preferences(user=user, changes=changes)
    assert sorted(caught.value.errors) == sorted(fields)
    assert preferences_of(User.objects.get(pk=user.pk)) == DEFAULTS
