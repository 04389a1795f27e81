"""Images to mark, and who marks them."""

from __future__ import annotations

from io import BytesIO

import pytest
from django.core.files.base import ContentFile
from PIL import Image as Picture
from PIL import ImageDraw

from annotator.models import Assignment, Batch, Image, Membership, Project
from tests.factories import make_assignment, make_batch, make_image

SIDE = 640
CIRCLE = (320, 300, 120)
"""Centre and radius of what people draw round, in pixels of the image."""


def square(project: Project, number: int, side: int = SIDE) -> Image:
    """An image with a disc on it, whose copy for display lies in the storage."""
    image = make_image(project, width=side, height=side, number=number)
    shown = Picture.new("RGB", (side, side), (120, 90 + 20 * number, 70))
    x, y, r = (each * side // SIDE for each in CIRCLE)
    ImageDraw.Draw(shown).ellipse((x - r, y - r, x + r, y + r), fill=(210, 190, 160))
    buffer = BytesIO()
    shown.save(buffer, "WEBP")
    image.display.save(f"marks-{image.sha256}.webp", ContentFile(buffer.getvalue()), save=False)
    image.display_state = Image.DisplayState.READY
    image.save()
    return image


@pytest.fixture
def marking(pilot: Project) -> Batch:
    """A batch under the protocol of marks."""
    return make_batch(pilot, name="Defects", protocol="defect-marks", settings={"shape": "outline"})


@pytest.fixture
def work(marking: Batch, ada: Membership, pilot: Project) -> list[Assignment]:
    """Two images to mark."""
    return [make_assignment(ada, batch=marking, image=square(pilot, number)) for number in (1, 2)]
