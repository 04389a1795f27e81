"""All scenarios, and the controls that must break without their protection."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from typing import Any, Final
from unittest import mock
from uuid import UUID, uuid4

from django.utils import timezone

from annotator.annotations import versioned_changes
from annotator.models import Annotation, Assignment, Event, LeasedWork, User
from annotator.work import leases
from benchmarks.races import answers, doors, leads, training, work
from benchmarks.races.rounds import Scenario

SCENARIOS: Final = (
    # First, because each round reads all events of the run.
    Scenario("one submission sent four times", answers.double_click),
    Scenario("four tabs submit", answers.four_submissions),
    Scenario("eight tabs save over one version", answers.eight_saves),
    Scenario("save while submitting", answers.save_and_submit),
    Scenario("skip while submitting", answers.skip_and_submit),
    Scenario("four submit while the batch closes", answers.submit_and_close),
    Scenario("annotator and lead reopen", answers.reopened_by_both),
    Scenario("save and submit while the image is deleted", answers.image_deleted),
    Scenario("save and submit while the project is deleted", answers.project_deleted),
    Scenario("a release confirmed four times", leads.release_confirmed),
    Scenario("a release confirmed while the project is deleted", leads.release_and_delete),
    Scenario("a form saved while a batch is released under it", leads.form_saved_and_released),
    Scenario("a change of annotators confirmed three times", leads.people_confirmed),
    Scenario("submit while removed from the batch", leads.taken_out_while_working),
    Scenario("four leads adjudicate one image", leads.four_settle),
    Scenario("adjudicate while an annotator reopens", leads.settle_and_reopen),
    Scenario("two leads deactivate each other", leads.two_leads),
    Scenario("four leads agree different normed values", training.values_agreed),
    Scenario("three leads exempt two annotators", training.exempted_at_once),
    Scenario("an attempt ends while work that needs it is released", training.qualified_and_released),
    Scenario("an invitation used by four", doors.invitation_used),
    Scenario("a token revoked while used", doors.token_revoked),
    Scenario("a password changed while working", doors.password_changed),
    Scenario("a recovery code used four times", doors.recovery_code_used),
    Scenario("an authenticator's code used four times", doors.authenticator_code_used),
    Scenario("four workers claim one job", work.claims),
    Scenario("a job cancelled while it ends", work.cancel_and_finish),
    Scenario("one report requested eight times", work.one_report),
    Scenario("a report cancelled under two workers", work.report_cancelled),
    Scenario("one export requested four times", work.one_export),
    Scenario("an import confirmed four times", work.two_confirmations),
    Scenario("an import stored while the project is deleted", work.import_and_deletion),
    Scenario("one file sent four times", work.file_resent),
    Scenario("an upload ended three times", work.upload_ended_twice),
    Scenario("an upload stored while discarded", work.stored_and_discarded),
    Scenario("two uploads of the same images stored", work.stored_by_two),
)

BY_NAME: Final[Mapping[str, Scenario]] = {one.name: one for one in SCENARIOS}


@contextmanager
def _version_ignored() -> Iterator[None]:
    """Let a save overwrite the stored annotation whatever version it names."""

    def objection(
        change: versioned_changes.AnnotationChange, row: Annotation | None, refusal: Any
    ) -> versioned_changes.Conflict | None:
        return None if refusal is None else refusal(row or versioned_changes.nothing_yet(change.assignment))

    def written(change: versioned_changes.AnnotationChange, row: Annotation | None) -> Annotation:
        values = {**change.fields, "version": change.replaces + 1, "saved_at": timezone.now()}
        made, _ = Annotation.objects.update_or_create(assignment=change.assignment, defaults=values)
        Assignment.objects.filter(pk=change.assignment.pk).update(status=change.leaves)
        data = {"version": change.replaces + 1, "replaced": None}
        versioned_changes.record(change.assignment, change.actor, change.verb, data, change.request_key)
        return made

    with (
        mock.patch.object(versioned_changes, "_objection", objection),
        mock.patch.object(versioned_changes, "_write", written),
    ):
        yield


@contextmanager
def _key_ignored() -> Iterator[None]:
    """Neither look up nor store idempotency keys."""
    kept = versioned_changes.new_event

    def new_event(
        assignment: Assignment, actor: User, verb: str, data: Mapping[str, Any], request_key: UUID
    ) -> Event:
        return kept(assignment, actor, verb, data, uuid4())

    with (
        mock.patch.object(versioned_changes, "event_of", return_value=None),
        mock.patch.object(versioned_changes, "new_event", new_event),
    ):
        yield


@contextmanager
def _claim_unconditional() -> Iterator[None]:
    """Claim a row that was free when read, without checking that it still is."""

    def claim(model: type[LeasedWork], pk: int) -> leases.Claim | None:
        rows = model._default_manager.filter(pk=pk)
        attempts = rows.filter(status__in=leases.UNDER_WAY).values_list("attempts", flat=True).first()
        if attempts is None:
            return None
        rows.update(status="running", attempts=attempts + 1)
        return leases.Claim(model, pk, attempts + 1)

    with mock.patch.object(leases, "claim", claim):
        yield


CONTROLS: Final[tuple[tuple[str, str, Callable[[], AbstractContextManager[None]]], ...]] = (
    ("eight tabs save over one version", "versions are not compared", _version_ignored),
    ("one submission sent four times", "keys are ignored", _key_ignored),
    ("four workers claim one job", "claims are unconditional", _claim_unconditional),
)
"""Scenario, disabled protection, and how. Each must break."""
