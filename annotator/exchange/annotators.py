"""Annotators of a file as members of the project, with accounts that await an invitation."""

from __future__ import annotations

from annotator.models import Membership, Project
from annotator.people.places import hold_places


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
        [place] = hold_places(self._project, [code])
        return place
