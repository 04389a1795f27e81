"""Resolve the arguments of commands."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from django.core.exceptions import ValidationError
from django.core.management.base import CommandError

from annotator.models import Batch, Membership, Project, User
from annotator.projects.creation import check_slug
from annotator.projects.protocols import ProtocolRefused, protocol_among, protocol_for
from scoring.protocol import Protocol

LISTED = 20
THINGS = ("prompt", "generator")
NEITHER = "none"
SHOWN_HELP = (
    "what annotators saw while they annotated: prompt, generator, both separated by a comma, or none "
    "(default: unknown)"
)
DOUBLES_HELP = "whether images with several annotators were drawn at random (default: unknown)"


class UnknownProject(CommandError):
    """No project has this slug."""


def project_named(slug: str) -> Project:
    """Return the project; raises UnknownProject with a list of existing ones."""
    found = Project.objects.filter(slug=slug, goes_at=None).first()
    if found:
        return found
    known = Project.objects.filter(goes_at=None).order_by("slug").values_list("slug", flat=True)[: LISTED + 1]
    raise UnknownProject(f"There is no project {slug!r}. {_listed(list(known), 'There are none yet.')}")


@contextmanager
def project_to_fill(slug: str) -> Iterator[Project]:
    """Yield the project of this slug, created if missing and removed again if it stays empty.

    Raises CommandError for a text that is no slug.
    """
    try:
        check_slug(slug)
    except ValidationError as error:
        raise CommandError(f"--project {slug}: {error.messages[0]}") from error
    project, made = Project.objects.get_or_create(
        slug=slug, defaults={"name": slug.replace("-", " ").capitalize()}
    )
    try:
        yield project
    finally:
        if made and not project.images.exists():
            project.delete()


def account_named(name: str) -> User:
    """Return the account with a user name; raises CommandError."""
    user = User.objects.filter(username=name).first()
    if user is None:
        raise CommandError(f"There is no account {name}.")
    return user


def protocol_asked_for(project: Project, slug: str | None) -> str:
    """Return the protocol of --protocol, by default the project's only one; raises CommandError.

    A protocol that can display the annotations of another is accepted, too.
    """
    try:
        return protocol_for(project, slug, "--protocol")
    except ProtocolRefused as refused:
        raise CommandError(str(refused)) from refused


def known_protocol(project: Project, slug: str | None) -> Protocol:
    """Return the protocol of --protocol, new or the project's only one by default; raises CommandError."""
    asked = protocol_asked_for(project, None) if slug is None else slug
    try:
        return protocol_among(project, (), asked)
    except ProtocolRefused as refused:
        raise CommandError(str(refused)) from refused


def warning_if_unled(project: Project) -> str:
    """Return a hint if a project has no lead, who alone can open it; else an empty text."""
    if project.memberships.filter(role=Membership.Role.LEAD, is_active=True).exists():
        return ""
    return (
        f"{project.slug} has no lead, so it cannot be opened. Add one: "
        f"manage.py add_person NAME --project {project.slug} --role lead"
    )


def people_named(project: Project, text: str) -> list[Membership]:
    """Return the active members with these comma-separated codes, in that order; raises CommandError."""
    codes = [code.strip() for code in text.split(",") if code.strip()]
    active = project.memberships.filter(is_active=True)
    found = {member.code: member for member in active.filter(code__in=codes)}
    missing = [code for code in codes if code not in found]
    if missing or not codes:
        known = _listed(
            list(active.values_list("code", flat=True)[: LISTED + 1]), "It has no active members."
        )
        raise CommandError(f"Not active in {project.slug}: {', '.join(missing) or 'no codes given'}. {known}")
    if twice := sorted({code for code in codes if codes.count(code) > 1}):
        raise CommandError(f"Listed twice: {', '.join(twice)}.")
    return [found[code] for code in codes]


def batch_named(name: str, slug: str | None) -> Batch:
    """Return the batch with a name or number, optionally in one project; raises CommandError."""
    batches = Batch.objects.select_related("project").order_by("pk")
    if slug is not None:
        batches = batches.filter(project=project_named(slug))
    found = list(batches.filter(name=name)[: LISTED + 1])
    if not found and name.isascii() and name.isdigit() and len(name) < 19:
        found = list(batches.filter(pk=int(name)))
    if len(found) == 1:
        return found[0]
    if found:
        where = ", ".join(batch.project.slug for batch in found[:LISTED])
        raise CommandError(f"Several projects have a batch {name!r}: {where}. Use --project.")
    known = [f"{batch.name!r} ({batch.project.slug})" for batch in batches[: LISTED + 1]]
    raise CommandError(f"There is no batch {name!r}. {_listed(known, 'There are none yet.')}")


def _listed(known: Sequence[str], none: str) -> str:
    if not known:
        return none
    return f"Known: {', '.join(known[:LISTED])}{', …' if len(known) > LISTED else ''}."


def things_shown(text: str | None) -> frozenset[str] | None:
    """Parse what annotators saw, None if unknown; raises CommandError for other values."""
    if text is None:
        return None
    words = [word.strip().casefold() for word in text.split(",")]
    if words == [NEITHER]:
        return frozenset()
    if strange := [word for word in words if word not in THINGS]:
        raise CommandError(
            f"--shown must be prompt, generator, prompt,generator, or {NEITHER}, not “{strange[0]}”."
        )
    return frozenset(words)
