"""The first screen of the comparison, its figures, body map, prompts and orders: what they show and open."""

from __future__ import annotations

import re
import sys
from base64 import b64encode
from pathlib import Path
from types import FrameType
from urllib.parse import parse_qsl

import pytest
from django.conf import settings
from django.core.files.base import ContentFile
from django.test import Client
from pytest_django.fixtures import Settings

from analysis.figures.generic import figures
from analysis.web.views.figures import LINK, linked
from annotator.gallery.filters import read_filter
from annotator.models import Annotation, Image, Project
from annotator.work.liveness import sign_of_life
from scoring.anatomy.protocol import ANATOMY
from tests.analysis.factories import EARLIER, make_submitted
from tests.analysis.figures.conftest import COMPUTED, results
from tests.analysis.first_screen.test_screen import scored
from tests.analysis.wider_study import marks_of, report_of
from tests.factories import LEAD, make_batch, make_image, make_member, make_project, png_bytes

PAGE = "/projects/wide/reports/comparison/"
OURS = tuple(f"{settings.BASE_DIR}/{name}/" for name in ("analysis", "annotator", "scoring", "config"))


@pytest.fixture
def uneven(db: None, sent: list[int], client: Client) -> Project:
    """Twenty images judged once or twice; gamma makes more errors than beta. The client is the lead's."""
    sign_of_life()
    project = make_project("wide")
    lead = make_member(project, LEAD, code="lead")
    assert lead.user is not None
    client.force_login(lead.user)
    make_study(project, 10)
    return project


def make_study(project: Project, each: int) -> None:
    people = [make_member(project, code=f"anno{number}") for number in (1, 2)]
    batch = make_batch(project, name="wide")
    for number in range(2 * each):
        image = make_image(project, number=number + 1)
        worse = number % 2
        prompt = ("hugging", "jogging")[number // 2 % 2]
        Image.objects.filter(pk=image.pk).update(generator=("beta", "gamma")[worse], prompt=prompt)
        for annotator in people[: 1 + (number % 4 == 0)]:
            marks = [*marks_of(number // 2, stricter=False)]
            marks += [("missing.hands", "9/9c"), ("extra.face", "9/9c")] if worse else []
            make_submitted(annotator, marks, image=image, batch=batch, submitted_at=EARLIER, saved_at=EARLIER)


def text(client: Client, address: str) -> str:
    response = client.get(address)
    assert response.status_code == 200
    return response.content.decode()


def values(page: str) -> list[str]:
    """The means on the axis."""
    return re.findall(r'<text class="mean"[^>]*>([^<]*)<', page)


def test_the_page_reads_the_stored_report_in_few_modules(uneven: Project, client: Client) -> None:
    """A page makes no table, figure or methods: those come with the sections that hold them.

    Counted are the modules of ours that the request enters, and how often a call goes from one to another.
    """
    report_of(uneven, "comparison")
    client.get(PAGE)
    entered: list[str] = []

    def profile(frame: FrameType, event: str, _: object) -> None:
        path = frame.f_code.co_filename
        if event == "call" and path.startswith(OURS) and (not entered or entered[-1] != path):
            entered.append(path)

    sys.setprofile(profile)
    try:
        client.get(PAGE)
    finally:
        sys.setprofile(None)
    names = {path.rpartition("/")[2] for path in entered}
    assert "sections.py" in names
    assert names.isdisjoint({"table.py", "figure.py", "project_methods.py", "lifecycle.py"})
    assert len(set(entered)) <= 40
    assert len(entered) <= 450


def test_haste_stays_when_another_protocol_is_added(uneven: Project, client: Client) -> None:
    report_of(uneven, "comparison")
    Annotation.objects.update(active_ms=500)
    report_of(uneven, "quality")
    assert client.get(PAGE).context["screen"].trust.data.verdict == "stop"
    later = make_batch(uneven, protocol="presence")
    for code in ("anno1", "anno2"):
        for _ in range(4):
            make_submitted(uneven.memberships.get(code=code), [], batch=later, active_ms=40_000)
    address = f"{PAGE}?protocol=anatomy"
    light = client.get(address).context["screen"].trust.data
    assert light.verdict == "stop"
    assert "0.5 s" in light.words
    Annotation.objects.filter(assignment__batch__protocol="anatomy").update(active_ms=40_000)
    report_of(uneven, "quality")
    assert client.get(address).context["screen"].trust.data.verdict == "fine"


@pytest.mark.parametrize("kind", COMPUTED)
def test_every_mark_opens_a_gallery_that_understands_it(kind: str) -> None:
    checked = 0
    for made in figures(results()[kind]):
        for rows in linked(made).drawn.values():
            for row in rows:
                given: dict[str, list[str]] = {}
                for name, value in parse_qsl(row[LINK]):
                    given.setdefault(name, []).append(value)
                kept, problems = read_filter(given, ANATOMY)
                assert (bool(kept), problems) == (True, []), (made.slug, row)
                checked += 1
    assert checked


pytestmark = pytest.mark.django_db
ADDRESS = "/projects/bodies/reports/comparison/metrics/"


@pytest.fixture
def project(client: Client) -> Project:
    found = make_project("bodies")
    user = make_member(found, LEAD).user
    assert user is not None
    client.force_login(user)
    return found


def with_copy(image: Image, colour: str) -> str:
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
    addresses = [with_copy(image, colour) for image, colour in zip(images, ("red", "blue"), strict=True)]
    answer = client.get(f"{ADDRESS}order.svg")
    svg = answer.content.decode()
    assert answer["Content-Type"] == "image/svg+xml"
    assert [address in svg for address in addresses] == [True, True]
    first, second = (f"#i{image.pk}" for image in images)
    assert re.findall(r'<use href="(#i\d+)"', svg) == [second, first, first, second]
    png = client.get(f"{ADDRESS}order.png").content
    assert png.startswith(b"\x89PNG")
    assert len(png) > 2_000
