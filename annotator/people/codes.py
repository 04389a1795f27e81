"""Codes: the names of members in a project's data."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from typing import Final

from django.contrib.auth.hashers import UNUSABLE_PASSWORD_PREFIX
from django.db.models import Q, QuerySet
from django.utils import timezone

from annotator.inputs.plain_text import mixed_scripts, outline
from annotator.inputs.refusal import Refusal
from annotator.models import Membership, Project, User

LONGEST_CODE: Final = 80
FIRST_CODE: Final = "ann1"
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


def waiting_members(project: Project) -> QuerySet[Membership]:
    """Return the members for whom `waits_for_its_person` is true, by code."""
    shut = Q(user__password__startswith=UNUSABLE_PASSWORD_PREFIX) | Q(user__password="")
    return project.memberships.filter(shut, user__is_active=False).order_by("code")


def member_to_take_over(project: Project, code: str) -> Membership | None:
    """Return the imported member that a new person with this code takes over; None if the code is new.

    Raises PersonRefused if the code is taken or invalid.
    """
    _check_letters(code)
    found = project.memberships.filter(code=code).select_related("user").first()
    if found is None:
        _check_new(project, code)
        return None
    if not waits_for_its_person(found):
        whose = f" to {found.user.get_username()}" if found.user else " to a former member"
        raise PersonRefused(f"The code {code} belongs{whose} in {project.slug}.", "code", "taken")
    return found


def check_not_promised(project: Project, code: str) -> None:
    """Raise PersonRefused if an open invitation already uses this code."""
    still_open = project.invitations.filter(
        used_at=None, revoked_at=None, expires_at__gt=timezone.now(), code__iexact=code
    )
    if still_open.exists():
        raise PersonRefused(f"An open invitation already uses the code {code}. Revoke it first.", "code")


def next_code(project: Project) -> str:
    """Return a free code that continues the project's numbering (`anno4` → `anno5`), or `ann1`."""
    # Codes of recruited people are many and are numbered on their own.
    taken = set(project.memberships.filter(recruitment=None).values_list("code", flat=True))
    taken |= set(project.invitations.values_list("code", flat=True))
    numbered = [found for code in sorted(taken) if (found := _NUMBERED.fullmatch(code))]
    if not numbered:
        return FIRST_CODE
    # The most frequent stem; on a tie, the shortest.
    stems = Counter(found[1] for found in numbered)
    stem = min(stems, key=lambda each: (-stems[each], len(each), each))
    highest = max((found[2] for found in numbered if found[1] == stem), key=int)
    proposal = f"{stem}{int(highest) + 1:0{len(highest)}}"
    return proposal if len(proposal) <= LONGEST_CODE else FIRST_CODE


def check_user_name(name: str) -> None:
    """Raise PersonRefused for a new user name that mixes scripts or resembles an existing one."""
    if any(unicodedata.category(letter)[0] == "C" for letter in name):
        raise PersonRefused("Remove control and invisible characters from the user name.", "username")
    if scripts := mixed_scripts(name):
        listed = " and ".join(script.capitalize() for script in scripts)
        raise PersonRefused(
            f"This user name mixes {listed} letters, which look alike. Write it in one script.", "username"
        )
    looks = outline(name)
    for taken in User.objects.values_list("username", flat=True).iterator():
        if outline(taken) == looks:
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
    if scripts := mixed_scripts(code):
        listed = " and ".join(script.capitalize() for script in scripts)
        raise PersonRefused(
            f"This code mixes {listed} letters, which look alike. Write it in one script.", "code"
        )


def _check_new(project: Project, code: str) -> None:
    # A spreadsheet program would read a leading "=" or "@" as a formula.
    if not code[0].isalnum() or code != code.strip():
        raise PersonRefused("A code must begin with a letter or digit and must not end with a space.", "code")
    like = project.memberships.filter(code__iexact=code).first()
    if like is not None:
        raise PersonRefused(
            f"{code} is too similar to the existing code {like.code}. Choose another.", "code"
        )


def _has_password(user: User) -> bool:
    return bool(user.password) and user.has_usable_password()
