"""The Django admin changes accounts, and names and weights of projects."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from annotator.models import Assignment, Event, Project, User
from tests.annotator.acting import save, submit
from tests.factories import make_assignment, make_member, make_payload, make_project, make_user

pytestmark = pytest.mark.django_db


@pytest.fixture
def superuser(client: Client) -> Client:
    client.force_login(make_user(is_staff=True, is_superuser=True))
    return client


def _row() -> Assignment:
    member = make_member(make_project())
    assignment = make_assignment(member)
    save(assignment, make_payload())
    return assignment


def _address(model: Any, page: str, *arguments: object) -> str:
    return reverse(f"admin:annotator_{model._meta.model_name}_{page}", args=arguments)


@pytest.mark.parametrize("model", [User, Project])
def test_what_data_hangs_on_is_never_deleted(superuser: Client, model: Any) -> None:
    _row()
    row = model.objects.first()
    assert superuser.post(_address(model, "delete", row.pk), {"post": "yes"}).status_code == 403
    assert model.objects.filter(pk=row.pk).exists()


def _edit(client: Client, project: Project, weights: str) -> str:
    data = {"name": "Renamed", "weights": weights}
    return client.post(_address(Project, "change", project.pk), data).content.decode()


def test_weights_are_checked(superuser: Client) -> None:
    project = make_project()
    assert "weight &#x27;b&#x27; is missing" in _edit(superuser, project, '{"a": "0.2", "c": "1"}')
    assert "Enter the weights as an object" in _edit(superuser, project, "[1]")
    _edit(superuser, project, '{"a": "0.1", "b": "0.5", "c": "1"}')
    project.refresh_from_db()
    assert (project.name, project.weights) == ("Renamed", {"a": "0.1", "b": "0.5", "c": "1"})


def test_weights_are_fixed_once_answers_are_rated(superuser: Client) -> None:
    assignment = _row()
    project = assignment.batch.project
    submit(assignment, make_payload(), replaces=1)
    before = project.weights
    _edit(superuser, project, '{"a": "9", "b": "9", "c": "9"}')
    project.refresh_from_db()
    assert (project.name, project.weights) == ("Renamed", before)


def _events() -> list[tuple[str, int | None, dict[str, Any]]]:
    return list(Event.objects.order_by("pk").values_list("verb", "project", "data"))


def test_an_edit_of_a_project_leaves_an_event(superuser: Client) -> None:
    project = make_project("side", name="Before")
    _edit(superuser, project, '{"a": "0.2", "b": "0.5", "c": "1"}')
    weights = {"a": "0.2", "b": "0.5", "c": "1"}
    data = {
        "replaced": {"name": "Before", "weights": weights},
        "settings": {"name": "Renamed", "weights": weights},
    }
    assert _events() == [("project_changed", project.pk, data)]


def test_an_edit_of_an_account_leaves_an_event_without_what_is_personal(superuser: Client) -> None:
    user = make_user("ada", email="old@example.org")
    page = superuser.get(_address(User, "change", user.pk)).context["adminform"].form
    data = {
        name: value for name, value in page.initial.items() if value and not isinstance(value, dict | list)
    }
    data |= {"date_joined_0": "2026-01-01", "date_joined_1": "10:00:00", "email": "new@example.org"}
    answer = superuser.post(
        _address(User, "change", user.pk), {**data, "is_staff": "on", "preferences": "{}"}
    )
    assert answer.status_code == 302, answer.content
    new = {"password1": "a-word-of-its-own", "password2": "a-word-of-its-own", "usable_password": "true"}
    superuser.post(reverse("admin:auth_user_password_change", args=[user.pk]), new)
    (first, project, changed), *_, (last, _, password) = _events()
    assert (first, last, project) == ("account_changed", "account_changed", None)
    assert (changed["account"], changed["is_staff"]) == (user.pk, True)
    assert {"Email address", "Staff status"} <= set(changed["fields"])
    assert password["fields"] == ["password"]
    assert "example.org" not in str(_events())
