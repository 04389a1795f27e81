"""The names under which people stand in the data of a project."""

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
    """What was asked about a person cannot be done; the message says why and what to do.

    `field` names the input that is wrong, empty where none is.
    """

    def __init__(self, message: str, field: str = "", code: str = "") -> None:
        super().__init__(message, code)
        self.field = field


def waits_for_its_person(member: Membership) -> bool:
    """Tell whether nobody has ever been this member: one of an import, whose account lets nobody in."""
    user = member.user
    return user is not None and not user.is_active and not _has_password(user)


def waiting_members(project: Project) -> QuerySet[Membership]:
    """Return the members of whom `waits_for_its_person` is true, by code."""
    shut = Q(user__password__startswith=UNUSABLE_PASSWORD_PREFIX) | Q(user__password="")
    return project.memberships.filter(shut, user__is_active=False).order_by("code")


def member_to_take_over(project: Project, code: str) -> Membership | None:
    """Return the imported member whom a new person of this code becomes; None where the code is new.

    Raises PersonRefused where the code belongs to somebody, or cannot be a code.
    """
    _check_letters(code)
    found = project.memberships.filter(code=code).select_related("user").first()
    if found is None:
        _check_new(project, code)
        return None
    if not waits_for_its_person(found):
        whose = f" to {found.user.get_username()}" if found.user else " to somebody who has left"
        raise PersonRefused(f"The code {code} belongs{whose} in {project.slug}.", "code", "taken")
    return found


def check_not_promised(project: Project, code: str) -> None:
    """Raise PersonRefused where an open invitation gives this code already."""
    still_open = project.invitations.filter(
        used_at=None, revoked_at=None, expires_at__gt=timezone.now(), code__iexact=code
    )
    if still_open.exists():
        raise PersonRefused(f"An open invitation already gives the code {code}. Revoke it first.", "code")


def next_code(project: Project) -> str:
    """Return a code that is free: the project's own numbering goes on (`anno4` → `anno5`), or `ann1`."""
    taken = set(project.memberships.values_list("code", flat=True))
    taken |= set(project.invitations.values_list("code", flat=True))
    numbered = [found for code in sorted(taken) if (found := _NUMBERED.fullmatch(code))]
    if not numbered:
        return FIRST_CODE
    # The stem with the most people; of several the shortest.
    stems = Counter(found[1] for found in numbered)
    stem = min(stems, key=lambda each: (-stems[each], len(each), each))
    highest = max(int(found[2]) for found in numbered if found[1] == stem)
    proposal = f"{stem}{highest + 1}"
    return proposal if len(proposal) <= LONGEST_CODE else FIRST_CODE


def check_user_name(name: str) -> None:
    """Raise PersonRefused for the name of a new account that imitates, or looks like somebody else's."""
    if any(unicodedata.category(letter)[0] == "C" for letter in name):
        raise PersonRefused("A user name has no control or invisible characters.", "username")
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
        raise PersonRefused("Give the person a code.", "code")
    if len(code) > LONGEST_CODE:
        raise PersonRefused(f"A code has at most {LONGEST_CODE} characters; this has {len(code)}.", "code")
    if any(unicodedata.category(letter)[0] in "CZ" and letter != " " for letter in code):
        raise PersonRefused("A code has no control characters or line breaks, and only plain spaces.", "code")
    if scripts := mixed_scripts(code):
        listed = " and ".join(script.capitalize() for script in scripts)
        raise PersonRefused(f"This code mixes {listed} letters, which look alike.", "code")


def _check_new(project: Project, code: str) -> None:
    # A leading "=" or "@" would be a formula in the spreadsheet that opens an export.
    if not code[0].isalnum() or code != code.strip():
        raise PersonRefused("A code begins with a letter or a digit and ends without a space.", "code")
    like = project.memberships.filter(code__iexact=code).first()
    if like is not None:
        raise PersonRefused(f"{code} is too like {like.code}, which is somebody already.", "code")


def _has_password(user: User) -> bool:
    return bool(user.password) and user.has_usable_password()
