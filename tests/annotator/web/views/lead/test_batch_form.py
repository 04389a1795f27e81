"""The form of a batch: what it proposes, and anchors and repeats, checked, previewed and released."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.test import Client

from annotator.models import Batch, Image, Project
from tests.annotator.batches.test_checks import refer
from tests.annotator.planned import confirmation, make_study
from tests.annotator.web.views.lead.test_batch_new import address, order
from tests.factories import LEAD, make_image, make_member, make_user
from tests.support.codes import codes


@pytest.fixture
def project(db: None) -> Project:
    """80 images, annotators A and B, and a lead."""
    project = make_study("pilot", "AB", generators=2, prompts=20)
    make_member(project, LEAD, user=make_user("lee"), code="lee")
    return project


@pytest.fixture
def lead(project: Project) -> Client:
    client = Client()
    client.force_login(project.memberships.get(code="lee").user)  # type: ignore[arg-type]
    return client


@pytest.fixture
def references(project: Project) -> list[Image]:
    """Three images with a reference that the form's filter leaves out of the work."""
    images = [make_image(project, generator="generator-9", prompt="reference") for _ in range(3)]
    refer(images)
    return images


def checked(project: Project, **more: Any) -> dict[str, Any]:
    wanted = {"generators": ["generator-0", "generator-1"], "anchors": "5", "repeats": "5", "overlap": "0"}
    return order(project, **{**wanted, **more})


def released(project: Project, lead: Client) -> Batch:
    page = lead.post(address(project), checked(project))
    assert page.status_code == 200
    assert not {"anchors-none", "anchors-few", "repeats-none", "repeats-few"} & set(
        codes(page.content.decode())
    )
    assert "checks-cost" in codes(page.content.decode())
    (first, _) = page.context["table"]["loads"]
    assert [first[name] for name in ("total", "anchors", "repeats", "all")] == [40, 2, 2, 44]
    assert lead.post(address(project), confirmation(page)).status_code == 302
    return Batch.objects.get()


def test_the_preview_counts_them_and_the_release_keeps_them(
    project: Project, lead: Client, references: list[Image]
) -> None:
    batch = released(project, lead)
    held = batch.assignments.filter(annotator__code="A")
    assert [held.filter(purpose=purpose).count() for purpose in ("work", "anchor", "repeat")] == [40, 2, 2]
    anchors = set(batch.assignments.filter(purpose="anchor").values_list("image", flat=True))
    assert anchors < {image.pk for image in references}
    # Images with references that nobody has as an anchor stay available; the others are left out.
    again = lead.post(address(project), order(project, name="Batch 2", overlap="0", per_image="1"))
    assert "familiar" in codes(again.content.decode())
    assert again.context["facts"]["familiar"] == 2
    assert again.context["facts"]["images"] == 1


def ticks(page: Any) -> set[str]:
    return set(re.findall(r'name="(show_\w+)"', page.content.decode()))


@pytest.mark.parametrize("tick", ["show_prompt", "show_generator"])
def test_a_blind_protocol_refuses_to_show_prompt_or_generator(
    project: Project, lead: Client, tick: str
) -> None:
    page = lead.post(address(project), order(project, protocol="realism", **{tick: "on"}))
    assert (page.status_code, codes(page).count("blind"), ticks(page)) == (422, 1, set())
    assert not Batch.objects.exists()
    assert lead.post(address(project), order(project, protocol="anatomy", **{tick: "on"})).status_code == 200
