"""The protocol of an API response: requested by `protocol`, named if it could be another."""

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
ASKED: Final = "Slug of the protocol; required if the project has several."
NARROWED: Final = "Only this protocol, by its slug."


class About(Parameters):
    """The protocol of a request."""

    protocol: str | None = Field(None, max_length=LONGEST, pattern=PLAIN, description=ASKED)


class PagingAbout(Paging):
    """The page and protocol of a list."""

    protocol: str | None = Field(None, max_length=LONGEST, pattern=PLAIN, description=NARROWED)


def protocol_asked_for(project: Project, slug: str | None) -> str:
    """Return the named protocol, or the only one; raise Invalid naming the choices."""
    try:
        return protocol_for(project, slug, "protocol =")
    except ProtocolRefused as refused:
        raise Invalid({"protocol": [str(refused)]}) from refused


def require_known(project: Project, slug: str | None) -> None:
    """Raise Invalid for a protocol filter that the project does not have."""
    if slug is not None:
        protocol_asked_for(project, slug)


class Naming:
    """Names protocols in responses, except in a project that has only the first protocol."""

    def __init__(self, project: Project | int) -> None:
        self._there: Collection[str] = protocols_of(project)

    def of(self, slug: str) -> dict[str, str]:
        """Return the field that names a protocol, if it is named."""
        return {"protocol": slug} if are_named({*self._there, slug}) else {}
