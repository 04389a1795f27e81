"""Invite many people at once: lines `code, email, role` are checked first, then all are invited or none."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Final

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
from annotator.people.invitations import DAYS, check_days
from annotator.people.places import hold_places
from annotator.people.secrets import digest_of, secret_for

MOST_LINES: Final = 500
LONGEST_EMAIL: Final = 254
EXPECTED: Final = "code, email (optional), role (optional)"
_SHOWN: Final = 60
_HEADING: Final = ("code", "email", "role")
# Lines end as in forms and text files, cells as in lists and copied spreadsheets.
_LINE_END: Final = re.compile(r"\r\n|\n|\r")
_CELL_END: Final = re.compile(r"[,;\t]")
# An address after a character that none has: what separates it is no comma.
_NO_COMMA: Final = re.compile(r"\S[^\w.+%@-]+\S+@\S")


@dataclass(frozen=True)
class InviteLine:
    """One line, read: its `number` as typed, and whom it invites."""

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


@dataclass(frozen=True)
class MadeInvitation:
    """An invitation of a line, and the secret of its link, which is stored nowhere."""

    line: InviteLine
    invitation: Invitation
    secret: str


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
    *, project: Project, text: str, seed: str, days: int = DAYS, mail: bool = False, actor: User | None
) -> list[MadeInvitation]:
    """Invite everybody in the lines, or nobody; the same lines with the same `seed` return the first result.

    `seed` is a new random secret, from which the links are made. With `mail`, invitations with an email
    address wait for `annotator.people.mailing`, which replaces their links. Costs the same number of
    queries for one line as for five hundred.

    Raises LinesRefused with every refused line, PersonRefused for `days`.
    """
    check_days(days)
    lines, unread = read_invite_lines(text)
    secrets = _secrets(lines, seed)
    digests = {number: digest_of(secret) for number, secret in secrets.items()}
    with write_transaction():
        Project.locked(project.pk)
        made = {} if unread else _made_before(project, digests)
        if not made:
            places = _checked(project, lines, unread)
            made = _stored(project, lines, places, digests, timedelta(days=days), mail, actor)
    return [MadeInvitation(line, made[line.number], secrets[line.number]) for line in lines]


def links_made_before(project: Project, text: str, seed: str) -> list[MadeInvitation]:
    """Return what `invite_many` returned for the same lines and seed, without replaced and mailed links.

    Stores nothing. Raises LinesRefused.
    """
    lines, unread = read_invite_lines(text)
    secrets = {} if unread else _secrets(lines, seed)
    found = _made_before(project, {number: digest_of(secret) for number, secret in secrets.items()})
    return [
        MadeInvitation(line, found[line.number], secrets[line.number])
        for line in lines
        if line.number in found and not found[line.number].mail
    ]


def _secrets(lines: Sequence[InviteLine], seed: str) -> dict[int, str]:
    # Edited lines make other secrets, so that their codes are checked again.
    whole = digest_of(repr(lines))
    return {line.number: secret_for(seed, f"{whole} {line.number}") for line in lines}


def _made_before(project: Project, digests: Mapping[int, str]) -> dict[int, Invitation]:
    found = project.invitations.filter(secret_sha256__in=digests.values())
    by_digest = {invitation.secret_sha256: invitation for invitation in found}
    return {number: by_digest[digest] for number, digest in digests.items() if digest in by_digest}


def check_invite_lines(project: Project, text: str) -> list[InviteLine]:
    """Return the lines if `invite_many` would accept them; stores nothing. Raises LinesRefused."""
    lines, unread = read_invite_lines(text)
    _checked(project, lines, unread)
    return lines


def _checked(project: Project, lines: Sequence[InviteLine], unread: Sequence[LineRefusal]) -> list[str]:
    """Return the codes that get a place; raises LinesRefused, also for lines that could not be read."""
    known, refusals = known_codes(project), list(unread)
    places: list[str] = []
    codes: dict[str, int] = {}
    emails: dict[str, int] = {}
    for line in lines:
        try:
            check_not_promised(project, line.code, known)
            new = member_to_take_over(project, line.code, known) is None
            _check_once(codes, same_form(line.code), line.number, f"the code {line.code}")
            if line.email:
                _check_once(emails, line.email.casefold(), line.number, f"the email {line.email}")
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
    digests: Mapping[int, str],
    valid: timedelta,
    mail: bool,
    actor: User | None,
) -> dict[int, Invitation]:
    held = {member.code for member in hold_places(project, places)}
    expires_at = timezone.now() + valid
    made = Invitation.objects.bulk_create(
        Invitation(
            project=project,
            role=line.role,
            code=line.code,
            email=line.email,
            mail=Invitation.Mail.WAITING if mail and line.email else "",
            made_place=line.code in held,
            secret_sha256=digests[line.number],
            made_by=actor,
            expires_at=expires_at,
        )
        for line in lines
    )
    Event.objects.bulk_create(_events(project, made, actor))
    return {line.number: invitation for line, invitation in zip(lines, made, strict=True)}


def _events(project: Project, made: Sequence[Invitation], actor: User | None) -> Iterator[Event]:
    # Without the email: Events are permanent.
    for one in made:
        data = {"invitation": one.pk, "role": one.role, "code": one.code}
        data |= {"expires_at": one.expires_at.isoformat()}
        yield Event(project=project, actor=actor, verb="person_invited", data=data)


def _read(number: int, line: str) -> InviteLine:
    code, *rest = map(_text, _CELL_END.split(line))
    if _NO_COMMA.search(code):
        raise PersonRefused("A comma is missing between code and email.", "lines", "no-comma")
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
    if len(cell) > LONGEST_EMAIL:
        told = f"The email address has {len(cell)} characters; the limit is {LONGEST_EMAIL}."
        raise PersonRefused(told, "lines", "email")
    return cell


def _check_once(seen: dict[str, int], key: str, number: int, what: str) -> None:
    """Refuse what an earlier line has, or what looks like it."""
    first = seen.setdefault(key, number)
    if first != number:
        told = f"Found {what}, which is the same as or looks like that of line {first}. Change one of them."
        raise PersonRefused(told, "lines", "twice")


def _refusal(number: int, line: str, refusal: PersonRefused) -> LineRefusal:
    return LineRefusal(number, _shown(line), str(refusal), refusal.code or "code")


def _is_heading(line: str) -> bool:
    cells = tuple(_text(cell).casefold().replace("-", "") for cell in _CELL_END.split(line))
    return len(cells) > 1 and cells == _HEADING[: len(cells)]


def _shown(text: str) -> str:
    """Return a line for display: without characters that hide or turn the text, and not too long."""
    plain = "".join(letter if letter.isprintable() else "�" for letter in text)
    return plain if len(plain) <= _SHOWN else f"{plain[:_SHOWN]}…"
