"""Which protocol a page is about, where images are judged under several."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from urllib.parse import urlencode

from django.http import Http404, HttpRequest

from annotator.models import Project
from annotator.models.work import DEFAULT_PROTOCOL
from annotator.projects.protocols import ProtocolRefused, protocol_among, protocols_of
from scoring import service
from scoring.protocol import Protocol
from scoring.service import get_protocol

PARAMETER = "protocol"


@dataclass(frozen=True)
class ChosenProtocol:
    """The protocol a page is about; `choices` are all that the project's images are judged under."""

    protocol: Protocol
    choices: Sequence[Protocol] = ()

    @property
    def slug(self) -> str:
        """What the rows of this protocol are found by."""
        return self.protocol.slug

    @property
    def there(self) -> list[str]:
        """The slugs of the choices."""
        return [choice.slug for choice in self.choices]

    @property
    def several(self) -> bool:
        """Whether there is anything to choose, so that the page has to say what it is about."""
        return len(self.choices) > 1 or any(self.slug != choice.slug for choice in self.choices)

    @property
    def query(self) -> str:
        """What an address ends with that keeps the choice; empty where there is only one protocol."""
        return f"?{urlencode({PARAMETER: self.slug})}" if self.several else ""

    def about(self, slug: str) -> ChosenProtocol:
        """Return the same choices with another one chosen; raises UnknownProtocol."""
        return ChosenProtocol(get_protocol(slug), self.choices)


def known_among(there: Iterable[str]) -> list[Protocol]:
    """Return the protocols of these slugs: of one that is unknown, as of an old batch, there is nothing."""
    return [get_protocol(slug) for slug in there if slug in service.PROTOCOLS]


def chosen_protocol(request: HttpRequest, project: Project) -> ChosenProtocol:
    """Return the protocol that `?protocol=` names, by default the project's first; one query.

    One that can show the answers of another may be named, too. Raises Http404 for any other.
    """
    there = protocols_of(project)
    choices = known_among(there)
    slug = request.GET.get(PARAMETER, "") or (choices[0].slug if choices else DEFAULT_PROTOCOL)
    try:
        return ChosenProtocol(protocol_among(project, there, slug), choices)
    except ProtocolRefused as refused:
        raise Http404(str(refused)) from refused
