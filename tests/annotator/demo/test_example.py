"""The example study that a lead loads: a project of their own, made once, with figures and annotations."""

from __future__ import annotations

from uuid import uuid4

import pytest
from django.test import Client

from annotator.demo.example import request_example
from annotator.models import Annotation, Event, Image, Job, Membership, Project
from annotator.work.jobs import run_job
from tests.factories import make_project, make_user

pytestmark = pytest.mark.django_db
ADDRESS = "/projects/new/example/"


@pytest.mark.slow  # 60 images
@pytest.mark.thorough
def test_a_worker_loads_it_into_a_project_of_the_one_who_asked() -> None:
    user = make_user("lee")
    job = request_example(actor=user, request_key=uuid4())
    assert run_job(job.pk)
    job.refresh_from_db()
    project = Project.objects.get()
    assert (project.slug, job.status, job.result["words"]) == (  # type: ignore[index]
        "example",
        "done",
        "Loaded 60 images and 60 annotations.",
    )
    assert Membership.objects.get(user=user).role == Membership.Role.LEAD
    assert (Image.objects.count(), Annotation.objects.filter(status="submitted").count()) == (60, 60)
    assert Event.objects.get(verb="study_imported").actor == user


def test_a_repeated_form_asks_once_and_another_gets_its_own_address(client: Client) -> None:
    client.force_login(make_user("root", is_superuser=True))
    key = uuid4()
    pages = [client.post(ADDRESS, {"request_key": key}) for _ in range(2)]
    assert {page["Location"] for page in pages} == {f"/jobs/{Job.objects.get().pk}/"}
    other = uuid4()
    assert client.post(ADDRESS, {"request_key": other}).status_code == 302
    addresses = Project.objects.order_by("pk").values_list("slug", flat=True)
    assert list(addresses) == ["example", f"example-{other.hex[:8]}"]
    assert client.post(ADDRESS).status_code == 400


def test_a_taken_address_is_left_alone() -> None:
    make_project("example")
    key = uuid4()
    assert request_example(actor=make_user(), request_key=key).project.slug == f"example-{key.hex[:8]}"


def test_it_is_offered_until_the_first_step_is_done(client: Client) -> None:
    client.force_login(make_user("root", is_superuser=True))
    form = f'action="{ADDRESS}"'
    assert form in client.get("/projects/new/").content.decode()
    client.post("/projects/new/", {"name": "Own", "code": "lead", "first": "images", "request_key": uuid4()})
    assert form in client.get("/projects/own/").content.decode()
