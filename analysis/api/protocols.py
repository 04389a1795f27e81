"""Which protocol an answer of the API is about: asked for by `protocol`, named where it could be another."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from pydantic import Field

from analysis.api.paging import PLAIN, Paging, Parameters
from analysis.api.refusals import Invalid
from analysis.protocols.registry import are_named
from annotator.models import Project
from annotator.projects.protocols import ProtocolRefused, protocol_for, protocols_of

LONGEST: Final = 40
ASKED: Final = "The protocol it is about, by its slug; needed where the project has several."
NARROWED: Final = "Those of a protocol, by its slug."


class About(Parameters):
    """Which protocol something is about."""

    protocol: str | None = Field(None, max_length=LONGEST, pattern=PLAIN, description=ASKED)


class PagingAbout(Paging):
    """Which page of a list, and of which protocol."""

    protocol: str | None = Field(None, max_length=LONGEST, pattern=PLAIN, description=NARROWED)


def protocol_asked_for(project: Project, slug: str | None) -> str:
    """Return the protocol that was named, or the only one there is; raises Invalid, naming them."""
    try:
        return protocol_for(project, slug, "protocol =")
    except ProtocolRefused as refused:
        raise Invalid({"protocol": [str(refused)]}) from refused


def require_known(project: Project, slug: str | None) -> None:
    """Raise Invalid for a protocol that narrows a list and that the project does not have."""
    if slug is not None:
        protocol_asked_for(project, slug)


class Naming:
    """What is told of a protocol: nothing in a project with no other than the one that came first."""

    def __init__(self, project: Project | int) -> None:
        self._there: Collection[str] = protocols_of(project)

    def of(self, slug: str) -> dict[str, str]:
        """Return the field that names a protocol, where it is named."""
        return {"protocol": slug} if are_named({*self._there, slug}) else {}
