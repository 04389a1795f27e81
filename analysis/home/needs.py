"""Everything that needs the leads of some projects, the worst first."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from django.utils import timezone

from analysis.home.annotator_needs import annotator_needs
from analysis.home.image_needs import image_needs
from analysis.home.machine_needs import machine_needs
from analysis.home.need import Need
from analysis.home.project_work import ProjectWork
from annotator.models import Image, Project


def needs_of(projects: Sequence[Project], work: Mapping[int, ProjectWork]) -> dict[int, list[Need]]:
    """Return project → what needs its leads, the worst first; `work` is their `work_of`.

    The number of queries does not depend on the number of projects, and nothing grows with their size.
    """
    now = timezone.now()
    found: dict[int, list[Need]] = defaultdict(list)
    for need in (
        *annotator_needs(projects, work, now),
        *image_needs(projects),
        *machine_needs(projects, now),
    ):
        found[need.project].append(need)
    return {project.pk: sorted(found[project.pk], key=lambda need: need.harm) for project in projects}


def with_pictures(needs: Iterable[Need]) -> list[Need]:
    """Return the needs with their images, in one query."""
    listed = list(needs)
    images = Image.objects.in_bulk({pk for need in listed for pk in need.pictures})
    return [replace(need, drawn=tuple(images[pk] for pk in need.pictures if pk in images)) for need in listed]
