"""Codes: the names of members in a project's data."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from django.contrib.auth.hashers import UNUSABLE_PASSWORD_PREFIX
from django.db.models import Q, QuerySet
from django.utils import timezone

from annotator.inputs.plain_text import same_form
from annotator.inputs.refusal import Refusal
from annotator.models import Membership, Project, User

LONGEST_CODE: Final = 80
_NUMBERED: Final = re.compile(r"(.*\D)(\d{1,6})", re.DOTALL)


class PersonRefused(Refusal, ValueError):
    """A change to a member or account is refused; the message says why and what to do.

    `field` names the invalid input, if any.
    """

    def __init__(self, message: str, field: str = "", code: str = "") -> None:
        super().__init__(message, code)
        self.field = field


def waits_for_its_person(member: Membership) -> bool:
    """Tell whether this is an imported member whose account has never been claimed."""
    user = member.user
    return user is not None and not user.is_active and not _has_password(user)


def waits(prefix: str = "") -> Q:
    """Return the condition of `waits_for_its_person`; `prefix` leads to the member, such as `places__`."""
    user = f"{prefix}user__"
    shut = Q((f"{user}password__startswith", UNUSABLE_PASSWORD_PREFIX)) | Q((f"{user}password", ""))
    return shut & Q((f"{user}is_active", False))


def waiting_members(project: Project) -> QuerySet[Membership]:
    """Return the members for whom `waits_for_its_person` is true, by code."""
    return project.memberships.filter(waits()).order_by("code")


@dataclass(frozen=True)
class KnownCodes:
    """The codes of a project, by their form without case: of members, and of open invitations."""

    members: dict[str, list[Membership]]
    promised: set[str]


def known_codes(project: Project, code: str | None = None) -> KnownCodes:
    """Return a project's codes in two queries: those like one code, or all."""
    people = project.memberships.select_related("user")
    invited = project.invitations.filter(used_at=None, revoked_at=None, expires_at__gt=timezone.now())
    if code is not None and code.isascii() and "\0" not in code:
        # Searching without case is exact for ASCII on every database.
        people, invited = people.filter(code__iexact=code), invited.filter(code__iexact=code)
    known = KnownCodes({}, {promised.casefold() for promised in invited.values_list("code", flat=True)})
    for member in people:
        known.members.setdefault(member.code.casefold(), []).append(member)
    return known


def member_to_take_over(project: Project, code: str, known: KnownCodes | None = None) -> Membership | None:
    """Return the member without an account that a new person with this code takes over; None if it is new.

    `known` are the project's codes, so that many are checked without a query for each. Raises PersonRefused
    if the code is taken or invalid.
    """
    _check_letters(code)
    like = (known or known_codes(project, code)).members.get(code.casefold(), [])
    found = next((member for member in like if member.code == code), None)
    if found is None:
        _check_new(code, like)
    elif not waits_for_its_person(found):
        whose = f" to {found.user.get_username()}" if found.user else " to a former member"
        raise PersonRefused(f"The code {code} belongs{whose} in {project.name}.", "code", "taken")
    return found


def check_not_promised(code: str, known: KnownCodes) -> None:
    """Raise PersonRefused if an open invitation already uses this code."""
    if code.casefold() in known.promised:
        told = f"An open invitation already uses the code {code}. Revoke it first."
        raise PersonRefused(told, "code", "promised")


def free_codes(project: Project, stem: str, count: int) -> list[str]:
    """Return the next `count` codes of a stem, such as p01 to p10, after all that the project ever gave."""
    given = [*project.memberships.values_list("code", flat=True)]
    given += project.invitations.values_list("code", flat=True)
    found = [_NUMBERED.fullmatch(code) for code in given]
    numbers = [int(each[2]) for each in found if each and each[1].casefold() == stem.casefold()]
    first = max(numbers, default=0) + 1
    width = max(2, len(str(first + count - 1)))
    return [f"{stem}{number:0{width}}" for number in range(first, first + count)]


def check_user_name(name: str) -> None:
    """Raise PersonRefused for a new user name with hidden characters, or one that is taken in other case."""
    if any(unicodedata.category(letter)[0] == "C" for letter in name):
        raise PersonRefused("Remove control and invisible characters from the user name.", "username")
    looks = same_form(name)
    for taken in User.objects.values_list("username", flat=True).iterator():
        if same_form(taken) == looks:
            found = "is taken" if taken == name else "looks like one that is taken"
            raise PersonRefused(f"That user name {found}. Choose another.", "username", "taken")


def _check_letters(code: str) -> None:
    if not code:
        raise PersonRefused("Enter a code.", "code")
    if len(code) > LONGEST_CODE:
        raise PersonRefused(f"The code has {len(code)} characters; the limit is {LONGEST_CODE}.", "code")
    if any(unicodedata.category(letter)[0] in "CZ" and letter != " " for letter in code):
        raise PersonRefused(
            "Remove control characters, line breaks and special spaces from the code.", "code"
        )


def _check_new(code: str, like: Sequence[Membership]) -> None:
    # A spreadsheet program would read a leading "=" or "@" as a formula.
    if not code[0].isalnum() or code != code.strip():
        raise PersonRefused("A code must begin with a letter or digit and must not end with a space.", "code")
    if like:
        told = f"{code} is too similar to the existing code {like[0].code}. Choose another."
        raise PersonRefused(told, "code", "similar")


def _has_password(user: User) -> bool:
    return bool(user.password) and user.has_usable_password()
