"""The annotators' guide: who may read it, and that it says what the rules and the pictures say."""

from __future__ import annotations

import re
from fractions import Fraction
from html import unescape
from itertools import product

import pytest
from django.conf import settings
from django.contrib.staticfiles import finders
from django.test import Client
from django.urls import reverse
from PIL import Image as Picture

from annotator.protocols.anatomy.examples import BLURRED, EXAMPLES, PICTURE_SIZE, WORKED
from annotator.protocols.anatomy.guide import chapters, steps
from annotator.protocols.anatomy.guide_texts import (
    BODY_PART_DEFINITIONS,
    COUNT_DEFINITIONS,
    ERROR_TYPE_DEFINITIONS,
    FACE_BLUR,
    GENERAL_REMINDERS,
    SEVERITY_DEFINITIONS,
)
from scoring.grid.notation import format_cell
from scoring.grid.scores import cumulative_score
from scoring.grid.taxonomy import BODY_PARTS, ERROR_TYPES, SEVERITIES
from tests.annotator.web.views.conftest import Study, signed_in
from tests.factories import REVIEWER, make_member, make_user

ADDRESS = "/guide/"


def page_of(client: Client) -> str:
    """The page as people read it: no entities."""
    return unescape(client.get(ADDRESS).content.decode())


def test_a_visitor_has_to_sign_in(client: Client) -> None:
    assert reverse("guide") == ADDRESS
    answer = client.get(ADDRESS)
    assert (answer.status_code, answer["Location"]) == (302, f"/accounts/login/?next={ADDRESS}")


def test_every_role_may_read_it_and_nobody_may_change_it(study: Study) -> None:
    reviewer = make_member(study.project, REVIEWER)
    for membership in (study.ada, study.lead, reviewer):
        assert signed_in(membership).get(ADDRESS).status_code == 200
    stranger = Client()
    stranger.force_login(make_user("stranger"))
    assert stranger.get(ADDRESS).status_code == 200
    assert stranger.post(ADDRESS).status_code == 405


def test_it_is_linked_from_every_header(study: Study, as_ada: Client) -> None:
    queue = as_ada.get(reverse("queue", args=[study.project.slug])).content.decode()
    assert f'href="{reverse("guideline", args=[study.project.slug])}"' in queue
    assert f'href="{ADDRESS}" aria-current="page"' in page_of(as_ada)


def test_one_example_per_error_type_and_severity() -> None:
    found = [(example.cell.error_type, example.term.severity) for example in EXAMPLES]
    assert found == list(product(ERROR_TYPES, SEVERITIES))
    assert {example.cell.body_part for example in EXAMPLES} == set(BODY_PARTS)
    assert [len(chapter.examples) for chapter in chapters()] == [3] * 5


def test_blur_in_a_face_is_an_error_of_three_severities(as_ada: Client) -> None:
    assert [(example.cell_key, example.written) for example in BLURRED] == [
        ("configuration.face", f"1/1{severity}") for severity in SEVERITIES
    ]
    page = page_of(as_ada)
    assert FACE_BLUR in page
    assert page.index(FACE_BLUR) > page.index('id="configuration"')
    assert not re.search(r"blur[^.]* (is|are) (no|not) errors?", page, re.IGNORECASE)


def test_every_example_has_its_picture_in_words_too(as_ada: Client) -> None:
    page = page_of(as_ada)
    shown = re.findall(r'<img src="/static/(img/guide/[^"]+)"[^>]* alt="([^"]+)"', page)
    drawn = [example for chapter in chapters() for example in (*chapter.examples, *chapter.further)]
    assert sorted(drawn, key=id) == sorted((*EXAMPLES, *BLURRED), key=id)
    assert shown == [(example.picture, example.shown) for example in drawn]
    assert len({alt for _, alt in shown}) == len(drawn)
    assert all(finders.find(path) for path, _ in shown)
    for example in drawn:
        assert f"{example.cell.title} <code>{format_cell([example.term])}</code>" in page
        assert example.seen in page
        assert example.why in page


def test_the_drawings_have_the_size_that_the_page_says_and_none_is_left_over() -> None:
    drawings = list((settings.BASE_DIR / "static" / "img" / "guide").iterdir())
    assert {path.stem for path in drawings} == {example.name for example in (*EXAMPLES, *BLURRED)}
    for path in drawings:
        with Picture.open(path) as picture:
            assert (picture.format, picture.size) == ("WEBP", PICTURE_SIZE)


@pytest.mark.parametrize(
    "words",
    [ERROR_TYPE_DEFINITIONS, BODY_PART_DEFINITIONS, SEVERITY_DEFINITIONS, COUNT_DEFINITIONS],
    ids=["types", "parts", "severities", "counts"],
)
def test_definitions_are_those_of_the_labelling_page(as_ada: Client, words: dict[str, str]) -> None:
    page = page_of(as_ada)
    assert [text for text in words.values() if text[1:] not in page] == []


def test_reminders_are_said(as_ada: Client) -> None:
    page = page_of(as_ada)
    assert len(GENERAL_REMINDERS) == 6
    assert [rule for rule, text in GENERAL_REMINDERS if f"<b>{rule}</b> {text}" not in page] == []


def test_the_worked_example_comes_out(as_ada: Client) -> None:
    assert cumulative_score(WORKED) == Fraction(67, 60)
    rows = [(step.title, step.term, step.weight, step.product) for step in steps(WORKED)]
    assert rows == [
        ("Missing · Limbs", "1/4c", "1", Fraction(1, 4)),
        ("Missing · Hands", "1/3b", "0.5", Fraction(1, 6)),
        ("Missing · Face", "2/2a", "0.2", Fraction(1, 5)),
        ("Configuration · Hands", "1/3b", "0.5", Fraction(1, 6)),
        ("Configuration · Hands", "1/3c", "1", Fraction(1, 3)),
    ]
    page = page_of(as_ada)
    assert "4 limbs, 3 hands and 2 faces should be visible." in page
    assert '67/60</span></th><td class="num">1.117</td>' in page


def test_it_needs_few_queries_whatever_the_project(
    study: Study, as_ada: Client, django_assert_num_queries: pytest.FixtureRequest
) -> None:
    as_ada.get(ADDRESS)  # notes in the session that it was opened
    with django_assert_num_queries(2):  # type: ignore[operator]  # session and user
        as_ada.get(ADDRESS)


def test_nothing_is_inline(as_ada: Client) -> None:
    page = page_of(as_ada)
    assert " style=" not in page
    assert "<style" not in page
    assert re.findall(r"<script(?![^>]* src=)", page) == []
