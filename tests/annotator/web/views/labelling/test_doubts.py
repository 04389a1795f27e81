"""More affected parts than there are, and "no errors" over marks, in the form without a script."""

from __future__ import annotations

import re
from typing import Any

from django.test import Client

from annotator.models import Annotation
from tests.annotator.acting import address
from tests.annotator.web.views.conftest import Study, typed
from tests.support.codes import codes

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
