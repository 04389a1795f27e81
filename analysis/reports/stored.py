"""The newest reports of a kind, and their excerpts: what other pages show of large results."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from django.db.models import QuerySet

from analysis.models import Report
from analysis.stats.generic.tables import rows_of
from annotator.models import Project
from annotator.models.work import DEFAULT_PROTOCOL
from scoring.service import get_protocol

Result = Mapping[str, Any]


def finished(project: Project | int, kind: str, protocol: str = DEFAULT_PROTOCOL) -> QuerySet[Report]:
    """Return the finished reports of a kind, newest first."""
    return Report.objects.filter(project=project, kind=kind, protocol=protocol, status=Report.Status.DONE)


def newest_done(project: Project | int, kind: str, protocol: str = DEFAULT_PROTOCOL) -> Report | None:
    """Return the newest finished report, if any."""
    return finished(project, kind, protocol).defer("result").first()


def newest(project: Project | int, kind: str, protocol: str = DEFAULT_PROTOCOL) -> Report | None:
    """Return the latest request, whatever its status."""
    found = Report.objects.filter(project=project, kind=kind, protocol=protocol)
    return found.defer("result").first()


def source_of(report: Report) -> str:
    """Return the protocol of the annotations that a finished report counts: its own, or one shown as it."""
    about: Result = (report.result or {}).get("protocol", {})
    return about.get("shown_from") or report.protocol


def excerpt_of(report: Report | None) -> Result:
    """Return the excerpt of a report; {} without a report, and of a kind that no other page shows."""
    return (report.excerpt if report else None) or {}


def excerpt_in(kind: str, result: Result, protocol: str) -> dict[str, Any] | None:
    """Return the excerpt of a result of this kind; None for a kind that no other page shows."""
    return EXCERPTS[kind](result, protocol) if kind in EXCERPTS else None


def _of_agreement(result: Result, protocol: str) -> dict[str, Any]:
    """Return `alpha` of the headline, `alphas` by annotator's code, and `disagreements` about cells."""
    title = get_protocol(protocol).headline.title
    measures = {row["variable"]: row["pooled"] for row in rows_of(result, "agreement")}
    pairs = [row for row in rows_of(result, "pairs") if row["variable"] == title]
    rows = rows_of(result, "disagreements")
    return {
        "alpha": measures.get(title),
        "alphas": _alphas(pairs),
        "disagreements": [{"image": row["image"], "scores": row["scores"]} for row in rows if row["cells"]],
    }


def _alphas(pairs: Iterable[Result]) -> dict[str, float]:
    """Return code → the mean alpha of the annotator's pairs, weighted by shared images.

    Over images drawn at random. Pairs too small for an alpha are left out, and annotators without any other.
    """
    sums: dict[str, list[float]] = defaultdict(lambda: [0.0, 0.0])
    for pair in pairs:
        if (alpha := pair["agreement"]["value"]) is not None:
            for name in pair["annotators"]:
                sums[name][0] += alpha * pair["images"]
                sums[name][1] += pair["images"]
    return {name: total / images for name, (total, images) in sums.items()}


EXCERPTS: Final[Mapping[str, Callable[[Result, str], dict[str, Any]]]] = {
    Report.Kind.AGREEMENT: _of_agreement,
}
"""What makes the excerpt of a result, with the slug of its protocol, by kind of report."""
