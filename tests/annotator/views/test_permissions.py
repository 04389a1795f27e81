"""Who may open what. Every project has a canary that must not leak into another."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.test import Client
from django.urls import reverse

from annotator.models import Annotation, Membership
from tests.annotator.views.conftest import Study, address, signed_in, typed
from tests.factories import (
    LEAD,
    make_assignment,
    make_image,
    make_member,
    make_project,
    make_user,
)

CANARY = "canary-7f3a"


def pages_of(study: Study) -> dict[str, str]:
    """Every address of the package that belongs to the project."""
    slug = study.project.slug
    image = study.assignments[0].image
    return {
        "queue": reverse("queue", args=[slug]),
        "label": address(study.assignments[0]),
        "project": reverse("project", args=[slug]),
        "project_images": reverse("project_images", args=[slug]),
        "image_detail": reverse("image_detail", args=[slug, image.public_id]),
        "project_problems": reverse("project_problems", args=[slug]),
        **lead_pages(study),
    }


def lead_pages(study: Study) -> dict[str, str]:
    """The pages around batches."""
    slug, batch = study.project.slug, study.assignments[0].batch_id
    of_project = {name: reverse(name, args=[slug]) for name in ("batches", "batch_new", "batch_images")}
    names = ("batch", "batch_settings", "batch_progress", "batch_plan")
    return {**of_project, **{name: reverse(name, args=[batch]) for name in names}}


def test_anonymous_visitors_are_sent_to_sign_in(study: Study, client: Client) -> None:
    for page in [*pages_of(study).values(), "/", reverse("password_change")]:
        answer = client.get(page)
        assert answer.status_code == 302
        assert answer["Location"].startswith(f"/accounts/login/?next={page}")
    assert client.post(address(study.assignments[0]), typed("submit", no_errors="on")).status_code == 302
    assert not Annotation.objects.exists()


OUTSIDERS: list[tuple[str, Callable[[Study], Membership]]] = [
    ("lead of another project", lambda _: make_member(make_project("other"), LEAD)),
    ("annotator of another project", lambda _: make_member(make_project("other"))),
    ("inactive lead", lambda study: make_member(study.project, LEAD, is_active=False)),
    (
        "superuser without a membership",
        lambda _: make_member(
            make_project("other"), user=make_user("root", is_superuser=True, is_staff=True)
        ),
    ),
]


@pytest.mark.parametrize(("who", "outsider"), OUTSIDERS, ids=[name for name, _ in OUTSIDERS])
def test_outsiders_find_nothing(study: Study, who: str, outsider: Callable[[Study], Membership]) -> None:
    client = signed_in(outsider(study))
    for name, page in pages_of(study).items():
        assert client.get(page).status_code == 404, name
    answer = client.post(address(study.assignments[0]), typed("submit", no_errors="on"))
    assert answer.status_code == 404
    assert not Annotation.objects.exists()


def test_an_annotator_opens_their_own_work_only(study: Study, as_ada: Client) -> None:
    for page in ("project", "project_images", "image_detail", "project_problems", *lead_pages(study)):
        assert as_ada.get(pages_of(study)[page]).status_code == 404
    assert as_ada.get(address(study.of_bob)).status_code == 404
    assert as_ada.post(address(study.of_bob), typed("submit", no_errors="on")).status_code == 404
    assert not Annotation.objects.exists()


def test_a_lead_does_not_label_for_others(study: Study, as_lead: Client) -> None:
    assert as_lead.get(address(study.assignments[0])).status_code == 404
    assert as_lead.get(pages_of(study)["project"]).status_code == 200


def test_a_page_names_nothing_of_another_project(study: Study, as_lead: Client) -> None:
    other = make_project(CANARY)
    stranger = make_member(other, code=f"{CANARY}-code")
    image = make_image(other, generator=f"{CANARY}-generator", prompt=f"{CANARY}-prompt")
    make_assignment(stranger, image=image)
    for name in ("project", "project_images", "image_detail", "project_problems", *lead_pages(study)):
        assert CANARY not in as_lead.get(pages_of(study)[name]).getvalue().decode()
    mixed = reverse("image_detail", args=[study.project.slug, image.public_id])
    assert as_lead.get(mixed).status_code == 404
