"""The first screen of a comparison, of any protocol, from its stored result."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, Final

from analysis.first_screen.ranking import Order, ranking_of
from analysis.first_screen.trust import alpha_of, trust_of, typical_ms_of
from analysis.models import Report
from analysis.protocols.registry import numbers_of
from analysis.reports.stored import source_of
from analysis.stats.generic.tables import rows_of
from analysis.tables.blinding import answered
from analysis.tables.generic import result_findings
from analysis.tables.wording import PLACES, counted, listed, named, rounded
from annotator.models import Image, Project
from scoring.service import get_protocol

NAMED: Final = 3
MEANS: Final = 5
SHOWN: Final = 5


def strips_of(
    project: Project, result: Mapping[str, Any], swapped: Collection[str], *, higher_is_better: bool
) -> dict[str, list[dict[str, Any]]]:
    """Return generator → images at equal steps of rank, best first, each with `score` and `key`.

    `image` is None if it has been deleted. `swapped` holds keys of images to replace by the next in rank:
    `2.4` is the fourth of the second generator.
    """
    chosen = {
        strip["generator"]: [
            (key, (step["next"] if key in swapped else None) or step)
            for number, step in enumerate(strip["images"], 1)
            for key in [f"{place}.{number}"]
        ][:: -1 if higher_is_better else 1]
        for place, strip in enumerate(result["strips"], 1)
    }
    ids = [step["image"] for strip in chosen.values() for _, step in strip]
    images = Image.objects.filter(project=project).in_bulk(ids)
    return {
        generator: [
            {
                "key": key,
                "image": images.get(step["image"]),
                "score": rounded(step["score"], PLACES),
                "swapped": key in swapped,
            }
            for key, step in strip
        ]
        for generator, strip in chosen.items()
    }


def headline_of(order: Order) -> dict[str, Any]:
    """Return the heading: who is best, if the mixed model tells them from all others; `clear` if it does.

    `means` are names with mean scores, best first; `more` says how many others there are.
    """
    text, clear = _finding(order)
    known = [row for row in order.rows if row["mean"]["value"] is not None]
    return {
        "text": text,
        "clear": clear,
        "means": [(named(row["generator"]), rounded(row["mean"]["value"], PLACES)) for row in known[:MEANS]],
        "more": counted(len(known) - MEANS, "other") if len(known) > MEANS else "",
    }


def _finding(order: Order) -> tuple[str, bool]:
    """Return the finding, and whether it is a clear one."""
    if len(order.rows) == 1:
        return f"{named(order.rows[0]['generator'])} is the only generator", False
    if leaders := order.leaders():
        verb = "is" if len(leaders) == 1 else "are"
        return f"{_some(leaders)} {verb} best", True
    if not order.tests:
        return "No verdict on the generators", False
    for row in order.rows:
        if worse := order.worse_than(row["generator"]):
            return f"{named(row['generator'])} is better than {_some(worse)}", True
    return "No generator is clearly best", False


def _some(names: list[str]) -> str:
    return listed([named(name) for name in names]) if len(names) <= NAMED else f"{len(names)} generators"


def first_screen(report: Report, project: Project, *, swapped: Collection[str] = ()) -> dict[str, Any] | None:
    """Return everything above *Full statistics* of a finished comparison; None without any generator.

    `conclusions` are the first findings, `further` the others. `swapped` are keys of images to replace by
    their neighbours in rank. Four queries.
    """
    result: Mapping[str, Any] = report.result or {}
    means = rows_of(result, "generators")
    if not means:
        return None
    higher: bool = result["settings"]["higher_is_better"]
    findings = result_findings(result)
    order = Order(means, rows_of(result, "differences"), higher_is_better=higher)
    ranking = ranking_of(order, result["settings"]["scale"])
    strips = strips_of(project, result, swapped, higher_is_better=higher)
    return {
        "headline": headline_of(order),
        "title": get_protocol(report.protocol).headline.title,
        "higher_is_better": higher,
        "ranking": ranking,
        "rows": [{"ranked": row, "strip": strips.get(row["generator"], ())} for row in ranking["rows"]],
        "has_strips": any(strips.values()),
        "conclusions": findings[:SHOWN],
        "further": findings[SHOWN:],
        "trust": trust_of(
            result,
            alpha_of(project, report.protocol),
            list(answered(project).filter(protocol=source_of(report))),
            typical_ms=typical_ms_of(project, report.protocol),
            fast_ms=numbers_of(report.protocol).fast_ms,
        ),
        "images": result["settings"]["images"],
        "swapped": [image["key"] for strip in strips.values() for image in strip if image["swapped"]],
    }
