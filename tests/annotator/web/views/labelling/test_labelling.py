"""The annotation page as a form without a script, the queue, and the settings of the page."""

from __future__ import annotations

import re
import uuid
from typing import Any
from uuid import uuid4

import pytest
from django.test import Client

from annotator.annotations.reopening import reopen_for_annotator
from annotator.batches.closing import close_batch
from annotator.models import Annotation, Assignment, Batch, User
from tests.annotator.acting import address, skip
from tests.annotator.web.views.conftest import Study, typed
from tests.annotator.web.views.speaking import checked, facts
from tests.factories import make_mark, user_of
from tests.support.codes import codes, numbers


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
    assert "cumulative" not in html.lower()
    assert "1.0" not in html


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


def test_a_stale_version_overwrites_nothing(as_ada: Client, study: Study) -> None:
    first = study.assignments[0]
    as_ada.post(address(first), typed("draft", missing_limbs="1/4c", extra_feet="1/2a"))
    page = as_ada.post(address(first), typed("draft", version=0, missing_limbs="2/4c", extra_feet="1/2a"))
    html = page.content.decode()
    assert page.status_code == 409
    assert '<th scope="row">Missing · Limbs</th><td>2/4c</td><td>1/4c</td>' in html
    assert "Extra · Feet</th>" not in html
    assert 'value="2/4c"' in html
    assert '<input type="hidden" name="version" value="1">' in html
    assert Annotation.objects.get().payload["marks"][0] == make_mark("missing.limbs", "1/4c")
    kept = as_ada.post(address(first), typed("draft", version=1, missing_limbs="2/4c", extra_feet="1/2a"))
    assert kept.status_code == 302
    assert Annotation.objects.get().payload["marks"][0] == make_mark("missing.limbs", "2/4c")


def test_a_closed_batch_takes_no_reopening_and_speaks_of_no_changes(as_ada: Client, study: Study) -> None:
    first = study.assignments[0]
    as_ada.post(address(first), typed("submit", missing_limbs="1/4c"))
    Batch.objects.update(status=Batch.Status.CLOSED)
    undone = as_ada.post(address(first), typed("reopen", version=1))
    assert (undone.status_code, "closed" in codes(undone)) == (409, True)
    assert "Your changes are still on this page" not in undone.content.decode()
    assert 'value="1/4c"' in undone.content.decode()
    late = as_ada.post(address(first), typed("draft", version=1, missing_limbs="2/4c"))
    assert "Your changes are still on this page" in late.content.decode()


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
def test_a_form_with_nothing_usable_is_refused(as_ada: Client, study: Study, sent: dict[str, str]) -> None:
    assert as_ada.post(address(study.assignments[0]), sent).status_code == 400
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


QUEUE = "/projects/pilot/queue/"


def listed(page: Any, name: str) -> list[Assignment]:
    """The rows of one section, none where it is not shown."""
    return [row for section in page.context["sections"] if section["name"] == name for row in section["rows"]]


def test_skipped_images_are_listed_counted_and_can_be_resumed(study: Study, as_ada: Client) -> None:
    for assignment in study.assignments[:2]:
        as_ada.post(address(assignment), typed("submit", no_errors="on"))
    skipped = study.assignments[2]
    skip(skipped)
    page = as_ada.get(f"{QUEUE}?after={skipped.pk}")
    assert {"all-done", "undo", "skipped"} <= set(codes(page))
    assert numbers(page.content.decode(), "skipped") == ["3"]
    assert page.context["progress"].words == "2 of 3 submitted, 1 skipped"
    assert [row.pk for row in listed(page, "skipped")] == [skipped.pk]
    Batch.objects.update(status="closed")
    assert as_ada.get(f"{QUEUE}?after={skipped.pk}").context["after"] is None
    Batch.objects.update(status="open")
    after = page.context["after"]
    as_ada.post(
        address(skipped),
        {"action": "reopen", "version": after["version"], "request_key": after["request_key"]},
    )
    assert Assignment.objects.get(pk=skipped.pk).status == "open"


def test_what_a_lead_sends_back_is_marked_and_can_be_changed(study: Study, as_ada: Client) -> None:
    first = study.assignments[0]
    as_ada.post(address(first), typed("submit", no_errors="on"))
    close_batch(batch=first.batch, reason="Done.", actor=study.lead.user)
    submitted = Annotation.objects.get(assignment=first)
    submitted.assignment = first
    reopen_for_annotator(
        annotation=submitted, actor=user_of(study.lead), reason="Look again.", request_key=uuid4()
    )
    page = as_ada.get(QUEUE)
    html = page.content.decode()
    assert "sent-back" in codes(html)
    [row] = listed(page, "drafts")
    assert (row.pk, row.locked, row.sent_back) == (first.pk, False, True)  # type: ignore[attr-defined]


DEFAULTS = {"single_keys": True, "surround": "auto", "show_score": False, "hide_codes": False}


def stored(name: str = "ada") -> dict[str, Any]:
    preferences: dict[str, Any] = User.objects.get(username=name).preferences
    return preferences


def send(client: Client, body: object) -> Any:
    return checked(client.post("/settings/", body, content_type="application/json"))


def test_a_script_changes_all_or_some(study: Study, as_ada: Client) -> None:
    everything = {"single_keys": False, "surround": "dark", "show_score": True, "hide_codes": True}
    response = send(as_ada, everything)
    assert (response.status_code, facts(response), stored()) == (200, everything, everything)
    response = send(as_ada, {"surround": "auto"})
    assert facts(response) == stored() == {**everything, "surround": "auto"}
    assert stored("bob") == DEFAULTS
