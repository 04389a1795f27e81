"""A report for display: findings, sections of figures and tables, then methods.

The layout lists every figure and table; others come last, so that results of other versions are complete.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any, Final, NamedTuple

from django.urls import reverse

from analysis.figures.data_table import figure_table
from analysis.figures.figure import Figure
from analysis.figures.generic import NamedFigure, named_figures
from analysis.figures.size import Size, size_of
from analysis.models import Report
from analysis.stats.generic.tables import rows_of, slug_of
from analysis.tables.exclusions import TITLE, counted_rows
from analysis.tables.generic import is_published, report_findings, result_tables
from analysis.tables.links import linked_rows
from analysis.tables.listed import Line, line_of
from analysis.tables.methods import cited
from analysis.tables.project_methods import methods_text
from analysis.tables.table import Table
from analysis.tables.wording import Finding, counted
from annotator.gallery.filters import ORIGINS
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

    `part` names what else is inside: disagreements.
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
        Arrangement("correlations", "Correlations", tables=("correlations",)),
        Arrangement("pairs", "Pair by pair", figures=("pair-alphas",), tables=("pairs",)),
        Arrangement(
            "parts",
            "Error types and body parts",
            figures=("cell-alphas",),
            tables=("by_error_type", "by_body_part"),
            folded=("by_cell",),
        ),
        Arrangement(
            "decisions", "Decisions", tables=("decisions", "verdicts", "control"), folded=("outdated",)
        ),
        Arrangement("votes", "Votes", tables=("votes", "kept", "united")),
        Arrangement("models", "Descriptions by model", tables=("models",)),
        Arrangement("overlaps", "Overlap of regions", tables=("overlaps", "parts", "without_defect")),
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
        Arrangement("described", "Descriptions by models", tables=("judges", "detected")),
        Arrangement("items", "Items", tables=("items",), folded=("item_differences",)),
        Arrangement(
            "errors",
            "Where the errors are",
            figures=("cells-map", "error_types-shares", "body_parts-shares"),
            tables=("error_types", "body_parts"),
            folded=("cells", "generator_parts"),
        ),
        Arrangement("components", "Components", figures=("components-heat",), folded=("components",)),
        Arrangement("consolidation", "Consolidation", tables=("outcomes", "classes", "rules", "reliability")),
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


class Place(NamedTuple):
    """A figure or table as its result declares it, with the number of rows of a table.

    One `behind` the others is collapsed or drawn when opened.
    """

    slug: str
    title: str
    rows: int = 0
    behind: bool = False


@dataclass(frozen=True)
class Section:
    """One part of the page, folded; `line` is its result while it is. Galleries link back to its `origin`.

    A page names what is inside, and makes it from the `result` when it is opened.
    """

    slug: str
    title: str
    drawn: Sequence[Place] = ()
    listed: Sequence[Place] = ()
    part: str = ""
    line: Line = NO_LINE
    origin: str = ""
    result: Mapping[str, Any] = field(default_factory=dict)

    @property
    def contents(self) -> list[tuple[str, str]]:
        """Return the address in the page and the title of each figure and table; the section has its own."""
        drawn = [(f"figure-{place.slug}", f"Figure: {place.title}") for place in self.drawn]
        return [*drawn, *((place.slug, place.title) for place in self.listed if place.slug != self.slug)]

    @cached_property
    def figures(self) -> list[ShownFigure]:
        """Return the figures."""
        named = {figure.slug: figure for figure in named_figures(self.result)} if self.drawn else {}
        return [
            ShownFigure(named[place.slug], self._made.get(TWINS.get(place.slug, "")), place.behind)
            for place in self.drawn
        ]

    @cached_property
    def tables(self) -> list[ShownTable]:
        """Return the tables."""
        return [
            ShownTable(
                self._made[place.slug],
                ROWS_FOLDED if place.behind else ROWS_SHOWN,
                place.behind or place.rows > FOLDED_FROM,
                place.rows,
            )
            for place in self.listed
        ]

    @cached_property
    def _made(self) -> dict[str, Table]:
        return {table.slug: table for table in result_tables(self.result)}


METHODS: Final = Section(
    "methods",
    "Methods",
    part="methods",
    line=Line("Unit, intervals, tests, corrections, versions: a paragraph to copy"),
)


@dataclass(frozen=True)
class ReportPage:
    """A whole report of this `kind`; each part is made when it is shown."""

    kind: str
    result: Mapping[str, Any]
    project: Project

    @cached_property
    def _found(self) -> Sequence[Finding]:
        return report_findings(self.result)

    @property
    def findings(self) -> Sequence[Finding]:
        """Return the first findings."""
        return self._found[:FINDINGS_SHOWN]

    @property
    def further(self) -> Sequence[Finding]:
        """Return the other findings."""
        return self._found[FINDINGS_SHOWN:]

    @cached_property
    def methods(self) -> str:
        """Return the methods paragraph; empty for a report that no publication has."""
        return methods_text(self.result, self.project)

    @property
    def references(self) -> Sequence[str]:
        """Return the sources that the methods cite."""
        return cited(self.methods)

    @cached_property
    def sections(self) -> Sequence[Section]:
        """Return the sections, folded."""
        layout = LAYOUTS.get(self.kind, ())
        origins = {place.slug: f"{self.kind}.{place.slug}" for place in layout}
        made = [
            replace(
                section,
                line=line_of(section.slug, self.result) or _titles(section),
                origin=origins.get(section.slug, self.kind),
                result=self.result,
            )
            for section in _sections(layout, self.result)
        ]
        return [*made, METHODS] if is_published(self.result) else made


def page_of_report(report: Report, project: Project) -> ReportPage:
    """Return a finished report for display; raise ValueError if it has no result."""
    if report.result is None:
        raise ValueError(f"{report} has no result")
    return ReportPage(report.kind, report.result, project)


def _titles(section: Section) -> Line:
    """Return the line of a section without one of its own: what it holds."""
    titles = [place.title for place in (*section.drawn, *section.listed)]
    named = ", ".join(title for title in dict.fromkeys(titles) if title != section.title)
    rows = sum(place.rows for place in section.listed)
    return Line(named, counted(rows, "row") if rows else "")


def register_origins() -> None:
    """Let galleries link back to reports and to the sections of their layouts."""
    for kind, title in Report.Kind.choices:
        ORIGINS[kind] = (title, partial(_address, "report", kind))
        for place in LAYOUTS.get(kind, ()):
            address = partial(_address, "report", kind, place=place.slug)
            ORIGINS[f"{kind}.{place.slug}"] = (f"{title}: {place.title}", address)
    ORIGINS["body-map"] = ("Body map", partial(_address, "body_map"))
    ORIGINS["prompts"] = ("Prompts", partial(_address, "report_prompts"))
    ORIGINS["disagreements"] = ("Largest disagreements", partial(_address, "disagreements"))


def _address(name: str, *arguments: str, place: str = "") -> str:
    """Return the address of a page of a project, whose slug is the last argument."""
    *others, slug = arguments
    return reverse(name, args=[slug, *others]) + (f"#{place}" if place else "")


def _sections(layout: Sequence[Arrangement], result: Mapping[str, Any]) -> list[Section]:
    drawn = {slug_of(figure): Place(slug_of(figure), figure["title"]) for figure in result["figures"]}
    tables = {
        table["name"]: Place(table["name"], table["title"], len(table["rows"])) for table in result["tables"]
    }
    if rows := counted_rows(result):
        tables["answers"] = Place("answers", TITLE, len(rows))
    placed = {name for place in layout for name in (*place.tables, *place.folded)}
    rest = [place for slug, place in tables.items() if slug not in placed]
    if not layout:
        return [
            Section(
                place.slug,
                place.title,
                drawn=[figure for slug, figure in drawn.items() if slug.rpartition("-")[0] == place.slug],
                listed=[place],
            )
            for place in rest
        ]
    made = [_section(place, drawn, tables, result) for place in layout]
    if rest:
        made.append(Section("further", "Further tables", listed=rest))
    return [section for section in made if section.drawn or section.listed or section.part]


def _section(
    place: Arrangement, drawn: Mapping[str, Place], tables: Mapping[str, Place], result: Mapping[str, Any]
) -> Section:
    # A figure and a table may share a name; show each once.
    behind = [slug for slug in place.folded if slug in drawn and slug not in place.figures]
    figures = [drawn[slug] for slug in place.figures if slug in drawn]
    figures += [drawn[slug]._replace(behind=True) for slug in behind]
    listed = [tables[slug] for slug in place.tables if slug in tables]
    listed += [tables[slug]._replace(behind=True) for slug in place.folded if slug in tables]
    part = place.part if place.part and rows_of(result, "disagreements") else ""
    return Section(place.slug, place.title, figures, listed, part)
