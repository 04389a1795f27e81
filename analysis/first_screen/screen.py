"""The first screen of a comparison, from its stored result."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from analysis.first_screen.basis import BY_ANNOTATION, BY_IMAGE, Basis, basis_of, is_shown
from analysis.first_screen.conclusions import Conclusion, conclusions_of
from analysis.first_screen.headline import Headline, headline_of
from analysis.first_screen.ranking import Order, Ranked, Ranking, ranking_of
from analysis.first_screen.strips import Shown, strips_of
from analysis.first_screen.trust import Trust, alpha_of, trust_of
from analysis.models import Report
from analysis.protocols.registry import numbers_of
from annotator.models import Project


@dataclass(frozen=True)
class Row:
    """A generator's row and its images."""

    ranked: Ranked
    strip: Sequence[Shown]


@dataclass(frozen=True)
class FirstScreen:
    """Everything above *Full statistics*."""

    headline: Headline
    ranking: Ranking
    rows: Sequence[Row]
    conclusions: Sequence[Conclusion]
    trust: Trust
    basis: Basis
    unit: str
    images: int
    swapped: Sequence[str]

    @property
    def by_annotation(self) -> bool:
        """Whether the numbers are those of the published study."""
        return self.unit == BY_ANNOTATION

    @property
    def has_strips(self) -> bool:
        """Whether the report holds images to show."""
        return any(row.strip for row in self.rows)


def first_screen(
    report: Report,
    project: Project,
    *,
    unit: str = BY_IMAGE,
    swapped: Collection[str] = (),
    unreadable: int = 0,
    uncounted: int = 0,
    seconds: float | None = None,
) -> FirstScreen | None:
    """Return the first screen of a finished comparison in two queries; None if its result has none."""
    result: Mapping[str, Any] = report.result or {}
    if not is_shown(result):
        return None
    basis = basis_of(result, project.primary_analysis, unit)
    order = Order(basis)
    ranking = ranking_of(order)
    shown = BY_ANNOTATION if basis.slug == BY_ANNOTATION else BY_IMAGE
    strips = strips_of(project, result, shown, swapped)
    alpha = alpha_of(project, report.protocol)
    return FirstScreen(
        headline=headline_of(order),
        ranking=ranking,
        rows=[Row(ranked, strips.get(ranked.generator, ())) for ranked in ranking.rows],
        conclusions=conclusions_of(result, order),
        trust=trust_of(
            result,
            alpha,
            unreadable=unreadable,
            uncounted=uncounted,
            seconds=seconds,
            fast_ms=numbers_of(report.protocol).fast_ms,
        ),
        basis=basis,
        unit=shown,
        images=result["settings"]["images"],
        swapped=[one.key for strip in strips.values() for one in strip if one.swapped],
    )
