"""The Django admin shows everything and changes only people, roles and settings."""

from __future__ import annotations

import os
from typing import Any
from uuid import uuid4

import pytest
from django.contrib import admin
from django.contrib.auth.models import Group
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotator.annotations.saving import save_draft, submit_annotation
from annotator.models import Annotation, Assignment, Batch, Event, Image, Membership, Project, User
from tests.factories import make_assignment, make_member, make_payload, make_project, make_user

pytestmark = pytest.mark.django_db

EVERYTHING = [Annotation, Assignment, Batch, Event, Image, Membership, Project, User]
LOOKED_AT = [Annotation, Assignment, Batch, Event, Image]


@pytest.fixture
def superuser(client: Client) -> Client:
    client.force_login(make_user(is_staff=True, is_superuser=True))
    return client


def _row() -> Assignment:
    member = make_member(make_project())
    assignment = make_assignment(member)
    assert member.user is not None
    save_draft(
        assignment=assignment, actor=member.user, payload=make_payload(), replaces=0, request_key=uuid4()
    )
    return assignment


def _address(model: Any, page: str, *arguments: object) -> str:
    return reverse(f"admin:annotator_{model._meta.model_name}_{page}", args=arguments)


@pytest.mark.few(4)
@pytest.mark.parametrize("model", EVERYTHING)
def test_every_page_opens(superuser: Client, model: Any) -> None:
    _row()
    row = model.objects.first()
    assert superuser.get(_address(model, "changelist")).status_code == 200
    assert superuser.get(_address(model, "change", row.pk)).status_code == 200


@pytest.mark.few(2)
@pytest.mark.parametrize("model", LOOKED_AT)
def test_data_is_only_looked_at_even_by_superusers(superuser: Client, model: Any) -> None:
    _row()
    row = model.objects.first()
    before = list(model.objects.values())
    assert superuser.get(_address(model, "add")).status_code == 403
    assert superuser.post(_address(model, "change", row.pk), {"verb": "changed"}).status_code == 403
    assert superuser.post(_address(model, "delete", row.pk), {"post": "yes"}).status_code == 403
    action = {"action": "delete_selected", "_selected_action": [row.pk], "post": "yes"}
    superuser.post(_address(model, "changelist"), action)
    assert list(model.objects.values()) == before


@pytest.mark.parametrize("model", [User, Membership, Project])
def test_what_data_hangs_on_is_never_deleted(superuser: Client, model: Any) -> None:
    _row()
    row = model.objects.first()
    assert superuser.post(_address(model, "delete", row.pk), {"post": "yes"}).status_code == 403
    assert model.objects.filter(pk=row.pk).exists()


@pytest.mark.few(3)
@pytest.mark.parametrize("model", EVERYTHING)
def test_lists_cost_as_much_for_three_as_for_one(superuser: Client, model: Any) -> None:
    _row()
    superuser.get(_address(model, "changelist"))
    with CaptureQueriesContext(connection) as one:
        superuser.get(_address(model, "changelist"))
    _row(), _row()
    with CaptureQueriesContext(connection) as three:
        superuser.get(_address(model, "changelist"))
    assert len(three) == len(one)


def _edit(client: Client, project: Project, weights: str) -> str:
    data = {"name": "Renamed", "slug": project.slug, "weights": weights}
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
    assert assignment.annotator.user is not None
    submit_annotation(
        assignment=assignment,
        actor=assignment.annotator.user,
        payload=make_payload(),
        replaces=1,
        request_key=uuid4(),
    )
    before = project.weights
    _edit(superuser, project, '{"a": "9", "b": "9", "c": "9"}')
    project.refresh_from_db()
    assert (project.name, project.weights) == ("Renamed", before)


def _events() -> list[tuple[str, int | None, dict[str, Any]]]:
    return list(Event.objects.order_by("pk").values_list("verb", "project", "data"))


def test_an_edit_of_a_role_leaves_an_event(superuser: Client) -> None:
    member = make_member(make_project(), code="ada")
    data = {"project": member.project_id, "user": member.user_id, "role": "lead", "code": "ada"}
    superuser.post(_address(Membership, "change", member.pk), {**data, "is_active": "on"})
    superuser.post(_address(Membership, "change", member.pk), {**data, "is_active": "on"})
    superuser.post(_address(Membership, "change", member.pk), data)
    other = make_user()
    superuser.post(_address(Membership, "add"), {**data, "user": other.pk, "code": "bob"})
    made, about = Membership.objects.get(code="bob"), {"membership": member.pk, "code": "ada"}
    assert _events() == [
        (
            "membership_changed",
            member.project_id,
            {**about, "replaced": {"role": "annotator"}, "settings": {"role": "lead"}},
        ),
        (
            "membership_changed",
            member.project_id,
            {**about, "replaced": {"is_active": True}, "settings": {"is_active": False}},
        ),
        (
            "membership_added",
            member.project_id,
            {"membership": made.pk, "code": "bob", "account": other.pk, "role": "lead"},
        ),
    ]


def test_an_edit_of_a_project_leaves_an_event(superuser: Client) -> None:
    project = make_project("side", name="Before")
    _edit(superuser, project, '{"a": "0.2", "b": "0.5", "c": "1"}')
    data = {"replaced": {"name": "Before"}, "settings": {"name": "Renamed"}}
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


def test_leads_have_no_admin(client: Client) -> None:
    member = make_member(make_project(), "lead")
    assert member.user is not None
    client.force_login(member.user)
    assert client.get(reverse("admin:index")).status_code == 302


def test_every_model_of_the_package_is_registered() -> None:
    assert all(admin.site.is_registered(model) for model in EVERYTHING)


NONSENSE = ["x", "\0", "99999999999999999999", "", "-1", "\u202e", "x" * 5000, "{}", "null", "[[1]]"]


def _forms(page: Any) -> list[str]:
    """The names of all inputs of the page's form."""
    form = page.context["adminform"].form
    return [form.add_prefix(name) for name in form.fields]


@pytest.mark.thorough
@pytest.mark.slow
def test_no_input_breaks_a_page(superuser: Client) -> None:
    _row()
    Group.objects.create(name="group")
    superuser.get("/admin/")  # loads the addresses, which take some models off
    for model in admin.site._registry:
        _send_nonsense(superuser, model)


def _send_nonsense(superuser: Client, model: Any) -> None:
    options = model._meta
    root = f"admin:{options.app_label}_{options.model_name}"
    row = model._base_manager.order_by("pk").first()
    places = [reverse(f"{root}_add")]
    if row is not None:
        places.append(reverse(f"{root}_change", args=[row.pk]))
    for place in places:
        page = superuser.get(place)
        assert page.status_code in (200, 403), place
        assert superuser.post(place, {}).status_code in (200, 302, 400, 403), place
        names = _forms(page) if page.status_code == 200 else ["name"]
        for value in NONSENSE if os.environ.get("THOROUGH") else NONSENSE[1:4]:
            sent = dict.fromkeys(names, value)
            assert superuser.post(place, sent).status_code in (200, 302, 400, 403), (place, value)
        for name in names:
            # The others as they should be, so that the fault is not found before.
            for value in NONSENSE[:3] if os.environ.get("THOROUGH") else NONSENSE[1:2]:
                sent = {**_good(model), name: value}
                assert superuser.post(place, sent).status_code in (200, 302, 400, 403), (place, name, value)


def _good(model: Any) -> dict[str, Any]:
    project, user = Project.objects.order_by("pk").first(), User.objects.order_by("pk").first()
    assert project is not None
    assert user is not None
    good: dict[Any, dict[str, Any]] = {
        Membership: {
            "project": project.pk,
            "user": user.pk,
            "role": "lead",
            "code": "zed",
            "is_active": "on",
        },
        Project: {"name": "New", "slug": "new", "weights": '{"a": "0.2", "b": "0.5", "c": "1"}'},
        User: {"username": "new", "password1": "a-long-password-1", "password2": "a-long-password-1"},
    }
    return good.get(model, {})


@pytest.mark.parametrize("place", ["not-a-number", "0", "99999999999999999999", "%00", "_5F", "x/y"])
@pytest.mark.parametrize("model", EVERYTHING)
@pytest.mark.few(4)
def test_no_address_breaks_a_page(superuser: Client, model: Any, place: str) -> None:
    root = _address(model, "changelist")
    for address in (
        f"{root}{place}/change/",
        f"{root}{place}/history/",
        f"{root}?p={place}&o={place}&q={place}",
    ):
        assert superuser.get(address).status_code in (200, 302, 400, 404), address
