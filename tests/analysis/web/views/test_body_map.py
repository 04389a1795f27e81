"""The page of the body map: what it says and links, who sees it, with how many queries."""

from __future__ import annotations

import re

from django.test import Client

from analysis.stats.generic.tables import rows_of
from annotator.models import Annotation, Project
from tests.analysis.wider_study import report_of
from tests.support.codes import codes

PAGE = "/projects/wide/reports/comparison/body-map/"


def shown(client: Client, query: str = "") -> str:
    answer = client.get(PAGE + query)
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
    page = shown(client)
    # No body part is marked in five annotations of a generator.
    assert "<h1>Too few errors to say where bodies go wrong</h1>" in page
    assert page.count('<section class="card"') == 2
    assert "24 annotations, 12 per generator; weights 0.2, 0.5, 1." in page
    assert {"no-pins", "basis"} <= set(codes(page))
    assert 'aria-disabled="true">Pins' in page
    assert "Pins: 0 of the 30 needed." in page


def test_parts_are_links_in_published_order(wide: Project, client: Client) -> None:
    report_of(wide, "comparison")
    first = shown(client).split("</section>")[0]
    found = re.findall(r'<a class="label (\w+)" href="([^"]*)"', first)
    assert [part for part, _ in found] == ["torso", "limbs", "feet", "hands", "face"]
    assert found[3][1] == "/projects/wide/images/?from=body-map&amp;generator=beta&amp;part=hands"
    assert "generator=beta&amp;type=missing" in first
    severe = shown(client, "?show=c&as=share")
    assert "generator=alpha&amp;part=hands&amp;severity=c" in severe


def test_the_numbers_stand_in_tables(wide: Project, client: Client) -> None:
    report_of(wide, "comparison")
    page = shown(client)
    (table, _) = re.findall(r"<table>.*?</table>", page, re.DOTALL)
    rows = re.findall(r'<th scope="row">(\w+)</th>((?:<td class="num">[^<]*</td>)+)', table)
    assert [title for title, _ in rows] == ["Torso", "Limbs", "Feet", "Hands", "Face", "Total"]
    assert all(cells.count("<td") == 6 for _, cells in rows)
    heads = re.findall(r'<th scope="col"[^>]*>([^<]*)</th>', table)
    assert heads == [
        *("Body part", "Missing", "Extra", "Configuration", "Orientation", "Proportion", "Total"),
    ]


def test_enough_pins_are_dots(wide: Project, client: Client) -> None:
    with_pins(wide)
    report = report_of(wide, "comparison")
    cells = rows_of(report.result or {}, "cells")
    pins = sum(row[f"pins_{severity}"] for row in cells for severity in "abc")
    page = shown(client, "?show=pins")
    large = re.findall(r'<circle class="dot [abc]" [^>]*r="2.2"', page)
    assert len(large) == pins > 30
    assert "A dot is one pin." in page
    assert "have the most pins" in page
