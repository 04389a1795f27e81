"""The first screen of the comparison, its figures, body map, prompts and orders: what they show and open."""

from __future__ import annotations

import re
import sys
from base64 import b64encode
from collections.abc import Mapping
from pathlib import Path
from types import FrameType
from typing import Any
from urllib.parse import parse_qsl

import pytest
from django.conf import settings
from django.core.files.base import ContentFile
from django.test import Client
from pytest_django.fixtures import Settings

from analysis.figures.generic import figure, figures
from analysis.models import Report
from analysis.stats.generic.tables import rows_of
from analysis.web.views.figures import LINK, linked
from annotator.annotations.summaries import summarise
from annotator.gallery.filters import read_filter
from annotator.models import Annotation, Image, Project
from annotator.work.liveness import sign_of_life
from scoring.anatomy.protocol import ANATOMY
from tests.analysis.factories import EARLIER, make_submitted
from tests.analysis.figures.conftest import COMPUTED, results
from tests.analysis.first_screen.test_screen import scored
from tests.analysis.wider_study import marks_of, report_of, signed_in
from tests.factories import LEAD, REVIEWER, make_batch, make_image, make_member, make_project, png_bytes
from tests.support.codes import codes

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


@pytest.mark.thorough
def test_the_finding_is_the_heading(uneven: Project, client: Client) -> None:
    report_of(uneven, "comparison")
    page = text(client, PAGE)
    assert '<h1 data-code="not-clear">No verdict on the generators</h1>' in page
    assert page.count("<h1") == 1
    assert values(page) == ["0.31", "2.31"]
    assert "images (few)" in page
    assert page.count('<li class="rk few">') == 2
    assert "style=" not in page
    # Six images each, which open in the gallery's order.
    assert len(re.findall(r'<a href="/projects/wide/images/[0-9a-f-]{36}/\?generator=beta&amp;', page)) == 6
    assert "/projects/wide/images/?generator=gamma&amp;from=comparison" in page
    clean = re.search(r'href="([^"]*)">([^<]*) of 10 without errors<', page)
    assert clean is not None
    address, share = clean.groups()
    summarise(uneven.pk, [image.pk for image in uneven.images.all()], "anatomy")
    behind = client.get(address.replace("&amp;", "&"))
    assert share == str(int(re.findall(r'data-count="(\d+)"', behind.content.decode())[0]))


def test_agreement_at_chance_level_replaces_the_heading(uneven: Project, client: Client) -> None:
    alpha = {"value": -0.01, "low": -0.1, "high": 0.12, "n_units": 60, "refused": None}
    excerpt = {"alpha": alpha, "disagreements": []}
    Report.objects.create(project=uneven, kind="agreement", status="done", result={}, excerpt=excerpt)
    report_of(uneven, "comparison")
    page = text(client, PAGE)
    assert "chance" in codes(page)
    assert "No verdict on the generators" not in page
    assert "<h1>Agreement is not clearly better than chance</h1>" in page


def test_an_image_can_be_swapped_for_its_neighbour(uneven: Project, client: Client) -> None:
    report = report_of(uneven, "comparison")
    assert report.result is not None
    step = report.result["strips"][0]["images"][1]
    first, other = (Image.objects.get(pk=pk).public_id for pk in (step["image"], step["next"]["image"]))
    assert f"/images/{first}/?" in text(client, PAGE)
    page = text(client, f"{PAGE}?swap=1.2&swap=nonsense")
    assert f"/images/{first}/?" not in page
    assert f"/images/{other}/?" in page
    assert page.count("Chosen by a lead") == 1
    assert "?swap=1.2&amp;choose=1" in page
    assert "choose=1" in text(client, f"{PAGE}?choose=1")


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


def links(result: Mapping[str, Any], slug: str, data: str) -> list[str]:
    found = figure(result, slug)
    assert found is not None
    return [row[LINK] for row in linked(found).drawn[data]]


def test_what_bars_points_and_tiles_open() -> None:
    def of_comparison(slug: str, data: str) -> list[str]:
        return links(results()["comparison"], slug, data)

    assert of_comparison("error_types-shares", "sums")[:3] == [
        "type=missing&severity=a",
        "type=missing&severity=b",
        "type=missing&severity=c",
    ]
    assert of_comparison("distribution-histogram", "bins")[1] == "generator=alpha&score_min=0.5&score_max=1"
    assert of_comparison("differences-intervals", "estimates") == ["generator=alpha&generator=beta"]
    assert set(of_comparison("prompts-intervals", "estimates")) == {
        *("prompt=jogging", "prompt=hugging", "prompt=volleyball")
    }
    assert {"generator=beta&part=torso", "generator=alpha&cell=extra.face"} <= set(
        of_comparison("cells-map", "parts")
    )
    pairs = links(results()["agreement"], "pair-alphas", "estimates")
    assert "disagreement=1&annotator=ada&annotator=bo" in pairs


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


BODY_MAP = "/projects/wide/reports/comparison/body-map/"


def body_map(client: Client, query: str = "") -> str:
    answer = client.get(BODY_MAP + query)
    assert answer.status_code == 200
    return answer.content.decode()


def with_pins(project: Project) -> None:
    """Give every mark a pin, and as many marks as needed."""
    for answer in Annotation.objects.filter(assignment__batch__project=project):
        for mark in answer.payload["marks"]:
            mark["pins"] = [{"x": 0.5, "y": 0.5}] * 2
        answer.save()


def test_the_heading_is_the_finding(wide: Project, client: Client) -> None:
    report_of(wide, "comparison")
    page = body_map(client)
    # No body part is marked in five annotations of a generator.
    assert "<h1>Too few errors to say where bodies go wrong</h1>" in page
    assert page.count('<section class="card"') == 2
    assert "24 annotations, 12 per generator; weights 0.2, 0.5, 1." in page
    assert {"no-pins", "basis"} <= set(codes(page))
    assert 'aria-disabled="true">Pins' in page
    assert "Pins: 0 of the 30 needed." in page


def test_parts_are_links_in_published_order(wide: Project, client: Client) -> None:
    report_of(wide, "comparison")
    first = body_map(client).split("</section>")[0]
    found = re.findall(r'<a class="label (\w+)" href="([^"]*)"', first)
    assert [part for part, _ in found] == ["torso", "limbs", "feet", "hands", "face"]
    assert found[3][1] == "/projects/wide/images/?from=body-map&amp;generator=beta&amp;part=hands"
    assert "generator=beta&amp;type=missing" in first
    severe = body_map(client, "?show=c&as=share")
    assert "generator=alpha&amp;part=hands&amp;severity=c" in severe


def test_enough_pins_are_dots(wide: Project, client: Client) -> None:
    with_pins(wide)
    report = report_of(wide, "comparison")
    cells = rows_of(report.result or {}, "cells")
    pins = sum(row[f"pins_{severity}"] for row in cells for severity in "abc")
    page = body_map(client, "?show=pins")
    large = re.findall(r'<circle class="dot [abc]" [^>]*r="2.2"', page)
    assert len(large) == pins > 30
    assert "A dot is one pin." in page
    assert "have the most pins" in page


PROMPTS_PAGE = "/projects/wide/reports/comparison/prompts/"


def prompts_page(client: Client) -> str:
    answer = client.get(PROMPTS_PAGE)
    assert answer.status_code == 200
    return answer.content.decode()


def test_every_number_opens_its_images_and_they_lead_back(wide: Project, client: Client) -> None:
    report_of(wide, "comparison")
    page = prompts_page(client)
    image = wide.images.order_by("pk")[0]
    prompt = image.prompt.replace(" ", "+")
    assert f"/projects/wide/images/?prompt={prompt}&amp;sort=high&amp;from=prompts" in page
    assert f"?prompt={prompt}&amp;generator={image.generator}&amp;sort=high&amp;from=prompts" in page
    gallery = client.get("/projects/wide/images/", {"prompt": image.prompt, "from": "prompts"})
    assert f'href="{PROMPTS_PAGE}' in gallery.content.decode()
    assert 'aria-current="page">Prompts</a>' in page


def test_reviewers_see_it_without_links_to_images(wide: Project, client: Client) -> None:
    report_of(wide, "comparison")
    page = prompts_page(signed_in(wide, client, REVIEWER))
    assert "/images/" not in page
    assert '<table class="heat">' in page


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
    answer = client.get(f"{ADDRESS}.svg")
    svg = answer.content.decode()
    assert answer["Content-Type"] == "image/svg+xml"
    assert [address in svg for address in addresses] == [True, True]
    first, second = (f"#i{image.pk}" for image in images)
    assert re.findall(r'<use href="(#i\d+)"', svg) == [second, first, first, second]
    png = client.get(f"{ADDRESS}.png").content
    assert png.startswith(b"\x89PNG")
    assert len(png) > 2_000
