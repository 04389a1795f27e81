"""Everything that needs the leads of some projects, the worst first."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from django.utils import timezone

from analysis.home.annotator_needs import annotator_needs
from analysis.home.image_needs import image_needs
from analysis.home.machine_needs import machine_needs
from analysis.home.need_row import Need
from analysis.home.project_work import ProjectWork
from analysis.home.resolving import resolved_keys
from annotator.models import Image, Project


def needs_of(projects: Sequence[Project], work: Mapping[int, ProjectWork]) -> dict[int, list[Need]]:
    """Return project → what needs its leads, the worst first; `work` is their `work_of`.

    What a lead has resolved is left out until its state is another. The number of queries does not depend on
    the number of projects, and nothing grows with their size.
    """
    now = timezone.now()
    resolved = resolved_keys(projects)
    found: dict[int, list[Need]] = defaultdict(list)
    for need in (
        *annotator_needs(projects, work, now, resolved),
        *image_needs(projects),
        *machine_needs(projects, now),
    ):
        if (need.project, need.key) not in resolved:
            found[need.project].append(need)
    return {project.pk: sorted(found[project.pk], key=lambda need: need.harm) for project in projects}


def with_pictures(needs: Iterable[Need]) -> list[Need]:
    """Return the needs with their images, in one query."""
    listed = list(needs)
    images = Image.objects.in_bulk({pk for need in listed for pk in need.pictures})
    return [replace(need, drawn=tuple(images[pk] for pk in need.pictures if pk in images)) for need in listed]
