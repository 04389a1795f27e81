"""The queue of an annotator, and the settings of the annotation page."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

from django.test import Client

from annotator.annotations.reopening import reopen_for_annotator
from annotator.batches.closing import close_batch
from annotator.models import Annotation, Assignment, User
from tests.annotator.acting import address, skip
from tests.annotator.web.views.conftest import Study, typed
from tests.annotator.web.views.speaking import checked, facts
from tests.factories import user_of
from tests.support.codes import codes, numbers

QUEUE = "/projects/pilot/queue/"


def listed(page: Any, name: str) -> list[Assignment]:
    """The rows of one section, none where it is not shown."""
    return [row for section in page.context["sections"] if section.name == name for row in section.rows]


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
    after = page.context["after"]
    as_ada.post(
        address(skipped), {"action": "reopen", "version": after.version, "request_key": after.request_key}
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
