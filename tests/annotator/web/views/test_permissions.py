"""Addresses that mix two projects; every address as it stands is walked in tests/test_permissions.py."""

from __future__ import annotations

from django.test import Client
from django.urls import reverse

from tests.annotator.web.views.conftest import Study
from tests.factories import make_image, make_project


def test_an_image_is_not_found_through_another_project(study: Study, as_lead: Client) -> None:
    image = make_image(make_project("other"))
    mixed = reverse("image_detail", args=[study.project.slug, image.public_id])
    assert as_lead.get(mixed).status_code == 404
