"""Reports across protocols: the same images annotated under several.

Only `across_result` imports the numeric stack, because web processes import this module too.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import Any, Final

from analysis.data.ratings_table import NoAnnotations, input_digest, load_as
from analysis.models import Report
from analysis.protocols.generic import RATED_ANEW
from analysis.protocols.registry import numbers_of
from analysis.reports.stages import counted_together
from annotator.models import Project
from annotator.projects.protocols import protocols_of
from annotator.work.execution import WorkRefused
from scoring.service import get_protocol

NOTHING_SHARED: Final = (
    "No image has annotations under “{title}” and another protocol yet. Release a batch of the same images "
    "under another protocol."
)


def others_than(project: Project | int, protocol: str) -> list[str]:
    """Return the other protocols of a project, in order."""
    return [slug for slug in protocols_of(project) if slug != protocol]


def across_digest(report: Report) -> str:
    """Return the digest of the annotations under all protocols of the project."""
    digest = hashlib.sha256()
    for slug in (report.protocol, *others_than(report.project_id, report.protocol)):
        digest.update(input_digest(report.project, slug).encode())
    return digest.hexdigest()


def across_result(report: Report, steps: Callable[[int, int], None]) -> tuple[dict[str, Any], int]:
    """Compute the report; return its result and the number of annotations used.

    Raise WorkRefused if no image is annotated under another protocol too.
    """
    from analysis.stats.generic.across import across
    from analysis.stats.generic.consistency import shared_ids
    from analysis.stats.generic.values import ValuesFrame

    project, loaded, counted = report.project, {}, {}
    for slug in (report.protocol, *others_than(project, report.protocol)):
        try:
            frame, counted[slug] = load_as(project, slug, slug, RATED_ANEW)
        except NoAnnotations:
            continue
        assert isinstance(frame, ValuesFrame)
        loaded[slug] = numbers_of(slug).scored(frame)
    own = loaded.pop(report.protocol, None)
    others = {slug: frame for slug, frame in loaded.items() if own and len(shared_ids(own, frame))}
    if own is None or not others:
        raise WorkRefused(NOTHING_SHARED.format(title=get_protocol(report.protocol).title))
    used = [report.protocol, *others]
    counting = counted_together(project, used, [counted[slug] for slug in used])
    frames = list(others.values())
    about = {"across": list(others), "answers": counting.as_json()}
    return {**about, **across(own, frames, steps)}, sum(map(len, (own, *frames)))
