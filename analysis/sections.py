"""A report for display: findings, sections of figures and tables, then methods.

The layout lists every figure and table; others come last, so that results of other versions are complete.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Final

from analysis.figures.data_table import figure_table
from analysis.figures.figure import Figure
from analysis.figures.generic import NamedFigure, named_figures
from analysis.figures.size import Size, size_of
from analysis.models import Report
from analysis.stats.generic.tables import rows_of
from analysis.tables.finding import Finding
from analysis.tables.generic import report_findings, result_tables
from analysis.tables.links import linked_rows
from analysis.tables.listed import Line, line_of
from analysis.tables.methods import cited
from analysis.tables.project_methods import methods_text
from analysis.tables.table import Table
from analysis.tables.wording import counted
from annotator.gallery.origins import Origin, register_origin
from annotator.models import Project

# Tables with more rows are collapsed; rows beyond the second number are only in the file.
FOLDED_FROM: Final = 12
ROWS_SHOWN: Final = 60
# Collapsed tables show only their first rows.
ROWS_FOLDED: Final = 20
# Taller figures (in pixels) are collapsed, so that pages stay short.
TALL: Final = 900
FINDINGS_SHOWN: Final = 5
NO_LINE: Final = Line("")


@dataclass(frozen=True)
class Arrangement:
    """The figures and tables of one section by name; `folded` ones are collapsed.

    `part` names a template of its own: disagreements.
    """

    slug: str
    title: str
    figures: tuple[str, ...] = ()
    tables: tuple[str, ...] = ()
    folded: tuple[str, ...] = ()
    part: str = ""


LAYOUTS: Final[Mapping[str, tuple[Arrangement, ...]]] = {
    "agreement": (
        Arrangement("agreement", "All annotators", tables=("agreement",), folded=("agreement-intervals",)),
        Arrangement("pairs", "Pair by pair", figures=("pair-alphas",), tables=("pairs",)),
        Arrangement(
            "parts",
            "Error types and body parts",
            figures=("cell-alphas",),
            tables=("by_error_type", "by_body_part"),
            folded=("by_cell",),
        ),
        Arrangement("decisions", "Decisions", tables=("decisions", "verdicts")),
        Arrangement("votes", "Votes", tables=("votes", "kept", "united")),
        Arrangement("models", "Descriptions by model", tables=("models",)),
        Arrangement("overlaps", "Overlap of regions", tables=("overlaps", "parts")),
        Arrangement("one_sided", "Marked differently", tables=("type_confusion",), folded=("seen_by_one",)),
        Arrangement("ladder", "Where agreement is lost", figures=("ladder",), tables=("ladder",)),
        Arrangement(
            "disagreements", "Largest disagreements", folded=("disagreements",), part="disagreements"
        ),
        Arrangement("answers", "Annotations counted", tables=("answers",)),
    ),
    "comparison": (
        Arrangement(
            "differences",
            "Differences",
            figures=("differences-intervals",),
            tables=("differences", "plain"),
            folded=("variation",),
        ),
        Arrangement(
            "generators",
            "Generators",
            figures=("generators-intervals", "distribution-histogram"),
            tables=("generators", "weights"),
            folded=("distribution",),
        ),
        Arrangement("items", "Items", tables=("items",), folded=("item_differences",)),
        Arrangement(
            "errors",
            "Where the errors are",
            figures=("cells-map", "error_types-shares", "body_parts-shares", "components-heat"),
            tables=("error_types", "body_parts"),
            folded=("components", "cells", "generator_parts"),
        ),
        Arrangement(
            "consolidation",
            "Consolidation",
            tables=("outcomes", "classes", "rules", "reliability"),
            folded=("consolidation",),
        ),
        Arrangement(
            "prompts",
            "Prompts",
            figures=("prompt_groups-intervals",),
            tables=("prompts", "prompt_groups"),
            folded=("prompts-intervals",),
        ),
        Arrangement(
            "balance",
            "Balance",
            tables=("balance", "answers"),
            folded=("balance_prompts", "balance_annotators", "annotators"),
        ),
        Arrangement("slices", "Image attributes and tags", tables=("slices", "tags")),
        Arrangement("outside", "Outside metrics", tables=("outside",), folded=("outside_means",)),
    ),
}
# Figure -> the report's table with its numbers.
TWINS: Final = {
    "agreement-intervals": "agreement",
    "pair-alphas": "pairs",
    "cell-alphas": "by_cell",
    "ladder": "ladder",
    "generators-intervals": "generators",
    "differences-intervals": "differences",
    "prompts-intervals": "prompts",
    "prompt_groups-intervals": "prompt_groups",
    "distribution-histogram": "distribution",
}


@dataclass(frozen=True)
class ShownTable:
    """A table, or the first `most` rows of a very long one; `folded` ones are collapsed."""

    table: Table
    most: int
    folded: bool
    total: int

    @cached_property
    def rows(self) -> Sequence[Any]:
        """Return the rows with their links to images; made when shown, because most sections stay folded."""
        return linked_rows(self.table.headings, self.table.rows[: self.most])

    @property
    def has_bars(self) -> bool:
        """Return whether any cell has a bar."""
        return any(cell.bar for row in self.rows for cell in row)

    @property
    def left_out(self) -> int:
        """Return the number of rows that are only in the file."""
        return self.total - len(self.rows)


@dataclass(frozen=True)
class ShownFigure:
    """A figure with its numbers; `twin` is the report's own table of them on the page.

    It is built when shown, because most sections stay folded; one `behind` the others is drawn when opened.
    """

    named: NamedFigure
    twin: Table | None
    behind: bool

    @cached_property
    def figure(self) -> Figure:
        """Return the figure."""
        return self.named.make()

    @cached_property
    def size(self) -> Size:
        """Return the space that is reserved for it."""
        return size_of(self.figure)

    @property
    def folded(self) -> bool:
        """Return whether it is drawn when opened."""
        return self.behind or self.size.height > TALL

    @cached_property
    def numbers(self) -> ShownTable | None:
        """Return the numbers, None if they are in the twin or there are none; made when shown."""
        if self.twin or self.figure.refused:
            return None
        return ShownTable(figure_table(self.figure, ROWS_FOLDED), ROWS_FOLDED, True, len(self.figure.rows))


@dataclass(frozen=True)
class Section:
    """One part of the page, folded; `line` is its result while it is. Galleries link back to its `origin`."""

    slug: str
    title: str
    figures: Sequence[ShownFigure] = ()
    tables: Sequence[ShownTable] = ()
    part: str = ""
    line: Line = NO_LINE
    origin: str = ""

    @property
    def contents(self) -> list[tuple[str, str]]:
        """Return the address in the page and the title of each figure and table; the section has its own."""
        drawn = [(f"figure-{one.named.slug}", f"Figure: {one.named.title}") for one in self.figures]
        return [
            *drawn,
            *((one.table.slug, one.table.title) for one in self.tables if one.table.slug != self.slug),
        ]


@dataclass(frozen=True)
class ReportPage:
    """A whole report; `findings` are the first findings, `further` the others."""

    findings: Sequence[Finding] = ()
    further: Sequence[Finding] = ()
    sections: Sequence[Section] = ()
    methods: str = ""
    references: Sequence[str] = ()
    result: Mapping[str, Any] = field(default_factory=dict)

    @property
    def said(self) -> int:
        """Return the number of findings."""
        return len(self.findings) + len(self.further)


def page_of_report(report: Report, project: Project) -> ReportPage:
    """Return a finished report for display; raise ValueError if it has no result."""
    if report.result is None:
        raise ValueError(f"{report} has no result")
    result: Mapping[str, Any] = report.result
    tables = {table.slug: table for table in result_tables(result)}
    drawn = {figure.slug: figure for figure in named_figures(result)}
    said = report_findings(result)
    made_by = methods_text(result, project)
    sections = _sections(LAYOUTS.get(report.kind, ()), tables, drawn, result)
    return ReportPage(
        findings=said[:FINDINGS_SHOWN],
        further=said[FINDINGS_SHOWN:],
        sections=[
            replace(
                section,
                line=line_of(section.slug, result) or _titles(section),
                origin=_origin(report.kind, section.slug),
            )
            for section in sections
        ],
        methods=made_by,
        references=cited(made_by),
        result=result,
    )


def _titles(section: Section) -> Line:
    """Return the line of a section without one of its own: what it holds."""
    titles = [shown.named.title for shown in section.figures]
    titles += [shown.table.title for shown in section.tables]
    named = ", ".join(title for title in dict.fromkeys(titles) if title != section.title)
    rows = sum(shown.total for shown in section.tables)
    return Line(named, counted(rows, "row") if rows else "")


def register_origins() -> None:
    """Let galleries link back to reports and to the sections of their layouts."""
    for kind, title in Report.Kind.choices:
        register_origin(kind, Origin(title, "report", (kind,)))
        for place in LAYOUTS.get(kind, ()):
            name = _origin(kind, place.slug)
            register_origin(name, Origin(f"{title}: {place.title}", "report", (kind,), place.slug))
    register_origin("body-map", Origin("Body map", "body_map"))
    register_origin("prompts", Origin("Prompts", "report_prompts"))
    register_origin("disagreements", Origin("Largest disagreements", "disagreements"))


def _origin(kind: str, slug: str) -> str:
    """Return the name by which galleries link back to a section; outside the layouts, that of the report."""
    return f"{kind}.{slug}" if slug in {place.slug for place in LAYOUTS.get(kind, ())} else kind


def _sections(
    layout: Sequence[Arrangement],
    tables: dict[str, Table],
    drawn: dict[str, NamedFigure],
    result: Mapping[str, Any],
) -> list[Section]:
    placed = {name for place in layout for name in (*place.tables, *place.folded)}
    made = [_section(place, tables, drawn, result) for place in layout]
    rest = [_shown(table) for slug, table in tables.items() if slug not in placed]
    if not layout:
        return [
            Section(
                shown.table.slug,
                shown.table.title,
                figures=[_figure(one, tables) for slug, one in drawn.items() if _draws(slug, shown.table)],
                tables=[shown],
            )
            for shown in rest
        ]
    if rest:
        made.append(Section("further", "Further tables", tables=rest))
    return [section for section in made if section.figures or section.tables or section.part]


def _draws(slug: str, table: Table) -> bool:
    return slug.rpartition("-")[0] == table.slug


def _section(
    place: Arrangement, tables: dict[str, Table], drawn: dict[str, NamedFigure], result: Mapping[str, Any]
) -> Section:
    figures_here = [_figure(drawn[slug], tables) for slug in place.figures if slug in drawn]
    # A figure and a table may share a name; show each once.
    behind = [slug for slug in place.folded if slug in drawn and slug not in place.figures]
    figures_here += [_figure(drawn[slug], tables, folded=True) for slug in behind]
    tables_here = [_shown(tables[slug]) for slug in place.tables if slug in tables]
    tables_here += [_shown(tables[slug], folded=True) for slug in place.folded if slug in tables]
    part = place.part if place.part and _has_disagreements(result) else ""
    return Section(place.slug, place.title, figures_here, tables_here, part)


def _has_disagreements(result: Mapping[str, Any]) -> bool:
    return bool(rows_of(result, "disagreements"))


def _figure(named: NamedFigure, tables: dict[str, Table], *, folded: bool = False) -> ShownFigure:
    return ShownFigure(named, tables.get(TWINS.get(named.slug, "")), folded)


def _shown(table: Table, *, folded: bool = False) -> ShownTable:
    most, total = ROWS_FOLDED if folded else ROWS_SHOWN, len(table.rows)
    return ShownTable(table, most, folded or total > FOLDED_FROM, total)
