"""A report page shows results in one line each; a section comes when it is opened."""

from __future__ import annotations

import re

import pytest
from django.test import Client

from analysis.models import Report
from annotator.models import Project
from tests.analysis.reading import section, whole_page
from tests.analysis.wider_study import report_of

REPORTS = "/projects/wide/reports"


@pytest.fixture
def comparison(wide: Project) -> Report:
    return report_of(wide, "comparison")


def ids(html: str) -> list[str]:
    return re.findall(r' id="([^"]+)"', html)


@pytest.mark.slow  # the largest page and all its sections
def test_the_page_holds_no_table_but_every_address(comparison: Report, client: Client) -> None:
    path = f"{REPORTS}/comparison/"
    page = client.get(path).content.decode()
    assert "<table" not in page
    assert "data-chart" not in page
    wanted = [each for each in ids(whole_page(client, path)[len(page) :]) if "-title" not in each]
    # A link to a figure or table opens its fold, with or without script.
    places = {each for each in wanted if not each.startswith(("id_", "methods-"))}
    assert len(places) > 20
    assert places - set(ids(page)) == set()
    assert len(set(ids(page))) == len(ids(page))


def test_without_htmx_a_section_is_a_page(comparison: Report, client: Client) -> None:
    place = f"{REPORTS}/comparison/{comparison.pk}/sections/generators/"
    page = client.get(place).content.decode()
    assert "<h1>Comparison: Generators</h1>" in page
    piece = section(client, place)
    assert 'id="weights"' in piece
    assert piece[piece.index("<table") : piece.index("</table>")] in page
