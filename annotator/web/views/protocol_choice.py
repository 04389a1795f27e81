"""The choice of protocol on pages of a project with several."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from urllib.parse import urlencode

from django.http import Http404, HttpRequest

from annotator.models import Project
from annotator.models.work import DEFAULT_PROTOCOL
from annotator.projects.protocols import ProtocolRefused, measured, protocol_among
from scoring import service
from scoring.protocol import Protocol
from scoring.service import get_protocol

PARAMETER = "protocol"


@dataclass(frozen=True)
class ChosenProtocol:
    """The protocol of a page; `choices` are all protocols of the project."""

    protocol: Protocol
    choices: Sequence[Protocol] = ()

    @property
    def slug(self) -> str:
        """The slug of the chosen protocol."""
        return self.protocol.slug

    @property
    def there(self) -> list[str]:
        """The slugs of the choices."""
        return [choice.slug for choice in self.choices]

    @property
    def several(self) -> bool:
        """Whether there is a choice, so that the page must name its protocol."""
        return len(self.choices) > 1 or any(self.slug != choice.slug for choice in self.choices)

    @property
    def query(self) -> str:
        """The query string that keeps the choice; empty if there is only one protocol."""
        return f"?{urlencode({PARAMETER: self.slug})}" if self.several else ""

    def about(self, slug: str) -> ChosenProtocol:
        """Return the same choices with another protocol chosen; raises UnknownProtocol."""
        return ChosenProtocol(get_protocol(slug), self.choices)


def known_among(there: Iterable[str]) -> list[Protocol]:
    """Return the protocols of these slugs, without unknown ones, such as those of old batches."""
    return [get_protocol(slug) for slug in there if slug in service.PROTOCOLS]


def chosen_protocol(request: HttpRequest, project: Project, *, also: Collection[str] = ()) -> ChosenProtocol:
    """Return the protocol named by `?protocol=`, by default the project's first; one query.

    It may also be a protocol that can show another one's annotations, or one of `also`. Raises Http404 for
    any other.
    """
    there = measured(project)
    if (asked := request.GET.get(PARAMETER, "")) in also and asked not in there:
        there = sorted({*(there or [DEFAULT_PROTOCOL]), asked})
    choices = known_among(there)
    slug = request.GET.get(PARAMETER, "") or (choices[0].slug if choices else DEFAULT_PROTOCOL)
    try:
        return ChosenProtocol(protocol_among(project, there, slug), choices)
    except ProtocolRefused as refused:
        raise Http404(str(refused)) from refused
