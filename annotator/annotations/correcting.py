"""Correct an imported annotation as a lead, with a reason, if its annotator cannot be asked."""

from __future__ import annotations

from typing import Any, Final
from uuid import UUID

from annotator.annotations.reopening import read_reason
from annotator.annotations.saving import checked_fields, rate
from annotator.annotations.versioned_changes import AnnotationChange, carry_out
from annotator.inputs.refusal import Refusal
from annotator.models import Annotation, Assignment, Membership, User
from scoring.service import get_protocol

CORRECTED_BY_LEAD: Final = "corrected_by_lead"
CORRECTED: Final = "corrected"
"""The key of a source that holds the version a lead corrected, so that every copy of the row says so."""


class CorrectionRefused(Refusal, ValueError):
    """A lead may not correct this annotation; the message says who may."""


def can_be_asked(annotator: Membership) -> bool:
    """Tell whether an annotator, loaded with their account, can sign in to correct their own annotations.

    An imported annotator whom nobody has taken over has an account that nobody can use.
    """
    return annotator.is_active and annotator.has_account


def is_correctable(annotation: Annotation) -> bool:
    """Tell whether a lead may correct it: imported, partly unreadable, and its annotator cannot be asked.

    The annotation must be loaded with its annotator and their account.
    """
    imported = annotation.has_unread_terms and annotation.source is not None
    submitted = annotation.status == Annotation.Status.SUBMITTED
    return imported and submitted and not can_be_asked(annotation.assignment.annotator)


def is_corrected(annotation: Annotation) -> bool:
    """Tell whether the present version is a lead's correction."""
    return annotation.status == Annotation.Status.SUBMITTED and (
        (annotation.source or {}).get(CORRECTED) == annotation.version
    )


def correct_as_lead(
    *, annotation: Annotation, actor: User, payload: object, reason: object, replaces: int, request_key: UUID
) -> Annotation:
    """Replace an imported annotation by a lead's reading of it, also in a closed batch; return the row.

    It stays submitted, at the same time, and is rated again. The Event names the lead and the reason and
    keeps what was replaced. Repeating the request changes nothing. Raises InvalidPayload for payload and
    reason, CorrectionRefused (`has-account`, `not-imported`), StaleVersion, NotSubmitted, KeyReused, Deleted.
    """
    why = read_reason(reason, required=True)
    assignment = annotation.assignment
    protocol = get_protocol(assignment.batch.protocol)
    answer = protocol.clean(payload)
    source = {**(annotation.source or {}), CORRECTED: replaces + 1}
    fields: dict[str, Any] = checked_fields(answer) | {
        "ratings": rate(payload, protocol, assignment.batch.project.exact_weights),
        "source": source,
    }
    return carry_out(
        AnnotationChange(
            verb=CORRECTED_BY_LEAD,
            assignment=assignment,
            actor=actor,
            replaces=replaces,
            request_key=request_key,
            allowed_from=frozenset({Annotation.Status.SUBMITTED}),
            leaves=Assignment.Status.DONE,
            fields=fields,
            remarks={"reason": why},
            by_lead=True,
            guard=lambda: _require_nobody_to_ask(annotation),
        )
    )


def _require_nobody_to_ask(annotation: Annotation) -> None:
    """Raise CorrectionRefused unless the annotation is an import of somebody who cannot be asked.

    The membership stays locked until the end of the transaction: an account linked at that moment waits, or
    was first and is seen here.
    """
    if not annotation.has_unread_terms or annotation.source is None:
        raise CorrectionRefused(
            "Only imported annotations with unreadable terms can be corrected by a lead.", "not-imported"
        )
    # Not joined with the account: PostgreSQL reads a row it waited for again, but not what it is joined with.
    held = Membership.objects.select_for_update(no_key=True, of=("self",))
    annotator = held.get(pk=annotation.assignment.annotator_id)
    if can_be_asked(annotator):
        raise CorrectionRefused(
            f"{annotator.code} now has an account. Return the annotation to {annotator.code} instead.",
            "has-account",
        )
