"""The preview of a batch whose annotators know some of its images."""

from __future__ import annotations

import pytest
from django.test import Client

from annotator.models import Membership, Project
from tests.annotator.web.views.lead.test_batch_new import address, confirmation, lead, order, people, project
from tests.factories import make_assignment, make_batch
from tests.support.codes import codes, said

pytestmark = pytest.mark.django_db
__all__ = ["lead", "project"]


@pytest.mark.parametrize(
    ("purpose", "code"), [("training", "trained"), ("norming", "trained"), ("anchor", "anchors")]
)
def test_the_preview_says_what_the_release_would_refuse(
    project: Project, lead: Client, purpose: str, code: str
) -> None:
    image = project.images.first()
    assert image is not None
    known = make_assignment(
        Membership.objects.get(pk=people(project)[0]), image=image, batch=make_batch(project), purpose=purpose
    )
    page = lead.post(address(project), order(project, which="all"))
    if purpose == "anchor":
        assert ("known" in page.context["facts"], page.context["facts"]["anchored"]) == (False, 1)
        return
    assert f"known-{code}" in codes(page)
    assert f"{known.annotator.code} (1)" in said(page, f"known-{code}")
    refused = lead.post(address(project), confirmation(page))
    assert refused.status_code == 422
    assert project.batches.count() == 1
