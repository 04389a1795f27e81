"""New projects: who may make one, and what its name and address can be."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from typing import Final
from uuid import UUID

from django.core.validators import validate_slug
from django.db import IntegrityError
from django.forms import ValidationError
from django.utils.text import slugify

from annotator.database.transactions import write_transaction
from annotator.inputs.plain_text import TURNED, turns_text_round
from annotator.inputs.refusal import Refusal
from annotator.models import Batch, Event, Membership, Project, User
from annotator.models.work import DEFAULT_PROTOCOL
from annotator.people.members import join_project
from scoring.protocol import Protocol
from scoring.service import UnknownProtocol, get_protocol

LONGEST_SLUG: Final = 60
TAKEN_BY_PAGES: Final = frozenset({"new"})
"""Addresses below /projects/ that are pages of the site."""


class ProjectRefused(ValueError):
    """The project cannot be made like this; `field` names the input that is wrong, empty where none is."""

    def __init__(self, message: str, field: str = "") -> None:
        super().__init__(message)
        self.field = field


def protocols_of(project: Project | int) -> list[str]:
    """Return the slugs of the protocols that a project's batches are judged under, in order."""
    found = Batch.objects.filter(project=project).order_by().values_list("protocol", flat=True)
    return sorted(found.distinct())


class ProtocolRefused(Refusal, ValueError):
    """No protocol can be told from what was said; the text names those there are."""


def protocol_for(project: Project, slug: str | None, option: str, there: Sequence[str] | None = None) -> str:
    """Return the protocol of this slug, or the project's only one where none is named.

    One that can show the answers of another may be named, too. Raises ProtocolRefused; `option` is how
    whoever asks names a protocol: `--protocol`. `there` is `protocols_of` the project where that is known.
    """
    there = protocols_of(project) if there is None else there
    if slug is None and len(there) > 1:
        raise ProtocolRefused(
            f"{project.slug} has several protocols: say {option} {' or '.join(there)}.", "several_protocols"
        )
    asked = slug if slug is not None else there[0] if there else DEFAULT_PROTOCOL
    return protocol_among(project, there, asked).slug


def protocol_among(project: Project, there: Sequence[str], asked: str) -> Protocol:
    """Return a protocol that the project has batches of, or that can show the answers of one.

    Any known one where the project has no batch yet. Raises ProtocolRefused.
    """
    try:
        protocol = get_protocol(asked)
    except UnknownProtocol as error:
        raise ProtocolRefused(f"{str(error)[:1].upper()}{str(error)[1:]}.", "no_protocol") from error
    if there and asked not in there and not protocol.shown_as.keys() & set(there):
        known = ", ".join(there)
        raise ProtocolRefused(
            f"{project.slug} has no batch of the protocol {asked!r}. Known: {known}.", "other_protocol"
        )
    return protocol


def may_create_projects(user: User) -> bool:
    """Tell whether a person may make projects: who leads one already, or has been given the right to."""
    leads = Membership.objects.filter(user=user, role=Membership.Role.LEAD, is_active=True)
    return user.is_active and (user.has_perm("annotator.add_project") or leads.exists())


def slug_of(name: str) -> str:
    """Return the address that a name suggests; empty where none of its letters can stand in one."""
    return slugify(unicodedata.normalize("NFKD", name))[:LONGEST_SLUG].strip("-_")


def create_project(
    *, name: str, slug: str, code: str, actor: User, request_key: UUID | None = None
) -> Project:
    """Make a project that `actor` leads under `code`; the same request key returns the first one.

    Raises ProjectRefused for an address that is none or is taken, PersonRefused for a code that is none.
    """
    made = _made_before(actor, request_key)
    if made is not None:
        return made
    _check_slug(slug)
    if turns_text_round(name):
        raise ProjectRefused(TURNED, "name")
    try:
        with write_transaction():
            project = Project.objects.create(slug=slug, name=name)
            join_project(project, actor, Membership.Role.LEAD, code)
            data = {"slug": slug, "name": name, "code": code}
            Event.objects.create(
                project=project, actor=actor, verb="project_created", data=data, request_key=request_key
            )
    except IntegrityError:
        made = _made_before(actor, request_key)
        if made is None:
            raise _taken(slug) from None
        return made
    return project


def _made_before(actor: User, request_key: UUID | None) -> Project | None:
    if request_key is None:
        return None
    # No two of one key: the second has the first one's address, which is unique.
    event = Event.objects.filter(actor=actor, verb="project_created", request_key=request_key).first()
    return None if event is None else event.project


def _check_slug(slug: str) -> None:
    try:
        validate_slug(slug)
    except ValidationError:
        raise ProjectRefused("The address has Latin letters, digits, - and _ only.", "slug") from None
    if len(slug) > LONGEST_SLUG:
        raise ProjectRefused(f"The address has at most {LONGEST_SLUG} characters.", "slug")
    if slug in TAKEN_BY_PAGES or Project.objects.filter(slug__iexact=slug).exists():
        raise _taken(slug)


def _taken(slug: str) -> ProjectRefused:
    return ProjectRefused(f"The address “{slug}” is taken: choose another one.", "slug")
