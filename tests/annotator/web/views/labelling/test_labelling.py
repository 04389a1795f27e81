"""The annotation page as a form without a script, its questions, and the guide."""

from __future__ import annotations

import re
import uuid
from fractions import Fraction
from html import unescape
from itertools import product
from typing import Any

import pytest
from django.test import Client

from annotator.annotations.saving import save_draft
from annotator.images.signed_urls import assigned_url
from annotator.models import Annotation, Assignment, Event
from annotator.protocols.anatomy.examples import BLURRED, EXAMPLES, WORKED
from annotator.protocols.anatomy.guide import chapters, steps
from annotator.protocols.anatomy.guide_texts import (
    BODY_PART_DEFINITIONS,
    COUNT_DEFINITIONS,
    ERROR_TYPE_DEFINITIONS,
    FACE_BLUR,
    SEVERITY_DEFINITIONS,
)
from scoring.grid.scores import cumulative_score
from scoring.grid.taxonomy import BODY_PARTS, ERROR_TYPES, SEVERITIES
from tests.annotator.acting import address
from tests.annotator.web.views.conftest import Study, typed
from tests.factories import make_mark, make_payload
from tests.support.codes import codes


def test_the_page_shows_the_image_and_25_cells(as_ada: Client, study: Study) -> None:
    assert study.ada.user is not None
    page = as_ada.get(address(study.assignments[0]))
    html = page.content.decode()
    assert page.status_code == 200
    assert f'src="{assigned_url(study.assignments[0], study.ada.user)}"' in html
    assert html.count('name="marks.') == 25
    assert "1 of 3" in html
    assert page["Cache-Control"].startswith("max-age=0, no-cache, no-store")


def test_a_draft_is_stored_and_shown_again(as_ada: Client, study: Study) -> None:
    answer = as_ada.post(address(study.assignments[0]), typed("draft", missing_limbs="1/4c"))
    assert (answer.status_code, answer["Location"]) == (302, address(study.assignments[0]))
    annotation = Annotation.objects.get()
    assert (annotation.version, annotation.status) == (1, "draft")
    assert annotation.payload["marks"] == [make_mark("missing.limbs", "1/4c")]
    html = as_ada.get(address(study.assignments[0])).content.decode()
    assert 'value="1/4c"' in html
    assert '<input type="hidden" name="version" value="1">' in html


def test_submitting_goes_on_to_the_next_image(as_ada: Client, study: Study) -> None:
    first, second, _ = study.assignments
    answer = as_ada.post(address(first), typed("submit", missing_limbs="1/4c", missing_feet="1/4a,1/3b"))
    assert answer["Location"] == f"{address(second)}?after={first.pk}"
    assert Annotation.objects.get().status == "submitted"
    html = as_ada.get(answer["Location"]).content.decode()
    assert "Image 1 submitted." in html
    assert "cumulative" not in html.lower()
    assert "1.0" not in html


def test_the_last_submission_leads_to_the_queue(as_ada: Client, study: Study) -> None:
    Assignment.objects.filter(pk__in=[each.pk for each in study.assignments[1:]]).update(status="done")
    answer = as_ada.post(address(study.assignments[0]), typed("submit", no_errors="on"))
    assert answer["Location"] == f"/projects/pilot/queue/?after={study.assignments[0].pk}"
    assert "all-done" in codes(as_ada.get(answer["Location"]))


def test_unreadable_cells_are_shown_again_with_the_reason(as_ada: Client, study: Study) -> None:
    sent = typed("submit", missing_limbs="1/4", extra_hands="5/4b", extra_feet="1/4b", note="look twice")
    page = as_ada.post(address(study.assignments[0]), sent)
    html = page.content.decode()
    assert page.status_code == 422
    assert page.context["form"].has_error("marks.missing.limbs", "no_severity")
    assert page.context["form"].has_error("marks.extra.hands")
    for kept in ('value="1/4"', 'value="5/4b"', 'value="1/4b"', "look twice", "Not submitted"):
        assert kept in html
    assert html.count('aria-invalid="true"') == 2
    assert not Annotation.objects.exists()


def test_a_draft_keeps_what_can_be_read(as_ada: Client, study: Study) -> None:
    page = as_ada.post(address(study.assignments[0]), typed("draft", missing_limbs="1/4", extra_feet="1/4b"))
    html = page.content.decode()
    assert page.status_code == 422
    assert "Saved, except for the marked cells" in html
    assert 'value="1/4"' in html
    assert '<input type="hidden" name="version" value="1">' in html
    assert Annotation.objects.get().payload["marks"] == [make_mark("extra.feet", "1/4b")]


def test_no_errors_over_marks_is_refused(as_ada: Client, study: Study) -> None:
    page = as_ada.post(address(study.assignments[0]), typed("submit", missing_limbs="1/4c", no_errors="on"))
    html = page.content.decode()
    assert page.status_code == 422
    assert "Refused: 1 error is entered. Remove it first" in html
    assert 'value="1/4c"' in html


def test_a_stale_version_overwrites_nothing(as_ada: Client, study: Study) -> None:
    first = study.assignments[0]
    as_ada.post(address(first), typed("draft", missing_limbs="1/4c", extra_feet="1/2a"))
    page = as_ada.post(address(first), typed("draft", version=0, missing_limbs="2/4c", extra_feet="1/2a"))
    html = page.content.decode()
    assert page.status_code == 409
    assert "Changed elsewhere" in html
    assert '<th scope="row">Missing · Limbs</th><td>2/4c</td><td>1/4c</td>' in html
    assert "Extra · Feet</th>" not in html
    assert 'value="2/4c"' in html
    assert '<input type="hidden" name="version" value="1">' in html
    assert Annotation.objects.get().payload["marks"][0] == make_mark("missing.limbs", "1/4c")
    kept = as_ada.post(address(first), typed("draft", version=1, missing_limbs="2/4c", extra_feet="1/2a"))
    assert kept.status_code == 302
    assert Annotation.objects.get().payload["marks"][0] == make_mark("missing.limbs", "2/4c")


def test_submitting_twice_submits_once(as_ada: Client, study: Study) -> None:
    first, second, _ = study.assignments
    sent = typed("submit", missing_limbs="1/4c")
    answers = [as_ada.post(address(first), sent) for _ in range(2)]
    assert [answer["Location"] for answer in answers] == [f"{address(second)}?after={first.pk}"] * 2
    assert Annotation.objects.get().version == 1
    assert list(Event.objects.values_list("verb", flat=True)) == ["submitted"]


def test_another_answer_to_a_submitted_image_is_a_conflict(as_ada: Client, study: Study) -> None:
    first = study.assignments[0]
    as_ada.post(address(first), typed("submit", missing_limbs="1/4c"))
    page = as_ada.post(address(first), typed("submit", missing_limbs="2/4c"))
    html = page.content.decode()
    assert page.status_code == 409
    assert "submitted-elsewhere" in codes(html)
    assert "keep-mine" not in codes(html)


def test_a_submission_can_be_reopened_and_corrected(as_ada: Client, study: Study) -> None:
    first = study.assignments[0]
    as_ada.post(address(first), typed("submit", missing_limbs="1/4c"))
    html = as_ada.get(address(first)).content.decode()
    assert "reopen" in codes(html)
    assert html.count(" readonly") == 36
    answer = as_ada.post(address(first), typed("reopen", version=1))
    assert answer["Location"] == address(first)
    as_ada.post(address(first), typed("submit", version=2, missing_limbs="2/4c"))
    annotation = Annotation.objects.get()
    assert (annotation.version, annotation.status) == (3, "submitted")
    assert list(Event.objects.values_list("verb", flat=True)) == ["submitted", "reopened", "submitted"]


def test_counts_made_elsewhere_stay(as_ada: Client, study: Study) -> None:
    first = study.assignments[0]
    counts = {"expected": {"limbs": 4}, "visible": {"limbs": 3}}
    assert study.ada.user is not None
    save_draft(
        assignment=first,
        actor=study.ada.user,
        payload=make_payload((), people=1, counts=counts, no_errors=False),
        replaces=0,
        request_key=uuid.uuid4(),
    )
    as_ada.post(address(first), typed("draft", version=1, missing_limbs="1/4c"))
    payload = Annotation.objects.get().payload
    assert (payload["people"], payload["counts"]) == (1, counts)
    assert payload["marks"] == [make_mark("missing.limbs", "1/4c", own_total=False)]


@pytest.mark.parametrize(
    "sent",
    [
        {},
        {"action": "delete", "version": "0", "request_key": str(uuid.uuid4())},
        {"action": "draft", "version": "0"},
        {"action": "draft", "version": "-1", "request_key": str(uuid.uuid4())},
        {"action": "submit", "version": "0", "request_key": "x"},
    ],
)
def test_a_form_that_says_nothing_usable_is_refused(
    as_ada: Client, study: Study, sent: dict[str, str]
) -> None:
    assert as_ada.post(address(study.assignments[0]), sent).status_code == 400
    assert not Annotation.objects.exists()


def test_a_script_is_answered_with_the_version(as_ada: Client, study: Study) -> None:
    sent = typed("draft", missing_limbs="1/4c", missing_feet="1/4a,1/3b", extra_hands="1/")
    answer = as_ada.post(address(study.assignments[0]), sent, headers={"Accept": "application/json"})
    said = answer.json()
    assert answer.status_code == 200
    assert said["version"] == 1
    assert said["short"] == {"marks.extra.hands": "Add the total"}
    assert list(said["errors"]) == ["marks.extra.hands"]
    assert said["warnings"] == {
        "marks.missing.feet": ["Different totals in this cell (3 and 4). Kept as typed."]
    }
    assert Annotation.objects.get().saved_at.isoformat() == said["saved_at"]


def test_a_script_is_told_of_refusals_and_conflicts(as_ada: Client, study: Study) -> None:
    first, script = address(study.assignments[0]), {"Accept": "application/json"}
    refused = as_ada.post(first, typed("draft", missing_limbs="1/4c", no_errors="on"), headers=script)
    assert (refused.status_code, list(refused.json()["errors"])) == (422, ["no_errors"])
    as_ada.post(first, typed("draft", missing_limbs="1/4c"))
    stale = as_ada.post(first, typed("draft", missing_limbs="2/4c"), headers=script)
    assert (stale.status_code, stale.json()["version"]) == (409, 1)
    assert '<th scope="row">Missing · Limbs</th><td>2/4c</td><td>1/4c</td>' in stale.json()["conflict"]


def test_only_a_post_changes_anything(as_ada: Client, study: Study) -> None:
    assert as_ada.put(address(study.assignments[0])).status_code == 405
    assert (
        as_ada.get(address(study.assignments[0]), {"action": "submit", "no_errors": "on"}).status_code == 200
    )
    assert not Annotation.objects.exists()
    strict = Client(enforce_csrf_checks=True)
    assert study.ada.user is not None
    strict.force_login(study.ada.user)
    refused = strict.post(address(study.assignments[0]), typed("submit", no_errors="on"))
    assert refused.status_code == 403
    assert codes(refused) == ["csrf"]
    assert not Annotation.objects.exists()


EXCESS: dict[str, Any] = {"configuration_hands": "8/8a,1/8c"}


def asked(html: str) -> list[str]:
    """The questions that the form would answer."""
    return re.findall(r'name="asked" value="([^"]*)"', html)


def test_the_form_asks_once_with_two_answers(as_ada: Client, study: Study) -> None:
    page = as_ada.post(address(study.assignments[0]), typed("submit", **EXCESS))
    assert page.status_code == 422
    assert {"correct", "confirm"} <= set(codes(page))
    html = page.content.decode()
    assert 'href="#cell-configuration-hands"' in html
    assert 'value="8/8a,1/8c"' in html
    assert not Annotation.objects.exists()
    sent = {**typed("confirm", **EXCESS), "asked": asked(html)}
    answer = as_ada.post(address(study.assignments[0]), sent)
    assert answer.status_code == 302
    annotation = Annotation.objects.get()
    assert annotation.status == "submitted"
    assert annotation.capture == {"confirmed": ["configuration.hands"]}
    assert [warning["code"] for warning in annotation.warnings] == ["affected_sum_above_total"]


def test_a_yes_covers_only_the_numbers_it_was_given_for(as_ada: Client, study: Study) -> None:
    first = address(study.assignments[0])
    html = as_ada.post(first, typed("submit", **EXCESS)).content.decode()
    changed = {**typed("confirm", configuration_hands="8/8a,2/8c"), "asked": asked(html)}
    page = as_ada.post(first, changed)
    assert (page.status_code, Annotation.objects.count()) == (422, 0)
    other = {**typed("confirm", **EXCESS, missing_feet="2/2a,1/2b"), "asked": asked(html)}
    assert len(asked(as_ada.post(first, other).content.decode())) == 1
    assert as_ada.post(first, {**typed("submit", **EXCESS), "asked": asked(html)}).status_code == 422


def test_a_draft_is_stored_unasked(as_ada: Client, study: Study) -> None:
    assert as_ada.post(address(study.assignments[0]), typed("draft", **EXCESS)).status_code == 302
    assert Annotation.objects.get().status == "draft"


def test_no_errors_over_marks_can_clear_them(as_ada: Client, study: Study) -> None:
    first = address(study.assignments[0])
    page = as_ada.post(first, typed("submit", missing_limbs="1/4c", no_errors="on"))
    assert "clear" in codes(page)
    assert as_ada.post(first, typed("clear", missing_limbs="1/4c", no_errors="on")).status_code == 302
    payload = Annotation.objects.get().payload
    assert (payload["marks"], payload["no_errors"]) == ([], True)


ADDRESS = "/guide/"


def page_of(client: Client) -> str:
    """The page as people read it: no entities."""
    return unescape(client.get(ADDRESS).content.decode())


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


@pytest.mark.parametrize(
    "words",
    [ERROR_TYPE_DEFINITIONS, BODY_PART_DEFINITIONS, SEVERITY_DEFINITIONS, COUNT_DEFINITIONS],
    ids=["types", "parts", "severities", "counts"],
)
def test_definitions_are_those_of_the_labelling_page(as_ada: Client, words: dict[str, str]) -> None:
    page = page_of(as_ada)
    assert [text for text in words.values() if text[1:] not in page] == []


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
