"""Discuss revealed answers: one grid of who said what, comments and agreed values.

Texts are rows, never in Events, which outlive a purge: an Event says who did what to which row.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

from annotator.annotations.questions import InvalidText, checked_text
from annotator.annotations.saving import checked_annotation
from annotator.database.transactions import write_transaction
from annotator.models import Annotation, Membership, NormedImage, NormingComment, NormingSession, User
from annotator.norming import sessions
from annotator.norming.sessions import NormingRefused
from annotator.people.members import acting_lead
from annotator.protocols.adjudication_form import AdjudicationForm
from annotator.protocols.registry import page_of
from scoring.service import get_protocol


class ValueChanged(NormingRefused):
    """Another lead has stored a value in the meantime; `current` is the image's row."""

    def __init__(self, current: NormedImage) -> None:
        who = current.decided_by.code if current.decided_by else "Somebody"
        super().__init__(
            f"Not saved: {who} has changed this value in the meantime. Your entries are kept. Compare them "
            "with that value and save again to replace it.",
            "stale",
        )
        self.current = current


def comment(
    *, normed: NormedImage, author: Membership, text: str, component: str = "", request_key: UUID
) -> NormingComment:
    """Store a comment of a participant or lead and return it; a repeated key returns the first one.

    Raises NormingRefused.
    """
    try:
        said = checked_text(text)
    except InvalidText as refused:
        raise NormingRefused(str(refused), refused.code) from refused
    if component and component not in page_of(normed.session.batch.protocol).adjudicating.titles:
        raise NormingRefused("This protocol has no such cell. Reload the page.", "unknown-cell")
    with write_transaction():
        session = _open(normed.session)
        writer = _writer(session, author)
        if made := normed.comments.filter(request_key=request_key).first():
            return made
        made = normed.comments.create(author=writer, component=component, text=said, request_key=request_key)
        facts = {"place": normed.place, "comment": made.pk}
        sessions.record(session, sessions.COMMENTED, writer.user, facts)
    return made


def agree(
    *,
    normed: NormedImage,
    actor: User,
    payload: object,
    replaces: int,
) -> NormedImage:
    """Store the agreed value of an image, as a lead, and return its row; equal values change nothing.

    `replaces` is the version that the lead has seen. Raises NormingRefused, ValueChanged if another lead was
    faster, and InvalidPayload.
    """
    with write_transaction():
        session = _open(normed.session)
        lead = acting_lead(session.project_id, actor)
        protocol = get_protocol(session.batch.protocol)
        cleaned, _ = checked_annotation(payload, protocol, session.project.exact_weights)
        now = (
            NormedImage.objects.select_for_update(of=("self",)).select_related("decided_by").get(pk=normed.pk)
        )
        if now.agreed == cleaned:
            return now
        if now.version != replaces:
            raise ValueChanged(now)
        replaced = {"version": now.version, "agreed": now.agreed}
        now.agreed, now.version, now.decided_by = cleaned, now.version + 1, lead
        now.save(update_fields=["agreed", "version", "decided_by"])
        facts = {"place": now.place, "version": now.version, "agreed": cleaned, "replaced": replaced}
        sessions.record(session, sessions.AGREED, actor, facts)
    return now


def _open(session: NormingSession) -> NormingSession:
    """Return the session, held; raises NormingRefused unless its answers can be discussed."""
    now = sessions.held(session)
    if now.state == NormingSession.State.ANSWERING:
        raise NormingRefused("The annotations are not revealed yet.", "answering")
    if now.state == NormingSession.State.CLOSED:
        raise NormingRefused("Not saved: this session was closed in the meantime.", "closed")
    return now


def _writer(session: NormingSession, author: Membership) -> Membership:
    """Return the author, reloaded; raises NormingRefused unless active and a participant or lead."""
    now = Membership.objects.select_related("user").filter(pk=author.pk, project=session.project_id).first()
    if now is None or not (now.is_active and now.has_account and sessions.may_read(session, now)):
        raise NormingRefused("Only participants and leads of this session can comment.", "not-yours")
    return now


def grid_of(
    normed: NormedImage,
    protocol: str,
    answers: Sequence[Annotation],
    comments: Sequence[NormingComment] = (),
    data: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Return the cells of an image in published order and by row, and the codes of who has judged it.

    `answers` are the submitted ones, by code; `form` takes the agreed value, and `data` is a submitted form.
    Each cell has what was `said`, from the most frequent on, and what was `agreed`, None for nothing yet.
    """
    form = page_of(protocol).adjudicating(answers, stored=normed.agreed, data=data)
    counts = Counter(comment.component for comment in comments)
    cells = {key: {"key": key, "title": title, "comments": counts[key]} for key, title in form.titles.items()}
    for key, cell in cells.items():
        said, agreed = _values(form, answers, key), normed.agreed
        cell |= {"said": said, "differs": len(said) > 1}
        cell["agreed"] = None if agreed is None else _shown(form.text_of(agreed, key))
    rows = form.rows or [(title, [key]) for key, title in form.titles.items()]
    return {
        "heads": form.heads,
        "rows": [(title, [cells[key] for key in keys]) for title, keys in rows],
        "cells": list(cells.values()),
        "differing": [cell for cell in cells.values() if cell["differs"]],
        "codes": [answer.assignment.annotator.code for answer in answers],
        "form": form,
    }


def _values(form: AdjudicationForm, answers: Sequence[Annotation], key: str) -> list[dict[str, Any]]:
    """Return the values of a cell, an empty text for none, each with the codes of those who gave it."""
    codes: dict[str, list[str]] = {}
    for answer in answers:
        codes.setdefault(form.text_of(answer.payload, key), []).append(answer.assignment.annotator.code)
    ordered = sorted(codes.items(), key=lambda item: (-len(item[1]), item[1]))
    return [{"text": _shown(text), "codes": who} for text, who in ordered]


def _shown(text: str) -> str:
    return text.replace(",", ", ")
