"""Invite many people at once: lines `code, email, role` are checked first, then all are invited or none."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Final
from uuid import UUID

from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.utils import timezone

from annotator.database.transactions import write_transaction
from annotator.inputs.plain_text import same_form
from annotator.models import Event, Invitation, Membership, Project, User
from annotator.people.codes import (
    PersonRefused,
    check_not_promised,
    known_codes,
    member_to_take_over,
)
from annotator.people.invitations import DAYS, event_of
from annotator.people.places import hold_places

MOST_LINES: Final = 500
EXPECTED: Final = "code, email (optional), role (optional)"
_SHOWN: Final = 60
_HEADING: Final = ("code", "email", "role")
# Lines end as in forms and text files, cells as in lists and copied spreadsheets.
_LINE_END: Final = re.compile(r"\r\n|\n|\r")
_CELL_END: Final = re.compile(r"[,;\t]")


@dataclass(frozen=True)
class InviteLine:
    """One line, read: its `number` as typed, and whom it invites. `email` is not stored."""

    number: int
    code: str
    email: str = ""
    role: str = Membership.Role.ANNOTATOR.value


@dataclass(frozen=True)
class LineRefusal:
    """Why a line is refused: what was `found`, and a message that names what is expected."""

    number: int
    found: str
    message: str
    code: str


class LinesRefused(Exception):
    """Some lines are rejected, so nobody was invited; `refusals` has one entry for each, by number."""

    def __init__(self, refusals: Sequence[LineRefusal]) -> None:
        super().__init__(f"{len(refusals)} lines were rejected. Nothing was stored.")
        self.refusals = list(refusals)


def read_invite_lines(text: str) -> tuple[list[InviteLine], list[LineRefusal]]:
    """Read lines `code, email, role`; return those that can be read, and the refusals of the others.

    Email and role are optional, empty lines and a heading are skipped. Raises LinesRefused for no lines, or
    too many.
    """
    typed = [(number, line) for number, line in enumerate(_LINE_END.split(text), start=1) if line.strip()]
    if typed and _is_heading(typed[0][1]):
        del typed[0]
    if not typed:
        raise LinesRefused([LineRefusal(1, "", f"Enter one line per person: {EXPECTED}.", "empty")])
    if len(typed) > MOST_LINES:
        number, line = typed[MOST_LINES]
        told = f"Found {len(typed)} lines; expected at most {MOST_LINES}. Invite the others afterwards."
        raise LinesRefused([LineRefusal(number, _shown(line), told, "too-many")])
    lines: list[InviteLine] = []
    refusals: list[LineRefusal] = []
    for number, line in typed:
        try:
            lines.append(_read(number, line))
        except PersonRefused as refusal:
            refusals.append(_refusal(number, line, refusal))
    return lines, refusals


def invite_many(
    *, project: Project, text: str, request_key: UUID, actor: User | None
) -> list[tuple[InviteLine, Invitation]]:
    """Invite everybody in the lines, or nobody; the same lines with the same key return the first result.

    Costs the same number of queries for one line as for five hundred. Raises LinesRefused with every refused
    line.
    """
    lines, unread = read_invite_lines(text)
    with write_transaction():
        Project.locked(project.pk)
        made = list(project.invitations.filter(request_key=request_key).order_by("pk"))
        # Edited lines are checked again.
        if unread or [(one.code, one.role) for one in made] != [(line.code, line.role) for line in lines]:
            made = _stored(project, lines, _checked(project, lines, unread), request_key, actor)
    return list(zip(lines, made, strict=True))


def _checked(project: Project, lines: Sequence[InviteLine], unread: Sequence[LineRefusal]) -> list[str]:
    """Return the codes that get a place; raises LinesRefused, also for lines that could not be read."""
    known, refusals = known_codes(project), list(unread)
    places: list[str] = []
    codes: dict[str, int] = {}
    for line in lines:
        try:
            check_not_promised(line.code, known)
            new = member_to_take_over(project, line.code, known) is None
            if new and "@" in line.code:
                told = (
                    "Found an email address in the code, which stays in the data and in published files. "
                    "Begin the line with a code and a comma."
                )
                raise PersonRefused(told, "lines", "email-code")
            first = codes.setdefault(same_form(line.code), line.number)
            if first != line.number:
                told = f"The code {line.code} is the same as or looks like that of line {first}. Change one."
                raise PersonRefused(told, "lines", "twice")
        except PersonRefused as refusal:
            refusals.append(_refusal(line.number, line.code, refusal))
        else:
            if new and line.role == Membership.Role.ANNOTATOR:
                places.append(line.code)
    if refusals:
        raise LinesRefused(sorted(refusals, key=lambda refusal: refusal.number))
    return places


def _stored(
    project: Project,
    lines: Sequence[InviteLine],
    places: Sequence[str],
    request_key: UUID,
    actor: User | None,
) -> list[Invitation]:
    held = {member.code for member in hold_places(project, places)}
    made = Invitation.objects.bulk_create(
        Invitation(
            project=project,
            role=line.role,
            code=line.code,
            made_place=line.code in held,
            request_key=request_key,
            made_by=actor,
            expires_at=timezone.now() + timedelta(days=DAYS),
        )
        for line in lines
    )
    Event.objects.bulk_create(
        event_of(one, actor, "person_invited", expires_at=one.expires_at.isoformat()) for one in made
    )
    return made


def _read(number: int, line: str) -> InviteLine:
    code, *rest = map(_text, _CELL_END.split(line))
    email, role = "", ""
    for cell in filter(None, rest):
        if cell.casefold() in Membership.Role.values and not role:
            role = cell.casefold()
        elif "@" in cell and not email:
            email = _email(cell)
        else:
            roles = ", ".join(Membership.Role.values)
            told = f"Found “{_shown(cell)}”; expected {EXPECTED}. Roles: {roles}."
            raise PersonRefused(told, "lines", "unknown-cell")
    return InviteLine(number, code, email, role or Membership.Role.ANNOTATOR.value)


def _text(cell: str) -> str:
    """Return a cell without the spaces and quotes that spreadsheets and mail programs put around it."""
    text = cell.strip()
    return text[1:-1].strip() if len(text) > 1 and text[0] == text[-1] == '"' else text


def _email(cell: str) -> str:
    try:
        validate_email(cell)
    except ValidationError:
        told = f"Found “{_shown(cell)}”; expected an email address, such as p01@example.org."
        raise PersonRefused(told, "lines", "email") from None
    return cell


def _refusal(number: int, line: str, refusal: PersonRefused) -> LineRefusal:
    return LineRefusal(number, _shown(line), str(refusal), refusal.code or "code")


def _is_heading(line: str) -> bool:
    cells = tuple(_text(cell).casefold().replace("-", "") for cell in _CELL_END.split(line))
    return len(cells) > 1 and cells == _HEADING[: len(cells)]


def _shown(text: str) -> str:
    """Return a line for display: without characters that hide or turn the text, and not too long."""
    plain = "".join(letter if letter.isprintable() else "�" for letter in text)
    return plain if len(plain) <= _SHOWN else f"{plain[:_SHOWN]}…"
