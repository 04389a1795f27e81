"""Races of annotators and their tabs with leads who close, reopen and delete, all through requests."""

from __future__ import annotations

from functools import partial
from typing import Any
from uuid import uuid4

from django.urls import reverse

from annotator.annotations.reopening import reopen_for_annotator
from annotator.annotations.saving import save_draft, submit_annotation
from annotator.models import Annotation, Assignment, Event, Image, Membership, Project
from benchmarks.races.rounds import Round
from benchmarks.races.worlds import account, asking, browser, consistent, noted, tabs
from tests.factories import LEAD, make_assignment, make_batch, make_image, make_member, make_project

FOUR, EIGHT = 4, 8
REASON = {"reason": "It is time."}


def double_click(round_: Round) -> None:
    """Send one submission four times with its idempotency key."""
    member, assignment = _owing()
    key, payload = uuid4(), noted("once")
    answers = round_.race(
        *(asking(tab, "answer_submit", assignment, 0, key, payload=payload) for tab in tabs(member, FOUR))
    )
    round_.holds("each is answered as the first", all(each.status_code == 200 for each in answers))
    round_.holds("all say one version", {each.json().get("version") for each in answers} == {1})
    round_.holds("one Event", _events(assignment) == ["submitted"])
    consistent(round_, member.project)


def four_submissions(round_: Round) -> None:
    """Four tabs submit different annotations."""
    member, assignment = _owing()
    answers = round_.race(
        *(
            asking(tab, "answer_submit", assignment, 0, payload=noted(f"tab {number}"))
            for number, tab in enumerate(tabs(member, FOUR))
        )
    )
    _one_won(round_, assignment, answers)
    consistent(round_, member.project)


def eight_saves(round_: Round) -> None:
    """Eight tabs save different drafts over one version."""
    member, assignment = _owing(begun=True)
    answers = round_.race(
        *(
            asking(tab, "answer_save", assignment, 1, payload=noted(f"tab {number}"))
            for number, tab in enumerate(tabs(member, EIGHT))
        )
    )
    _one_won(round_, assignment, answers)
    refused = Event.objects.filter(assignment=assignment, verb="refused").count()
    round_.holds("what was refused is kept", refused == EIGHT - 1)
    consistent(round_, member.project)


def save_and_submit(round_: Round) -> None:
    """One tab saves while another submits."""
    member, assignment = _owing(begun=True)
    saving, submitting = tabs(member, 2)
    saved, submitted = round_.race(
        asking(saving, "answer_save", assignment, 1, payload=noted("saved")),
        asking(submitting, "answer_submit", assignment, 1, payload=noted("submitted")),
    )
    _one_won(round_, assignment, [saved, submitted])
    stored = Annotation.objects.get(assignment=assignment)
    round_.holds(
        "who won is stored", (submitted.status_code == 200) == (stored.payload["note"] == "submitted")
    )
    consistent(round_, member.project)


def skip_and_submit(round_: Round) -> None:
    """One tab skips the image while another submits it: it is done or skipped, never both."""
    member, assignment = _owing(begun=True)
    skipping, submitting = tabs(member, 2)
    skipped, submitted = round_.race(
        asking(skipping, "answer_skip", assignment, 1, reason="broken"),
        asking(submitting, "answer_submit", assignment, 1, payload=noted("submitted")),
    )
    now = Assignment.objects.get(pk=assignment.pk).status
    acts = [each for each in _events(assignment) if each in ("skipped", "submitted")]
    if submitted.status_code == 200:
        # Submitting undoes an earlier skip; a later skip is refused.
        expected = ["skipped", "submitted"] if skipped.status_code == 200 else ["submitted"]
        round_.holds("submitted, as it says", (now, acts) == ("done", expected))
    else:
        round_.holds("skipped, as it says", (now, acts) == ("skipped", ["skipped"]))
    consistent(round_, member.project)


def submit_and_close(round_: Round) -> None:
    """Four people submit while a lead closes the batch: only annotations written before count."""
    project, lead, batch, owed = _batch_of(FOUR)
    closing = browser(lead)
    *answers, closed = round_.race(
        *(asking(browser(one.annotator), "answer_submit", one, 0, payload=noted("in time")) for one in owed),
        partial(closing.post, reverse("batch_status", args=[batch.pk]), {"action": "close", **REASON}),
    )
    round_.holds("the batch is closed", closed.status_code == 302)
    end = Event.objects.get(project=project, verb="batch_closed").pk
    for one, answer in zip(owed, answers, strict=True):
        acts = Event.objects.filter(assignment=one, verb="submitted")
        if answer.status_code == 200:
            round_.holds(
                "what counts was written before the closing", [each.pk < end for each in acts] == [True]
            )
        else:
            round_.holds("what is refused is refused for that", answer.json()["error"] == "closed")
            kept = Event.objects.filter(assignment=one, verb="refused").count()
            round_.holds("what is refused is kept", (acts.count(), kept) == (0, 1))
    consistent(round_, project)


def reopened_by_both(round_: Round) -> None:
    """The annotator and a lead reopen one annotation; the annotator's other tab submits nothing new."""
    member, assignment = _owing()
    lead = make_member(member.project, LEAD)
    _act(submit_annotation, assignment, "submitted", 0)
    annotation = Annotation.objects.select_related("assignment__batch__project").get(assignment=assignment)
    by_lead = partial(
        reopen_for_annotator,
        annotation=annotation,
        actor=account(lead),
        reason="Look again.",
        request_key=uuid4(),
    )
    own, _ = round_.race(asking(browser(member), "answer_reopen", assignment, 1), by_lead)
    round_.holds("reopened once", len([each for each in _events(assignment) if "reopened" in each]) == 1)
    stored = Annotation.objects.get(assignment=assignment)
    round_.holds("it is open, at the next version", (stored.status, stored.version) == ("reopened", 2))
    round_.holds("the annotator is told", own.status_code in (200, 409))
    consistent(round_, member.project)


def image_deleted(round_: Round) -> None:
    """A lead deletes an image while two people save and submit it."""
    project, lead, _, owed = _batch_of(2)
    image = owed[0].image
    address = reverse("image_delete", args=[project.slug, image.public_id])
    saved, submitted, deleted = round_.race(
        asking(browser(owed[0].annotator), "answer_save", owed[0], 0, payload=noted("saved")),
        asking(browser(owed[1].annotator), "answer_submit", owed[1], 0, payload=noted("submitted")),
        partial(browser(lead).post, address, {"typed": "0", **REASON}),
    )
    codes, gone = [saved.status_code, submitted.status_code], deleted["Location"].endswith("/images/")
    stored = Assignment.objects.filter(image=image, annotation__isnull=False).count()
    round_.holds("what is acknowledged stays", stored == codes.count(200))
    round_.holds("it is not deleted unseen", gone == (not stored))
    round_.holds("it goes", gone != Image.objects.filter(pk=image.pk).exists())
    kept = Event.objects.filter(project=project, verb="refused").count()
    round_.holds("what is refused is kept", kept == codes.count(409))


def project_deleted(round_: Round) -> None:
    """A lead deletes the project while two people save and submit."""
    project, lead, _, owed = _batch_of(2)
    address = reverse("project_delete", args=[project.slug])
    saved, submitted, deleted = round_.race(
        asking(browser(owed[0].annotator), "answer_save", owed[0], 0, payload=noted("saved")),
        asking(browser(owed[1].annotator), "answer_submit", owed[1], 0, payload=noted("submitted")),
        partial(browser(lead).post, address, {"typed": project.name, **REASON}),
    )
    round_.holds("the project is being deleted", deleted.status_code == 302)
    round_.holds("it has its time", not Project.objects.filter(pk=project.pk, goes_at=None).exists())
    _stored_before(round_, "project_deleted", owed, [saved, submitted])
    told = Event.objects.get(project=project, verb="project_deleted").data
    round_.holds("the Event says what goes", told["submitted"] == (submitted.status_code == 200))


def _owing(*, begun: bool = False) -> tuple[Membership, Assignment]:
    """An annotator with one assignment."""
    member = make_member(make_project())
    assignment = make_assignment(member)
    if begun:
        _act(save_draft, assignment, "begun", 0)
    return member, assignment


def _batch_of(people: int) -> tuple[Project, Membership, Any, list[Assignment]]:
    """A project, its lead, and a batch of one image assigned to several annotators."""
    project = make_project()
    batch, image = make_batch(project), make_image(project)
    owed = [make_assignment(make_member(project), batch=batch, image=image) for _ in range(people)]
    return project, make_member(project, LEAD), batch, owed


def _act(verb: Any, assignment: Assignment, words: str, replaces: int) -> None:
    verb(
        assignment=assignment,
        actor=account(assignment.annotator),
        payload=noted(words),
        replaces=replaces,
        request_key=uuid4(),
    )


def _one_won(round_: Round, assignment: Assignment, answers: list[Any]) -> None:
    """One request is carried out; all others return what it stored."""
    won = [each.json() for each in answers if each.status_code == 200]
    lost = [each.json() for each in answers if each.status_code == 409]
    round_.holds("one wins, the others are told", (len(won), len(lost)) == (1, len(answers) - 1))
    stored = Annotation.objects.get(assignment=assignment)
    shown = {(each.get("version"), each.get("payload", {}).get("note")) for each in lost}
    round_.holds("they are shown what is stored", shown == {(stored.version, stored.payload["note"])})
    round_.holds(
        "the winner's version is the stored one", [each["version"] for each in won] == [stored.version]
    )


def _stored_before(round_: Round, verb: str, owed: list[Assignment], answers: list[Any]) -> None:
    """Acknowledged annotations were stored before the event of this verb; refused ones are not stored."""
    end = Event.objects.get(project=owed[0].batch.project_id, verb=verb).pk
    for one, answer in zip(owed, answers, strict=True):
        acts = list(Event.objects.filter(assignment=one, verb__in=("draft_saved", "submitted")))
        stored = Annotation.objects.filter(assignment=one).exists()
        if answer.status_code == 200:
            round_.holds(
                "what was acknowledged was stored before", stored and [e.pk < end for e in acts] == [True]
            )
        else:
            round_.holds("what was refused is not stored", not stored and not acts)


def _events(assignment: Assignment) -> list[str]:
    kept = Event.objects.filter(assignment=assignment).exclude(verb="refused")
    return list(kept.values_list("verb", flat=True))
