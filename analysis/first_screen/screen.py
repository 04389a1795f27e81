"""The first screen of a comparison, of any protocol, from its stored result."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from analysis.first_screen.headline import Headline, headline_of
from analysis.first_screen.ranking import Order, Ranked, Ranking, ranking_of
from analysis.first_screen.strips import Shown, strips_of
from analysis.first_screen.trust import Trust, alpha_of, trust_of
from analysis.models import Report
from analysis.protocols.registry import numbers_of
from analysis.stats.generic.tables import rows_of
from analysis.tables.blinding import answered
from analysis.tables.finding import Finding
from analysis.tables.generic import result_findings
from annotator.models import Project
from scoring.service import get_protocol

SHOWN: Final = 5


@dataclass(frozen=True)
class Row:
    """A generator's row and its images."""

    ranked: Ranked
    strip: Sequence[Shown]


@dataclass(frozen=True)
class FirstScreen:
    """Everything above *Full statistics*; `conclusions` are the first findings, `further` the others."""

    headline: Headline
    title: str
    higher_is_better: bool
    ranking: Ranking
    rows: Sequence[Row]
    conclusions: Sequence[Finding]
    further: Sequence[Finding]
    trust: Trust
    images: int
    swapped: Sequence[str]

    @property
    def has_strips(self) -> bool:
        """Whether the report holds images to show."""
        return any(row.strip for row in self.rows)


def first_screen(
    report: Report,
    project: Project,
    *,
    swapped: Collection[str] = (),
    unreadable: int = 0,
    uncounted: int = 0,
    seconds: float | None = None,
) -> FirstScreen | None:
    """Return the first screen of a finished comparison in three queries; None without any generator.

    `swapped` are keys of images to replace by their neighbours in rank. `unreadable` annotations have terms
    that cannot be read; of `uncounted` ones nothing can be read. `seconds` is the median time for an image.
    """
    result: Mapping[str, Any] = report.result or {}
    means = rows_of(result, "generators")
    if not means:
        return None
    higher: bool = result["settings"]["higher_is_better"]
    findings = result_findings(result)
    source = result["protocol"].get("shown_from") or report.protocol
    order = Order(means, rows_of(result, "differences"), higher_is_better=higher)
    ranking = ranking_of(order, result["settings"]["scale"])
    strips = strips_of(project, result, swapped, higher_is_better=higher)
    return FirstScreen(
        headline=headline_of(order),
        title=get_protocol(report.protocol).headline.title,
        higher_is_better=higher,
        ranking=ranking,
        rows=[Row(ranked, strips.get(ranked.generator, ())) for ranked in ranking.rows],
        conclusions=findings[:SHOWN],
        further=findings[SHOWN:],
        trust=trust_of(
            result,
            alpha_of(project, report.protocol),
            list(answered(project).filter(protocol=source)),
            unreadable=unreadable,
            uncounted=uncounted,
            seconds=seconds,
            fast_ms=numbers_of(report.protocol).fast_ms,
        ),
        images=result["settings"]["images"],
        swapped=[image.key for strip in strips.values() for image in strip if image.swapped],
    )
