"""The page of two orders, and its drawing with the images inside."""

from __future__ import annotations

import re
from base64 import b64encode
from pathlib import Path

import pytest
from django.core.files.base import ContentFile
from django.test import Client
from pytest_django.fixtures import Settings

from annotator.models import Image, Project
from tests.analysis.first_screen.test_orders import scored
from tests.factories import LEAD, make_member, make_project, png_bytes

pytestmark = pytest.mark.django_db
ADDRESS = "/projects/bodies/reports/comparison/metrics/order"


@pytest.fixture
def project(client: Client) -> Project:
    found = make_project("bodies")
    user = make_member(found, LEAD).user
    assert user is not None
    client.force_login(user)
    return found


def ranks(html: str, code: str) -> list[str]:
    (order,) = re.findall(rf'data-code="{code}">(.*?)</ol>', html, re.DOTALL)
    return re.findall(r"<b>(\d+)</b>", order)


def test_the_page_shows_the_first_metric_and_prompt(project: Project, client: Client) -> None:
    scored(project, [4, 0, 2], [0.25, 0.5, 12.0])
    html = client.get(f"{ADDRESS}/?metric=unknown").content.decode()
    assert (ranks(html, "by-people"), ranks(html, "by-metric")) == (["1", "2", "3"], ["2", "1", "3"])
    assert f'{ADDRESS}.png?metric=clip&amp;prompt=p"' in html


def test_without_values_there_is_nothing_to_order(project: Project, client: Client) -> None:
    assert "Nothing to order yet" in client.get(f"{ADDRESS}/").content.decode()
    assert client.get(f"{ADDRESS}.svg")["Location"] == f"{ADDRESS}/"
    scored(project, [4, 0], [0.25, 0.5])
    assert client.get(f"{ADDRESS}.pdf").status_code == 404


def shown(image: Image, colour: str) -> str:
    """Give an image a display copy, and return the copy as a data address."""
    image.display.save(f"order-{image.sha256}.jpg", ContentFile(png_bytes(color=colour)), save=False)
    image.display_state = Image.DisplayState.READY
    image.save()
    return f"data:image/jpeg;base64,{b64encode(png_bytes(color=colour)).decode()}"


def test_the_drawing_has_the_images_inside_in_both_orders(
    project: Project, client: Client, tmp_path: Path, settings: Settings
) -> None:
    settings.MEDIA_ROOT = tmp_path
    images = scored(project, [4, 0], [0.5, 0.25])
    addresses = [shown(image, colour) for image, colour in zip(images, ("red", "blue"), strict=True)]
    answer = client.get(f"{ADDRESS}.svg")
    svg = answer.content.decode()
    assert answer["Content-Type"] == "image/svg+xml"
    assert [address in svg for address in addresses] == [True, True]
    first, second = (f"#i{image.pk}" for image in images)
    assert re.findall(r'<use href="(#i\d+)"', svg) == [second, first, first, second]
    png = client.get(f"{ADDRESS}.png").content
    assert png.startswith(b"\x89PNG")
    assert len(png) > 2_000
