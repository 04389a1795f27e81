"""Saving, submitting, skipping and reopening over HTTP: what is answered and what is stored."""

from __future__ import annotations

from uuid import UUID, uuid4

from django.test import Client
from django.urls import resolve, reverse

from annotator.annotations.capture import EFFORT
from annotator.annotations.reopening import reopen_for_annotator
from annotator.models import Annotation, Assignment, Batch, Event
from scoring.anatomy.protocol import ANATOMY
from tests.annotator.acting import HANDS, LIMBS
from tests.annotator.annotations.test_saving import FIG_8 as CAPTURE
from tests.annotator.web.views.conftest import Study
from tests.annotator.web.views.speaking import answer_body, facts, post, reopen_body, skip_body, state
from tests.factories import make_payload, user_of
from tests.support.codes import codes
from tests.support.signing_in import signed_in

WARNED = make_payload([("missing.hands", "1/3b"), ("missing.hands", "1/4c")])


def stored(assignment: Assignment) -> Annotation:
    return Annotation.objects.select_related("assignment").get(assignment=assignment)


def test_the_state_of_an_untouched_image(study: Study, as_ada: Client) -> None:
    first, second, _ = study.assignments
    found = state(as_ada, first)
    src = found["image"].pop("src")
    assert resolve(src).url_name == "image_picture"
    assert found == {
        "id": first.pk,
        "position": 1,
        "total": 3,
        "done": 0,
        "version": 0,
        "status": "draft",
        "barred": None,
        "request": None,
        "payload": ANATOMY.empty(),
        "warnings": [],
        "saved_at": None,
        "image": {"width": 8, "height": 8},
        "prompt": None,
        "generator": None,
        "batch": {"name": "First batch", "guided": False, "score_shown": "choice"},
        "protocol": "anatomy",
        "guideline": None,
        "previous": None,
        "next": second.pk,
        "upcoming": second.pk,
        "upcoming_image": state(as_ada, second)["image"],
    }


def test_the_image_id_is_shown_if_the_batch_says_so(study: Study, as_ada: Client) -> None:
    first = study.assignments[0]
    Batch.objects.update(settings={"image_id_shown": True})
    assert state(as_ada, first)["image_id"] == first.image.unique_id
    post(as_ada, "answer_save", first, answer_body(LIMBS, capture={"visited": ["missing.torso"]}))
    assert state(as_ada, first)["visited"] == ["missing.torso"]


def test_the_state_follows_what_is_done(study: Study, as_ada: Client) -> None:
    first, second, third = study.assignments
    post(as_ada, "answer_submit", first, answer_body(WARNED))
    found = state(as_ada, first)
    annotation = stored(first)
    assert annotation.submitted_at is not None
    assert (found["version"], found["status"], found["payload"]) == (1, "submitted", annotation.payload)
    assert (found["done"], found["saved_at"]) == (1, annotation.saved_at.isoformat())
    assert [warning["code"] for warning in found["warnings"]] == ["different_totals"]
    post(as_ada, "answer_skip", third, skip_body())
    found = state(as_ada, second)
    assert (found["position"], found["done"], found["total"]) == (2, 2, 3)
    assert (found["previous"], found["next"], found["upcoming"]) == (first.pk, third.pk, None)
    assert (state(as_ada, third)["status"], state(as_ada, first)["upcoming"]) == ("skipped", second.pk)


def test_a_save_is_stored_and_answered(study: Study, as_ada: Client) -> None:
    assignment = study.assignments[0]
    body = answer_body(LIMBS, capture=CAPTURE)
    response = post(as_ada, "answer_save", assignment, body)
    annotation = stored(assignment)
    assert (response.status_code, facts(response)) == (
        200,
        {"version": 1, "status": "draft", "saved_at": annotation.saved_at.isoformat(), "warnings": []},
    )
    assert (annotation.payload, annotation.capture) == (LIMBS, CAPTURE)
    event = Event.objects.get()
    values = (event.verb, event.actor, event.request_key)
    assert values == ("draft_saved", study.ada.user, UUID(body["request_key"]))


def test_the_page_counts_on_from_the_stored_effort_after_any_reopening(study: Study, as_ada: Client) -> None:
    assignment = study.assignments[0]
    assert "effort" not in state(as_ada, assignment)
    body = answer_body(LIMBS, capture=CAPTURE)
    post(as_ada, "answer_submit", assignment, body)
    effort = {name: CAPTURE[name] for name in EFFORT if name in CAPTURE}
    assert set(CAPTURE) - set(effort) == {
        *("sent_at", "viewport", "image_css", "pixel_ratio", "surround", "score_shown")
    }
    reopened = facts(post(as_ada, "answer_reopen", assignment, reopen_body(1)))
    assert (reopened["effort"], reopened["status"]) == (effort, "reopened")
    assert state(as_ada, assignment)["effort"] == effort
    more = {**CAPTURE, "active_ms": 30_000, "keys": 20}
    again = answer_body(HANDS, 2, capture=more)
    # A repeated request adds nothing, whatever effort it states.
    for capture in (more, {**more, "active_ms": 99_000, "keys": 99}):
        post(as_ada, "answer_submit", assignment, {**again, "capture": capture})
        assert (stored(assignment).active_ms, stored(assignment).capture["keys"]) == (30_000, 20)
    reopen_for_annotator(
        annotation=stored(assignment), actor=user_of(study.lead), reason="x", request_key=uuid4()
    )
    found = state(as_ada, assignment)
    assert (found["effort"]["active_ms"], found["version"]) == (30_000, 4)


def test_a_submission_leads_to_the_next_open_image(study: Study, as_ada: Client) -> None:
    first, second, third = study.assignments
    queue = reverse("queue", args=["pilot"])
    following = {first: second, third: second}
    for assignment, upcoming in following.items():
        answer = facts(post(as_ada, "answer_submit", assignment, answer_body()))
        submitted_at = stored(assignment).submitted_at
        assert submitted_at is not None
        assert answer == {
            "version": 1,
            "status": "submitted",
            "submitted_at": submitted_at.isoformat(),
            "warnings": [],
            "next": reverse("label", args=[upcoming.pk]),
            "state": state(as_ada, upcoming),
            "queue_url": queue,
        }
    last = facts(post(as_ada, "answer_submit", second, answer_body()))
    assert (last["next"], last["state"], last["queue_url"]) == (None, None, queue)
    assert stored(first).ratings == [
        ["cumulative_score", "", "1/4"],
        ["error_fraction", "missing.limbs.c", "1/4"],
    ]


def test_a_skip_keeps_the_draft_and_leads_on(study: Study, as_ada: Client) -> None:
    first, second, _ = study.assignments
    post(as_ada, "answer_save", first, answer_body(LIMBS))
    response = post(as_ada, "answer_skip", first, skip_body(1, "ambiguous", note="two left hands?"))
    assert facts(response) == {
        "status": "skipped",
        "next": reverse("label", args=[second.pk]),
        "state": state(as_ada, second),
        "queue_url": reverse("queue", args=["pilot"]),
    }
    annotation = stored(first)
    assert (annotation.status, annotation.version, annotation.payload) == ("draft", 1, LIMBS)
    assert annotation.assignment.status == "skipped"
    event = Event.objects.get(verb="skipped")
    assert event.data == {"reason": "ambiguous", "note": "two left hands?", "version": 1}
    assert (event.actor, event.assignment) == (study.ada.user, first)


def test_work_is_begun_from_the_queue_after_training(study: Study, as_ada: Client) -> None:
    lesson, *work = study.assignments
    Assignment.objects.filter(pk=lesson.pk).update(purpose="training")
    left = facts(post(as_ada, "answer_skip", lesson, skip_body(0, "ambiguous")))
    assert (left["next"], left["state"]) == (None, None)
    Assignment.objects.filter(pk__in=[row.pk for row in work]).delete()
    Assignment.objects.update(status="done")
    assert "trained" in codes(as_ada.get(left["queue_url"]))


def test_the_second_tab_is_told_what_the_first_has_saved(study: Study, as_ada: Client) -> None:
    first, other_tab = study.assignments[0], signed_in(study.ada)
    assert state(as_ada, first)["version"] == state(other_tab, first)["version"] == 0
    post(as_ada, "answer_save", first, answer_body(LIMBS))
    for name in ("answer_save", "answer_submit", "answer_skip"):
        body = skip_body() if name == "answer_skip" else answer_body(HANDS)
        response = post(other_tab, name, first, body)
        assert (response.status_code, facts(response)) == (
            409,
            {
                "error": "stale",
                "version": 1,
                "status": "draft",
                "payload": LIMBS,
                "saved_at": stored(first).saved_at.isoformat(),
            },
        )
    kept = post(other_tab, "answer_save", first, answer_body(HANDS, 1))
    assert (kept.status_code, stored(first).payload) == (200, HANDS)
    # Both stay in the log: what was refused, and what was replaced on purpose.
    refused = Event.objects.filter(verb="refused").values_list("data__asked", "data__payload")
    assert list(refused) == [("draft_saved", HANDS), ("submitted", HANDS)]
    assert Event.objects.filter(data__replaced__payload=LIMBS).count() == 1
