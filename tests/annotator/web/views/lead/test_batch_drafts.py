"""A lead who leaves the preview of a batch finds its values again."""

from __future__ import annotations

from django.test import Client
from django.urls import reverse

from annotator.models import Batch, Project
from tests.annotator.planned import confirmation
from tests.annotator.web.views.lead.test_batch_new import (  # noqa: F401 - fixtures too
    address,
    lead,
    order,
    people,
    project,
)
from tests.support.codes import codes, numbers


def test_the_values_come_back_until_the_batch_is_released(
    project: Project,  # noqa: F811
    lead: Client,  # noqa: F811
) -> None:
    assert "batch-draft" not in codes(lead.get(address(project)))
    page = lead.post(
        address(project), order(project, name="Kept", overlap="50", annotators=people(project)[:2])
    )
    assert Batch.objects.count() == 0
    assert "batch-draft" in codes(lead.get(address(project)))
    form = lead.get(f"{address(project)}?draft=1").context["form"]
    found = [form[name].value() for name in ("name", "overlap", "annotators", "seed")]
    assert found == ["Kept", "50", [str(pk) for pk in people(project)[:2]], "7"]
    lead.post(address(project), confirmation(page))
    assert "batch-draft" not in codes(lead.get(address(project)))
    assert lead.get(f"{address(project)}?draft=1").context["form"]["name"].value() == "Batch 1"


def test_faces_are_marked_for_the_images_of_the_plan_alone(
    project: Project,  # noqa: F811
    lead: Client,  # noqa: F811
) -> None:
    sent = order(project, protocol="realism", generators=["painter"], overlap="100", coders="3")
    page = lead.post(address(project), sent)
    assert numbers(page, "faces-undecided")[:2] == ["8", "8"]
    first = page.context["facts"]["faces"]["open"][0][0]
    assert f"{reverse('faces_image', args=[project.slug, first])}?plan=1" in page.content.decode()
    at = f"{reverse('faces_image', args=[project.slug, first])}?plan=1"
    for left in range(8, 0, -1):
        image = lead.get(at)
        assert numbers(image, "left") == [str(left)]
        assert "batch-draft" in codes(image)
        at = lead.post(at, {"action": "none"})["Location"]
    assert at == f"{address(project)}?draft=1"
    assert "plan-decided" in codes(lead.get(at))
    assert set(project.images.exclude(faces=None).values_list("generator", flat=True)) == {"painter"}
