"""Imported answers of which something, or nothing, could be read."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import pytest
from django.apps import apps
from django.db import connection

from annotator.annotations.summaries import summarise
from annotator.annotations.unreadable import annotations_without_numbers, loses_terms, says_nothing
from annotator.models import Annotation, ImageSummary
from annotator.web.views.annotation_details import details_of
from tests.analysis.factories import make_submitted, make_unread
from tests.factories import make_image, make_member, make_project


def source(*texts: str) -> dict[str, Any]:
    return {"problems": [{"row": 2, "column": "x", "text": text, "reason": "why"} for text in texts]}


@pytest.mark.parametrize(
    ("texts", "loses"),
    [
        ((), False),
        (("1/28b,3/28c,",), False),
        ((",1/4a",), False),
        (("1/5",), True),
        (("1/3",), True),
        (("1/28b,", "1/5"), True),
        # A severity given twice: well written, and the second is lost.
        (("1/3b",), True),
        ((",",), True),
    ],
)
def test_a_comma_too_many_loses_nothing(texts: tuple[str, ...], loses: bool) -> None:
    assert loses_terms(source(*texts)) is loses
    assert loses_terms(None) is False


@pytest.mark.django_db
def test_an_answer_of_which_nothing_was_read_has_no_score() -> None:
    project = make_project()
    images = [make_image(project) for _ in range(3)]
    ada, bo = make_member(project, code="A"), make_member(project, code="B")
    make_submitted(ada, [("missing.face", "1/2c")], image=images[0])
    lost = make_unread(bo, images[0])
    alone = make_unread(bo, images[1])
    make_submitted(bo, [("missing.face", "1/2a")], image=images[2])
    none = make_submitted(bo, [], image=make_image(project))
    assert list(annotations_without_numbers(project).order_by("pk")) == [lost, alone]
    assert (says_nothing(lost.payload), says_nothing(none.payload)) == (True, False)
    summarise(project.pk, [image.pk for image in images], "anatomy")
    rows = ImageSummary.objects.filter(code="").order_by("image")
    assert [(row.image_id, row.answers, row.mean) for row in rows] == [
        (images[0].pk, 2, 0.5),
        (images[1].pk, 1, None),
        (images[2].pk, 1, 0.1),
    ]
    assert (details_of(lost).score, details_of(none).score) == ("", "0")


@pytest.mark.django_db
def test_the_migration_unmarks_commas_only(monkeypatch: pytest.MonkeyPatch) -> None:
    unmarking = import_module("annotator.migrations.0014_commas_lose_nothing")
    monkeypatch.setattr(unmarking, "ROWS", 2)
    project = make_project()
    member = make_member(project, code="A")
    comma = {"row": 2, "column": "x", "text": "1/28b,", "reason": "term 2 of 2 is empty: a comma too many"}
    other = {"row": 2, "column": "x", "text": "1/5", "reason": "no severity"}
    marked = [[comma], [comma, comma], [comma], [comma, other], [other]]
    made = []
    for problems in marked:
        answer = make_submitted(member, image=make_image(project))
        answer.source, answer.has_unread_terms = {"problems": problems}, True
        answer.save()
        made.append(answer)
    for _ in range(2):
        unmarking.unmark(apps, connection.schema_editor())
        assert list(Annotation.objects.filter(has_unread_terms=True).order_by("pk")) == made[3:]
