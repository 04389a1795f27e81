"""Lines put together from ready texts are, byte for byte, those written value by value."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from analysis.exports import chunks
from analysis.exports.columns import CSV, LINE_END, csv_text
from analysis.exports.filters import Filters, answers
from analysis.exports.registry import layouts_of
from analysis.exports.source import ExportSource
from annotator.models import Annotation, Project
from scoring.grid.taxonomy import CELL_BY_KEY
from tests.analysis.factories import make_submitted
from tests.factories import make_batch, make_image, make_mark, make_member, make_payload, make_project

LAYOUTS = layouts_of("anatomy")

QUICK = [slug for slug, layout in LAYOUTS.items() if layout.csv]
NAMES = ("plain", 'with "quotes", and a comma', "=1+1", "-", "line\r\nbreak", "00", "東京", "_00_", " ")
SEVERAL = [
    ("missing.limbs", "1/4c"),
    ("extra.hands", "1/3a"),
    ("extra.hands", "2/3b"),
    ("extra.hands", "1/3c"),
]

pytestmark = pytest.mark.django_db


def reading(project: Project, hidden: bool = False, **filters: Any) -> ExportSource:
    return ExportSource(project, Filters(**filters), CSV, hidden=hidden)


def both_ways(project: Project, slug: str, **asked: Any) -> tuple[str, str]:
    """The file as it is written, and as the values say it is."""
    layout = LAYOUTS[slug]
    assert layout.csv
    quick = [text for texts in layout.csv(reading(project, **asked)) for text in texts]
    return LINE_END.join([*quick, ""]), csv_text(layout.lines(reading(project, **asked)))


@pytest.fixture
def odd_project() -> Project:
    """Names to quote, images without a number, several marks in a cell, rows from a file, drafts."""
    project = make_project()
    for place, name in enumerate(NAMES):
        member = make_member(project, code=f"{name} {place}")
        batch = make_batch(project, name=f"{name} {place}")
        for number in (None, place, 10 + 100 * place, 5000):
            image = make_image(
                project, generator=name, prompt=f"{name}!", number=number, source_name="a/b,1.png"
            )
            make_submitted(member, SEVERAL[: place % 5], image=image, batch=batch)
        source = {
            "image_id": f"{name},1",
            "cells": {
                CELL_BY_KEY["extra.hands"].heading: "1/3a ,2/3B",
                CELL_BY_KEY["missing.feet"].heading: "=1/5",
            },
        }
        make_submitted(member, SEVERAL[1:3], source=source)
        mark = {**make_mark("missing.limbs", "1/4c"), "total": None}
        draft = make_submitted(member, status="draft", submitted_at=None)
        Annotation.objects.filter(pk=draft.pk).update(payload={**make_payload([]), "marks": [mark]})
    moment = datetime(2026, 3, 1, 23, 59, 59, 999999, tzinfo=UTC)
    make_submitted(
        member, [("missing.face", "1/7b")], image=image, batch=make_batch(project), submitted_at=moment
    )
    return project


@pytest.mark.parametrize("slug", QUICK)
@pytest.mark.parametrize("asked", [{}, {"hidden": True}, {"generators": ("=1+1", "00")}], ids=str)
@pytest.mark.few(3)
def test_they_are_the_same(odd_project: Project, slug: str, asked: dict[str, Any]) -> None:
    quick, by_value = both_ways(odd_project, slug, **asked)
    assert quick == by_value
    assert quick.count(LINE_END) >= 8


@pytest.mark.parametrize("slug", ["scores", "marks"])
def test_drafts_are_the_same(odd_project: Project, slug: str) -> None:
    quick, by_value = both_ways(odd_project, slug, drafts=True)
    assert quick == by_value
    assert ",draft," in quick


@pytest.mark.parametrize("slug", QUICK)
@pytest.mark.parametrize("spread", [0, 1, 1000])
@pytest.mark.few(3)
def test_chunks_change_nothing(
    odd_project: Project, slug: str, spread: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole, _ = both_ways(odd_project, slug)
    monkeypatch.setattr(chunks, "CHUNK", 7)
    monkeypatch.setattr("analysis.exports.rows.CHUNK", 7)
    monkeypatch.setattr(chunks, "_SPREAD", spread)
    some = list(Annotation.objects.values_list("pk", flat=True)[::5])
    Annotation.objects.filter(pk__in=some).update(status="reopened")
    quick, by_value = both_ways(odd_project, slug)
    assert quick == by_value != whole


@pytest.mark.parametrize("slug", QUICK)
@pytest.mark.few(1)
def test_what_is_withdrawn_meanwhile_stays_out(odd_project: Project, slug: str) -> None:
    layout = LAYOUTS[slug]
    assert layout.csv
    running = layout.csv(reading(odd_project))
    listed = chunks.chosen(answers(odd_project, Filters()))
    found = list(chunks.read_chunks(listed, ("status",), drafts=False))
    Annotation.objects.filter(pk=listed[0]).update(status="reopened")
    later = list(chunks.read_chunks(listed, ("status",), drafts=False))
    assert sum(map(len, found)) - sum(map(len, later)) == 1
    assert sum(map(len, running)) > 0


@pytest.mark.study
@pytest.mark.parametrize("slug", QUICK)
@pytest.mark.few(1)
def test_the_published_study_is_the_same(published: Project, study_data: Path, slug: str) -> None:
    quick, by_value = both_ways(published, slug)
    assert quick == by_value
