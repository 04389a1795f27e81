"""What the commands' arguments name."""

from __future__ import annotations

from django.core.management.base import CommandError

from annotator.models import Project

LISTED = 20


def project_named(slug: str) -> Project:
    """Return the project; raises CommandError, naming those that exist, where there is none."""
    found = Project.objects.filter(slug=slug).first()
    if found:
        return found
    known = list(Project.objects.order_by("slug").values_list("slug", flat=True)[: LISTED + 1])
    listed = ", ".join(known[:LISTED]) + (", …" if len(known) > LISTED else "")
    raise CommandError(
        f"There is no project {slug!r}. {f'Known: {listed}.' if known else 'There are none yet.'}"
    )
