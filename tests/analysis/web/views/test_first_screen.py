"""The first screen of the comparison: who sees what, and with how many queries."""

from __future__ import annotations

import re
import sys
from types import FrameType

import pytest
from django.conf import settings
from django.test import Client

from analysis.models import Report
from annotator.annotations.summaries import summarise
from annotator.models import Annotation, Image, Project
from annotator.work.liveness import sign_of_life
from tests.analysis.factories import EARLIER, make_submitted
from tests.analysis.wider_study import marks_of, report_of
from tests.factories import LEAD, make_batch, make_image, make_member, make_project
from tests.support.codes import codes

PAGE = "/projects/wide/reports/comparison/"
OURS = tuple(f"{settings.BASE_DIR}/{name}/" for name in ("analysis", "annotator", "scoring", "config"))


@pytest.fixture
def wide(db: None, sent: list[int], client: Client) -> Project:
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
def test_the_finding_is_the_heading(wide: Project, client: Client) -> None:
    report_of(wide, "comparison")
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
    summarise(wide.pk, [image.pk for image in wide.images.all()], "anatomy")
    behind = client.get(address.replace("&amp;", "&"))
    assert share == str(int(re.findall(r'data-count="(\d+)"', behind.content.decode())[0]))


def test_agreement_at_chance_level_replaces_the_heading(wide: Project, client: Client) -> None:
    alpha = {"value": -0.01, "low": -0.1, "high": 0.12, "n_units": 60, "refused": None}
    excerpt = {"alpha": alpha, "disagreements": []}
    Report.objects.create(project=wide, kind="agreement", status="done", result={}, excerpt=excerpt)
    report_of(wide, "comparison")
    page = text(client, PAGE)
    assert "chance" in codes(page)
    assert "No verdict on the generators" not in page
    assert "<h1>Agreement is not clearly better than chance</h1>" in page


def test_an_image_can_be_swapped_for_its_neighbour(wide: Project, client: Client) -> None:
    report = report_of(wide, "comparison")
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


def test_a_deleted_image_leaves_its_score(wide: Project, client: Client) -> None:
    report_of(wide, "comparison")
    Image.objects.filter(project=wide).update(goes_at=EARLIER)
    assert text(client, PAGE).count('<span class="gone">') == 12


def test_the_page_reads_the_stored_report_in_few_modules(wide: Project, client: Client) -> None:
    """A page makes no table, figure or methods: those come with the sections that hold them.

    Counted are the modules of ours that the request enters, and how often a call goes from one to another.
    """
    report_of(wide, "comparison")
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


def test_haste_stays_when_another_protocol_is_added(wide: Project, client: Client) -> None:
    report_of(wide, "comparison")
    Annotation.objects.update(active_ms=500)
    report_of(wide, "quality")
    assert client.get(PAGE).context["screen"].trust.data.verdict == "stop"
    later = make_batch(wide, protocol="presence")
    for code in ("anno1", "anno2"):
        for _ in range(4):
            make_submitted(wide.memberships.get(code=code), [], batch=later, active_ms=40_000)
    address = f"{PAGE}?protocol=anatomy"
    light = client.get(address).context["screen"].trust.data
    assert light.verdict == "stop"
    assert "0.5 s" in light.words
    Annotation.objects.filter(assignment__batch__protocol="anatomy").update(active_ms=40_000)
    report_of(wide, "quality")
    assert client.get(address).context["screen"].trust.data.verdict == "fine"
