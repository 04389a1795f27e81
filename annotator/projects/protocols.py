"""What a project measures, and the choice of a protocol if it measures several things."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Final

from annotator.database.transactions import write_transaction
from annotator.inputs.refusal import Refusal
from annotator.models import Batch, Event, Project, RatingForm, User
from annotator.models.work import DEFAULT_PROTOCOL
from annotator.protocols.page import Measure
from annotator.protocols.registry import PAGES
from scoring.protocol import Protocol
from scoring.service import UnknownProtocol, get_protocol

PROTOCOLS_SET: Final = "protocols_set"


OWN_QUESTIONS: Final = Measure("Your own questions", "A rating form with your choices, scales and texts.")
MEASURES: Final[Mapping[str, Measure]] = {
    **{slug: page.measure for slug, page in PAGES.items() if page.measure},
    "form": OWN_QUESTIONS,
}


def protocols_for(measure: str) -> list[str]:
    """Return the protocols of an answer to “What do you measure?” in the order of their stages."""
    return [measure, *MEASURES[measure].then] if measure in PAGES else []


def measured(project: Project) -> list[str]:
    """Return the slugs of the protocols that a project's pages show; one query.

    Those chosen for it in their order, then those of its rating forms and batches.
    """
    if project.protocols is None:
        return protocols_of(project)
    forms = RatingForm.objects.filter(project=project, retired=False).order_by()
    of_batches = project.batches.order_by().values_list("protocol", flat=True)
    others = forms.values_list("slug", flat=True).union(of_batches)
    return list(dict.fromkeys([*project.protocols, *sorted(others)]))


def set_protocols(project: Project, slugs: Collection[str], actor: User) -> bool:
    """Choose what a project measures, keeping what its batches use; return whether anything changed."""
    with write_transaction():
        stored = Project.locked(project.pk)
        used = {*slugs, *protocols_of(stored)}
        chosen = [slug for slug in dict.fromkeys([*(stored.protocols or ()), *PAGES]) if slug in used]
        if chosen == stored.protocols:
            return False
        Project.objects.filter(pk=stored.pk).update(protocols=chosen)
        Event.objects.create(project=stored, actor=actor, verb=PROTOCOLS_SET, data={"protocols": chosen})
    project.protocols = chosen
    return True


def protocols_of(project: Project | int) -> list[str]:
    """Return the slugs of the protocols of a project's batches, in order."""
    used = Batch.objects.filter(project=project).order_by().values_list("protocol", flat=True)
    return sorted(used.distinct())


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
        if not project.may_use(asked):
            raise UnknownProtocol(asked)
    except UnknownProtocol as error:
        raise ProtocolRefused(f"{str(error)[:1].upper()}{str(error)[1:]}.", "no_protocol") from error
    if there and asked not in there and not protocol.shown_as.keys() & set(there):
        known = ", ".join(there)
        raise ProtocolRefused(
            f"{project.slug} has no batch of the protocol {asked!r}. Known: {known}.", "other_protocol"
        )
    return protocol
