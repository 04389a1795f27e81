"""Annotators of a file as members of the project, with accounts that await an invitation."""

from __future__ import annotations

import re
from typing import Final

from annotator.models import Membership, Project, User

_NOT_IN_USERNAMES: Final = re.compile(r"[^\w.@+-]+", re.ASCII)
_LONGEST_USERNAME: Final = 150


class ImportedAnnotators:
    """Members by the code in a file; call `member` inside a transaction."""

    def __init__(self, project: Project) -> None:
        self._project = project
        self._members: dict[str, Membership] = {}

    def member(self, code: str) -> Membership:
        """Return the member with this code, created as an annotator if missing."""
        if code not in self._members:
            self._members[code] = self._find(code) or self._make(code)
        return self._members[code]

    def _find(self, code: str) -> Membership | None:
        return Membership.objects.filter(project=self._project, code=code).first()

    def _make(self, code: str) -> Membership:
        return Membership.objects.create(
            project=self._project,
            user=waiting_account(self._project, code),
            role=Membership.Role.ANNOTATOR,
            code=code,
        )


def waiting_account(project: Project, code: str) -> User:
    """Create the account of an annotator known only from data; call inside a transaction."""
    # The account cannot sign in until an invitation is accepted.
    user = User(username=_username(project, code), is_active=False)
    user.set_unusable_password()
    user.save()
    return user


def _username(project: Project, code: str) -> str:
    base = _NOT_IN_USERNAMES.sub("-", f"{project.slug}.{code}")[: _LONGEST_USERNAME - 8]
    name, count = base, 1
    while User.objects.filter(username=name).exists():
        count += 1
        name = f"{base}-{count}"
    return name
