"""The page of prompts: what it shows and links, who sees it, with how many queries."""

from __future__ import annotations

import re

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from analysis.first_screen import prompts
from annotator.models import Image, Project
from tests.analysis.wider_study import report_of, signed_in
from tests.factories import ANNOTATOR, LEAD, REVIEWER, make_project
from tests.support.codes import codes

PAGE = "/projects/wide/reports/comparison/prompts/"


def shown(client: Client) -> str:
    answer = client.get(PAGE)
    assert answer.status_code == 200
    return answer.content.decode()


def test_every_number_opens_its_images_and_they_lead_back(wide: Project, client: Client) -> None:
    report_of(wide, "comparison")
    page = shown(client)
    image = wide.images.order_by("pk")[0]
    prompt = image.prompt.replace(" ", "+")
    assert f"/projects/wide/images/?prompt={prompt}&amp;sort=high&amp;from=prompts" in page
    assert f"?prompt={prompt}&amp;generator={image.generator}&amp;sort=high&amp;from=prompts" in page
    gallery = client.get("/projects/wide/images/", {"prompt": image.prompt, "from": "prompts"})
    assert f'href="{PAGE}' in gallery.content.decode()
    assert 'aria-current="page">Prompts</a>' in page


def test_reviewers_see_it_without_links_to_images(wide: Project, client: Client) -> None:
    report_of(wide, "comparison")
    page = shown(signed_in(wide, client, REVIEWER))
    assert "/images/" not in page
    assert '<table class="heat">' in page


def test_annotators_and_strangers_do_not(wide: Project, client: Client) -> None:
    report_of(wide, "comparison")
    assert signed_in(wide, client, ANNOTATOR).get(PAGE).status_code == 404
    assert signed_in(make_project("other"), client, LEAD).get(PAGE).status_code == 404


def test_without_a_report(wide: Project, client: Client) -> None:
    assert "no-numbers" in codes(shown(client))


@pytest.mark.thorough
def test_sections_are_folded_and_fetched_when_opened(wide: Project, client: Client) -> None:
    report = report_of(wide, "comparison")
    page = shown(client)
    sections = re.findall(r'hx-get="([^"]*)"', page)
    where = f"/projects/wide/reports/comparison/{report.pk}/sections"
    assert sections == [f"{where}/prompts/"]
    assert [client.get(address).status_code for address in sections] == [200]
    assert page.count('<details class="fold">') == 1
    assert "Further prompts" not in page


@pytest.mark.thorough
def test_more_prompts_than_fit_are_folded(
    wide: Project, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(prompts, "FIRST", 5)
    for place, image in enumerate(wide.images.order_by("pk")):
        Image.objects.filter(pk=image.pk).update(prompt=f"prompt {place}")
    names = wide.images.count()
    report_of(wide, "comparison")
    page = shown(client)
    head, _, folded = page.partition("<h2>Further prompts</h2>")
    assert (head.count('<th scope="row">'), folded.count('<th scope="row">')) == (5, names - 5)
    assert f"{names - 5} prompts with lower means" in head


@pytest.mark.thorough
def test_queries(wide: Project, client: Client) -> None:
    """As many for few prompts as for one each image."""
    counts = []
    for names in (2, 12):
        for place, image in enumerate(wide.images.order_by("pk")):
            Image.objects.filter(pk=image.pk).update(prompt=f"prompt {place % names}")
        report_of(wide, "comparison")
        shown(client)
        with CaptureQueriesContext(
            connection,
        ) as taken:
            assert shown(client).count("<tr") == names + 2
        counts.append(len(taken))
    assert counts[0] == counts[1]
