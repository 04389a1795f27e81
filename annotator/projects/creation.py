"""Create projects: permission, names and addresses."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from typing import Final
from uuid import UUID

from django.core.exceptions import ValidationError
from django.core.validators import validate_slug
from django.db import IntegrityError
from django.utils.text import slugify

from annotator.database.transactions import write_transaction
from annotator.inputs.plain_text import TURNED, turns_text_round
from annotator.models import Event, Membership, Project, User
from annotator.people.members import join_project

LONGEST_SLUG: Final = 60
TAKEN_BY_PAGES: Final = frozenset({"new"})
"""Addresses below /projects/ that are pages of the site."""


def may_create_projects(user: User) -> bool:
    """Return whether an account may create projects: leads and accounts with the permission."""
    leads = Membership.objects.filter(user=user, role=Membership.Role.LEAD, is_active=True)
    return user.is_active and (user.has_perm("annotator.add_project") or leads.exists())


def slug_of(name: str) -> str:
    """Return an address derived from a name; empty if none of its letters is allowed."""
    return slugify(unicodedata.normalize("NFKD", name))[:LONGEST_SLUG].strip("-_")


def create_project(
    *,
    name: str,
    slug: str,
    code: str,
    actor: User,
    protocols: Sequence[str] | None = None,
    request_key: UUID | None = None,
) -> Project:
    """Create a project led by `actor` under `code`; the same idempotency key returns the first one.

    `protocols` are those it measures by, none if by rating forms; None offers all.

    Raises ValidationError, by field, for an invalid or taken address, PersonRefused for an invalid code.
    """
    made = _made_before(actor, request_key)
    if made is not None:
        return made
    check_slug(slug)
    if slug in TAKEN_BY_PAGES or Project.objects.filter(slug__iexact=slug).exists():
        raise _taken(slug)
    if turns_text_round(name):
        raise ValidationError({"name": TURNED})
    try:
        with write_transaction():
            project = Project.objects.create(
                slug=slug, name=name, protocols=None if protocols is None else list(protocols)
            )
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
    # The address is unique, so a repeated key cannot create a second project.
    event = Event.objects.filter(actor=actor, verb="project_created", request_key=request_key).first()
    return None if event is None else event.project


def check_slug(slug: str) -> None:
    """Raise ValidationError for what cannot be an address."""
    try:
        validate_slug(slug)
    except ValidationError:
        raise ValidationError({"slug": "Use only Latin letters, digits, - and _ in the address."}) from None
    if len(slug) > LONGEST_SLUG:
        raise ValidationError({"slug": f"Use at most {LONGEST_SLUG} characters in the address."})


def _taken(slug: str) -> ValidationError:
    return ValidationError({"slug": f"The address “{slug}” is taken. Choose another one."})
