"""The causes of disagreements as tables: overall, by place, pair and generator, and by what they cost."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final, NamedTuple

from analysis.data.causes import RUNGS, NamedCauses, RecordedCauses
from analysis.tables.table import Heading, Table, TableCell, count, name
from scoring.causes import WORDS, Cause
from scoring.grid.taxonomy import BODY_PART_TITLES, CELL_BY_KEY, ERROR_TYPE_TITLES
from scoring.rounding import percent

SEVERAL: Final = "several"
LOST_AT: Final[Mapping[str, str]] = {
    "both": "Only one marked it",
    "same_affected": "Different number affected",
    "same_total": "Different total",
    "same_severity": "Different severity",
}
BETWEEN: Final = " – "


class _Counted(NamedTuple):
    """Components of one row: how many there are, and how many have each cause."""

    title: str
    cells: int
    causes: Counter[str]


def causes_tables(found: RecordedCauses, offered: Sequence[Cause]) -> list[Table]:
    """Return the tables in the order they are read; none without causes."""
    if not found.components:
        return []
    several = "A cell with several causes counts in each of their columns."
    places = [
        ("type", "By error type", "Error type", _titles(ERROR_TYPE_TITLES, 0)),
        ("part", "By body part", "Body part", _titles(BODY_PART_TITLES, 1)),
        ("generator", "By generator", "Generator", lambda component: [component.generator]),
        ("pair", "By pair of annotators", "Annotators", _pairs),
    ]
    tables = [_overall(found, offered)]
    for slug, title, heading, keys in places:
        if rows := _grouped(found.components, keys):
            words = f"Cells on which annotators differed, by cause. {several}"
            tables.append(_by_cause(slug, title, words, heading, rows, offered))
    return [*tables, *_loss(found, offered), *_by_version(found, offered)]


def _by_cause(
    slug: str, title: str, words: str, heading: str, rows: Iterable[_Counted], offered: Sequence[Cause]
) -> Table:
    """Return a table with a row for each of these, and a column for each cause."""
    columns = (Heading(heading), *map(_numeric, ("Cells", *(WORDS[cause].title for cause in offered))))
    lines = tuple(
        (name(row.title), *map(count, (row.cells, *(row.causes[cause] for cause in offered)))) for row in rows
    )
    return Table(slug, title, words, columns, lines)


def _numeric(title: str, hint: str = "") -> Heading:
    return Heading(title, True, hint)


def _overall(found: RecordedCauses, offered: Sequence[Cause]) -> Table:
    cells, rows = len(found.components), []
    for cause in offered:
        named = [component for component in found.components if cause in component.causes]
        changed = sum(component.changed for component in named)
        share = TableCell(f"{len(named) / cells:.1%}", numeric=True)
        numbers = count(len(named)), share, count(len(named) - changed), count(changed)
        rows.append((name(WORDS[cause].title), *numbers))
    words = (
        f"Of {cells:,} {'cell' if cells == 1 else 'cells'} on which annotators differed. Shares add up to "
        "more than 100% if cells have several causes."
    )
    columns = (
        Heading("Cause"),
        _numeric("Cells"),
        _numeric("Share", "of the cells that differed"),
        _numeric("As proposed", "cells whose causes are those proposed"),
        _numeric("Changed", "cells whose causes the adjudicator changed"),
    )
    return Table("causes", "Causes", words, columns, tuple(rows))


def _loss(found: RecordedCauses, offered: Sequence[Cause]) -> list[Table]:
    """Return where pairs of annotators lose agreement, by cause.

    A cell with several causes is not divided among them: nothing says how much each contributed.
    """
    lost: dict[str, list[NamedCauses]] = {rung: [] for rung in RUNGS}
    for component in found.components:
        for _, _, rung in component.pairs:
            lost[rung].append(component)
    entries = [
        _Counted(
            LOST_AT[rung],
            len(cells),
            Counter(component.causes[0] if len(component.causes) == 1 else SEVERAL for component in cells),
        )
        for rung, cells in lost.items()
        if cells
    ]
    if not entries:
        return []
    if len(entries) > 1:
        whole: Counter[str] = sum((entry.causes for entry in entries), Counter())
        entries.append(_Counted("All", sum(entry.cells for entry in entries), whole))
    words = (
        "The rung of the ladder of agreement at which two annotators lose a cell, by cause, with the share "
        "of the row. Cells with several causes have a column of their own, because their loss cannot be "
        "divided. Only adjudicated images count: if the largest disagreements were adjudicated, they do not "
        "represent the others."
    )
    titles = ("Cells of pairs", *(WORDS[cause].title for cause in offered), "Several causes")
    rows = tuple(
        (
            name(row.title),
            count(row.cells),
            *(_shared(row.causes[cause], row.cells) for cause in (*offered, SEVERAL)),
        )
        for row in entries
    )
    headings = (Heading("Lost"), *map(_numeric, titles))
    return [Table("loss", "What the causes cost", words, headings, rows)]


def _by_version(found: RecordedCauses, offered: Sequence[Cause]) -> list[Table]:
    """Return the causes by guideline version, if annotations were made under more than one."""
    if len({component.guideline for component in found.components}) < 2:
        return []
    rows = _grouped(found.components, lambda component: [component.guideline])
    rows.sort(key=lambda row: [int(part) for part in row.title.split(".")] if row.title else [0])
    titled = [row._replace(title=row.title or "none, or several") for row in rows]
    words = (
        "By the version of the guideline under which all annotations of the image were made, so that causes "
        "before and after a version can be compared. Images differ between versions."
    )
    title = "Before and after guideline versions"
    return [_by_cause("versions", title, words, "Guideline", titled, offered)]


def _shared(part: int, whole: int) -> TableCell:
    return TableCell(f"{part:,}", numeric=True, note=f"{percent(part / whole)}%" if part else "")


def _grouped(
    components: Iterable[NamedCauses], keys: Callable[[NamedCauses], Iterable[str]]
) -> list[_Counted]:
    """Return a row for each key, the one with most cells first."""
    cells: Counter[str] = Counter()
    causes: dict[str, Counter[str]] = {}
    for component in components:
        for key in keys(component):
            cells[key] += 1
            causes.setdefault(key, Counter()).update(component.causes)
    return [
        _Counted(key, number, causes[key])
        for key, number in sorted(cells.items(), key=lambda row: (-row[1], row[0]))
    ]


def _titles(titles: Mapping[str, str], place: int) -> Callable[[NamedCauses], list[str]]:
    """Return the function from a component to the title of its error type or body part, if it is a cell."""
    return lambda component: (
        [titles[component.component.split(".")[place]]] if component.component in CELL_BY_KEY else []
    )


def _pairs(one: NamedCauses) -> list[str]:
    return [f"{first}{BETWEEN}{second}" for first, second, _ in one.pairs]
