"""The published study in a project: whether it is there, and its numbers compared with the paper's."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from analysis.data.ratings_table import load_frame, submitted
from annotator.annotations.unreadable import nothing_read
from annotator.models import Project

if TYPE_CHECKING:
    from analysis.stats.reproduction import SkippedTerm


def is_published_study(project: Project) -> bool:
    """Return whether the project has annotations, and images of just the study's generators and prompts."""
    from analysis.stats.reproduction.values import GENERATORS, SHORT

    found = {name: set(project.images.order_by().values_list(name, flat=True).distinct()) for name in _NAMES}
    return found == {"generator": set(GENERATORS), "prompt": SHORT.keys()} and submitted(project).exists()


_NAMES = ("generator", "prompt")


def reproduction_page(project: Project) -> str:
    """Return the comparison with the paper as Markdown; raise ValueError without usable annotations."""
    from analysis.stats.reproduction import reproduction

    return reproduction(load_frame(project), list(skipped_terms(project)))


def skipped_terms(project: Project) -> Iterator[SkippedTerm]:
    """Yield the unreadable imported terms that contain a fraction."""
    from analysis.stats.reproduction import skipped_term

    rows = (
        submitted(project)
        .filter(source__isnull=False)
        # Fully unreadable annotations are in no table.
        .exclude(nothing_read())
        .order_by("pk")
        .values_list("assignment__image_id", "assignment__annotator__code", "source")
    )
    for image, annotator, source in rows.iterator(chunk_size=2000):
        for problem in (source or {}).get("problems", ()):
            if term := skipped_term(image, annotator, problem["text"]):
                yield term
