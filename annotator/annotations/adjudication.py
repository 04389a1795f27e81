"""Adjudicate disagreements: one value per image and protocol, stored beside the annotations.

Every action names the version it replaces (0 if there is none) and carries an idempotency key: a stale
version changes nothing, and repeating the last action returns its result. Adjudicating also names the
annotations on the page, with their versions, and is refused if one has changed. Each action is one
conditional UPDATE (or the first INSERT) and one Event, in one transaction.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final
from uuid import UUID

from django.utils import timezone

from annotator.annotations.causes import CauseChoice, causes_to_store
from annotator.annotations.saving import checked_annotation
from annotator.annotations.summaries import summarise
from annotator.annotations.versioned_changes import Overtaken, retry_once
from annotator.inputs.plain_text import TURNED, turns_text_round
from annotator.inputs.refusal import Refusal
from annotator.models import Adjudication, Annotation, Event, Image, Membership, Project, User
from annotator.models.counting import is_work
from annotator.people.adjudicators import acting_adjudicator
from scoring.payloads import Refusals, read_text
from scoring.service import get_protocol

ADJUDICATED: Final = "adjudicated"
ADJUDICATION_CHANGED: Final = "adjudication_changed"
ADJUDICATION_WITHDRAWN: Final = "adjudication_withdrawn"
VERBS: Final = (ADJUDICATED, ADJUDICATION_CHANGED, ADJUDICATION_WITHDRAWN)

FEWEST_ANNOTATORS: Final = 2

Seen = Sequence[tuple[int, int]]
"""The annotations on the page: id and version."""


class AdjudicationRefused(Refusal, ValueError):
    """The image cannot be adjudicated, or not by this person; the message says what to do."""


class AdjudicationConflict(Exception):
    """An action that was not carried out; `current` is the stored row, if any."""

    code = "conflict"

    def __init__(self, current: Adjudication | None) -> None:
        super().__init__(str(self.__doc__))
        self.current = current


class StaleAdjudication(AdjudicationConflict):
    """This image’s adjudicated value has been stored, changed or withdrawn in the meantime."""

    code = "stale"


class AnnotationsChanged(AdjudicationConflict):
    """An annotation of this image has changed in the meantime."""


class RequestReused(AdjudicationConflict):
    """The idempotency key belongs to an earlier, different action on this image."""


def annotations_of(image: Image, protocol: str) -> list[Annotation]:
    """Return the counted annotations of an image, each annotator's latest, by code; one query."""
    counted = Annotation.objects.filter(
        is_work("assignment__"),
        assignment__image=image,
        assignment__batch__protocol=protocol,
        status=Annotation.Status.SUBMITTED,
    )
    rows = counted.select_related("assignment__batch", "assignment__annotator").order_by("submitted_at", "pk")
    latest = {annotation.assignment.annotator_id: annotation for annotation in rows}
    return sorted(latest.values(), key=lambda annotation: annotation.assignment.annotator.code)


def seen(answers: Iterable[Annotation]) -> list[tuple[int, int]]:
    """Return the ids and current versions of these annotations."""
    return sorted((answer.pk, answer.version) for answer in answers)


def in_hidden_order(image: Image, answers: Iterable[Annotation]) -> list[Annotation]:
    """Return annotations in an order that is fixed for the image and says nothing about codes.

    Each must be loaded with its annotator.
    """
    return sorted(answers, key=lambda answer: hidden_place(image, answer.assignment.annotator.code))


def hidden_place(image: Image, code: str) -> str:
    """Return the sorting key of an annotator of an image while codes are hidden."""
    return hashlib.sha256(f"{image.public_id}/{code}".encode()).hexdigest()


def adjudications_of(image: Image) -> dict[str, Adjudication]:
    """Return an image's adjudications, including withdrawn ones, by protocol; one query."""
    rows = Adjudication.objects.select_related("decided_by").filter(image=image)
    return {row.protocol: row for row in rows}


def is_outdated(adjudication: Adjudication, answers: Iterable[Annotation]) -> bool:
    """Tell whether an annotation was added, removed or changed since the adjudication."""
    return bool([list(pair) for pair in seen(answers)] != adjudication.adjudicated_from)


def outdated_adjudications(project: Project, protocol: str) -> set[int]:
    """Return the images of a project whose adjudication is outdated, see `is_outdated`; two queries."""
    rows = Adjudication.objects.filter(
        image__project=project, protocol=protocol, status=Adjudication.Status.ADJUDICATED
    )
    then = {
        image: [tuple(pair) for pair in seen] for image, seen in rows.values_list("image", "adjudicated_from")
    }
    answers = Annotation.objects.filter(
        is_work("assignment__"),
        assignment__image__in=rows.values("image"),
        assignment__batch__protocol=protocol,
        status=Annotation.Status.SUBMITTED,
    ).order_by("submitted_at", "pk")
    now: dict[int, dict[int, tuple[int, int]]] = {image: {} for image in then}
    for image, annotator, *pair in answers.values_list(
        "assignment__image", "assignment__annotator", "pk", "version"
    ):
        now[image][annotator] = (pair[0], pair[1])
    return {image for image, pairs in then.items() if sorted(now[image].values()) != pairs}


def adjudicate(
    *,
    image: Image,
    protocol: str,
    actor: User,
    payload: object,
    replaces: int,
    adjudicated_from: Seen,
    request_key: UUID,
    note: object = "",
    codes_hidden: bool = False,
    causes: Mapping[str, CauseChoice] | None = None,
) -> Adjudication:
    """Store or replace the adjudicated value of an image under a protocol, and return the row.

    `codes_hidden` records in the Event that the adjudicator saw letters in place of the annotators' codes.
    `causes` names why annotations differ, by component: what it leaves out is stored as proposed. None
    records no causes. Raises AdjudicationRefused, InvalidPayload for payload, note and causes, an
    AdjudicationConflict, and UnknownProtocol.
    """
    said, rules = _note(note), get_protocol(protocol)
    if not rules.adjudicated:
        raise AdjudicationRefused(
            f"Images under “{rules.title}” are not adjudicated: all ratings count, and the report "
            "consolidates them.",
            "consolidated",
        )

    def act() -> Adjudication | AdjudicationConflict:
        decider = _decider(image, protocol, actor)
        weights = decider.project.exact_weights
        current = adjudications_of(image).get(protocol)
        if current is not None and current.request_key == request_key:
            cleaned, _ = checked_annotation(payload, rules, weights)
            same = current.is_adjudicated and (current.payload, current.note) == (cleaned, said)
            return current if same and _same_causes(current, causes) else RequestReused(current)
        if (current.version if current else 0) != replaces:
            return StaleAdjudication(current)
        answers = _held_answers(image, protocol)
        if seen(answers) != sorted(adjudicated_from):
            return AnnotationsChanged(current)
        cleaned, ratings = checked_annotation(payload, rules, weights)
        values = {
            "payload": cleaned,
            "ratings": ratings,
            "note": said,
            "causes": causes_to_store(rules, answers, cleaned, causes),
            "status": Adjudication.Status.ADJUDICATED,
            "adjudicated_from": [list(pair) for pair in seen(answers)],
        }
        verb = ADJUDICATION_CHANGED if current and current.is_adjudicated else ADJUDICATED
        remarks = {"codes_hidden": True} if codes_hidden else {}
        return _write(image, protocol, current, verb, decider, request_key, values, remarks)

    return retry_once(act)


def withdraw_adjudication(
    *, image: Image, protocol: str, actor: User, replaces: int, request_key: UUID
) -> Adjudication:
    """Withdraw the adjudicated value of an image, so that the mean of its annotations counts; return the row.

    Raises AdjudicationRefused and an AdjudicationConflict.
    """

    def act() -> Adjudication | AdjudicationConflict:
        decider = _decider(image, protocol, actor)
        current = adjudications_of(image).get(protocol)
        if current is None:
            return StaleAdjudication(None)
        if current.request_key == request_key:
            return RequestReused(current) if current.is_adjudicated else current
        if current.version != replaces or not current.is_adjudicated:
            return StaleAdjudication(current)
        values = {"status": Adjudication.Status.WITHDRAWN}
        return _write(image, protocol, current, ADJUDICATION_WITHDRAWN, decider, request_key, values)

    return retry_once(act)


def _decider(image: Image, protocol: str, actor: User) -> Membership:
    """Return who adjudicates and check that the image exists, both read from the database.

    On PostgreSQL the image's row is locked against a concurrent deletion.
    """
    held = Image.objects.select_for_update(no_key=True, of=("self",))
    if held.filter(pk=image.pk, project__goes_at=None).first() is None:
        raise AdjudicationRefused(
            "The image was deleted, or its project is being deleted, so it cannot be adjudicated."
        )
    decider = acting_adjudicator(image, protocol, actor)
    if decider is None:
        raise AdjudicationRefused(
            "Only a lead of the project, or an adjudicator of a batch with this image to whom it was never "
            "assigned, can adjudicate it. Ask a lead.",
            "no-lead",
        )
    return decider


def _same_causes(current: Adjudication, causes: Mapping[str, CauseChoice] | None) -> bool:
    """Return whether a repeated request names the stored causes; those left out were proposed."""
    if causes is None or current.causes is None:
        return current.causes is None
    return all(
        not choice.causes or set(choice.causes) == set(current.causes.get(component, {}).get("causes", ()))
        for component, choice in causes.items()
    )


def _held_answers(image: Image, protocol: str) -> list[Annotation]:
    """Return the annotations to adjudicate; on PostgreSQL they are locked until the end of the
    transaction."""
    held = Annotation.objects.filter(assignment__image=image).order_by("pk")
    list(held.select_for_update(no_key=True, of=("self",)))
    answers = annotations_of(image, protocol)
    if len(answers) < FEWEST_ANNOTATORS:
        who = "only one annotator has" if answers else "no annotator has"
        raise AdjudicationRefused(
            f"This image cannot be adjudicated: {who} submitted an annotation of it, "
            f"and {FEWEST_ANNOTATORS} are needed.",
            "too-few",
        )
    return answers


def _write(
    image: Image,
    protocol: str,
    current: Adjudication | None,
    verb: str,
    decider: Membership,
    request_key: UUID,
    values: dict[str, Any],
    remarks: Mapping[str, Any] = MappingProxyType({}),
) -> Adjudication:
    values = {**values, "decided_by": decider, "decided_at": timezone.now(), "request_key": request_key}
    replaced = None if current is None else _as_it_was(current)
    if current is None:
        row = Adjudication.objects.create(image=image, protocol=protocol, version=1, **values)
    else:
        version = current.version + 1
        replaceable = Adjudication.objects.filter(pk=current.pk, version=current.version)
        if replaceable.update(version=version, **values) != 1:
            raise Overtaken
        row = Adjudication.objects.select_related("decided_by").get(pk=current.pk)
    Event.objects.create(
        project_id=image.project_id,
        actor=decider.user,
        verb=verb,
        request_key=request_key,
        data={
            "image": str(image.public_id),
            "generator": image.generator,
            "prompt": image.prompt,
            "number": image.number,
            "protocol": row.protocol,
            "version": row.version,
            "score": row.score if row.is_adjudicated else None,
            "adjudicated_from": row.adjudicated_from,
            "replaced": replaced,
            **remarks,
        },
    )
    summarise(image.project_id, [image.pk], row.protocol)
    return row


def _as_it_was(row: Adjudication) -> dict[str, Any]:
    """Return an adjudication as the Event of the next one keeps it."""
    plain = ("version", "status", "payload", "ratings", "adjudicated_from", "causes", "note")
    return {
        **{name: getattr(row, name) for name in plain},
        "decided_by": row.decided_by.code,
        "decided_at": row.decided_at.isoformat(),
        "request_key": str(row.request_key) if row.request_key else None,
    }


def _note(given: object) -> str:
    refusals = Refusals()
    note = read_text(given, "note", refusals).replace("\r\n", "\n").strip()
    if turns_text_round(note):
        refusals.add("note", TURNED)
    refusals.raise_if_any()
    return note
