"""The overlap that a new batch proposes, what its preview says of it, and who still has to join."""

from __future__ import annotations

import pytest
from django.test import Client

from annotator.models import Project
from tests.annotator.web.views.lead.test_batch_new import (  # noqa: F401 - fixtures too
    address,
    lead,
    order,
    project,
)
from tests.factories import make_image


@pytest.mark.parametrize(
    ("images", "percent"),
    [
        pytest.param(0, 100, id="16-all"),
        pytest.param(8, 85, id="24"),
        pytest.param(63, 30, id="79"),
        pytest.param(64, 25, id="80"),
        pytest.param(104, 25, id="120"),
    ],
)
def test_the_overlap_proposed_is_enough_for_agreement(
    project: Project,  # noqa: F811
    lead: Client,  # noqa: F811
    images: int,
    percent: int,
) -> None:
    """85% of 24 images are 20; from 80 images on, a quarter is enough."""
    for _ in range(images):
        make_image(project, generator="painter", prompt="one")
    form = lead.get(address(project)).context["form"]
    assert (form["overlap"].value(), form["coders"].value()) == (percent, 2)
