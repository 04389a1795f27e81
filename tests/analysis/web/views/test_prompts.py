"""The page of prompts: what it shows and links, who sees it, with how many queries."""

from __future__ import annotations

from django.test import Client

from annotator.models import Project
from tests.analysis.wider_study import report_of, signed_in
from tests.factories import REVIEWER

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
