"""Choose the protocol of a page, a command or a request if a project has several."""

from __future__ import annotations

from collections.abc import Sequence

from annotator.inputs.refusal import Refusal
from annotator.models import Batch, Project
from annotator.models.work import DEFAULT_PROTOCOL
from annotator.protocols.rating_form.stored import belongs_to
from scoring.protocol import Protocol
from scoring.service import UnknownProtocol, get_protocol


def protocols_of(project: Project | int) -> list[str]:
    """Return the slugs of the protocols of a project's batches, in order."""
    found = Batch.objects.filter(project=project).order_by().values_list("protocol", flat=True)
    return sorted(found.distinct())


class ProtocolRefused(Refusal, ValueError):
    """The protocol is unknown or ambiguous; the message lists the available ones."""


def protocol_for(project: Project, slug: str | None, option: str, there: Sequence[str] | None = None) -> str:
    """Return the protocol of this slug, by default the project's only one.

    A protocol that can display the annotations of another is accepted, too. Raises ProtocolRefused; `option`
    is the name of the caller's option, such as `--protocol`. `there` is `protocols_of` the project, if known.
    """
    there = protocols_of(project) if there is None else there
    if slug is None and len(there) > 1:
        raise ProtocolRefused(
            f"{project.slug} has several protocols. Use {option} {' or '.join(there)}.", "several_protocols"
        )
    asked = slug if slug is not None else there[0] if there else DEFAULT_PROTOCOL
    return protocol_among(project, there, asked).slug


def protocol_among(project: Project, there: Sequence[str], asked: str) -> Protocol:
    """Return a protocol of the project's batches, or one that can display their annotations.

    Any known protocol is accepted while the project has no batches. Raises ProtocolRefused.
    """
    try:
        protocol = get_protocol(asked)
        if not belongs_to(project, asked):
            raise UnknownProtocol(asked)
    except UnknownProtocol as error:
        raise ProtocolRefused(f"{str(error)[:1].upper()}{str(error)[1:]}.", "no_protocol") from error
    if there and asked not in there and not protocol.shown_as.keys() & set(there):
        known = ", ".join(there)
        raise ProtocolRefused(
            f"{project.slug} has no batch of the protocol {asked!r}. Known: {known}.", "other_protocol"
        )
    return protocol
