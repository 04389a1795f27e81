"""Batches leave out the images that their annotators know."""

from __future__ import annotations

import pytest
from django.test import Client

from annotator.models import Membership, Project
from tests.annotator.planned import confirmation
from tests.annotator.web.views.lead.test_batch_new import address, lead, order, people, project
from tests.factories import make_assignment, make_batch
from tests.support.codes import codes

pytestmark = pytest.mark.django_db
__all__ = ["lead", "project"]


@pytest.mark.parametrize("purpose", ["training", "norming", "anchor"])
def test_images_that_an_annotator_knows_are_left_out(project: Project, lead: Client, purpose: str) -> None:
    image = project.images.first()
    assert image is not None
    somebody = Membership.objects.get(pk=people(project)[0])
    make_assignment(somebody, image=image, batch=make_batch(project), purpose=purpose)
    page = lead.post(address(project), order(project, which="all"))
    assert ("known" in page.context["facts"], page.context["facts"]["familiar"]) == (False, 1)
    assert "familiar" in codes(page)
    lead.post(address(project), confirmation(page))
    batch = project.batches.latest("pk")
    assert not batch.assignments.filter(image=image).exists()
    assert batch.assignments.values("image").distinct().count() == project.images.count() - 1
