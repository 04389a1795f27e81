"""The tables of a bundle: all layouts of all protocols, and tables that only bundles have."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from analysis.bundles.dictionary import DICTIONARY_COLUMNS, Described, described
from analysis.bundles.entries import DICTIONARY, PICTURES, PLAN
from analysis.bundles.messages import MESSAGE_COLUMNS, MESSAGES, message_lines
from analysis.bundles.source import BundleSource
from analysis.bundles.tables import (
    PICTURE_COLUMNS,
    PLAN_COLUMNS,
    as_csv,
    dictionary_lines,
    image_lines,
    plan_lines,
)
from analysis.exports.files import Export
from analysis.exports.formats.formats import FORMATS, SCRIPT
from analysis.exports.layout import Layout
from analysis.exports.registry import layouts_of


@dataclass(frozen=True)
class DataTable:
    """One table by its file name in `data/`; `made` returns the file in a format."""

    name: str
    title: str
    columns: Sequence[Described]
    made: Callable[[str], Iterable[bytes]]
    forms: tuple[str, ...] = ("csv",)
    script: str = ""

    def file(self, form: str) -> str:
        """Return the name of the table's file in a format."""
        return f"data/{self.name}.{self.script if form == SCRIPT else form}"


def data_tables(source: BundleSource, reported: Mapping[str, Collection[str]]) -> list[DataTable]:
    """Return the tables in name order, with the given report kinds of each protocol."""
    tables = [
        _of_layout(source, protocol, layout)
        for protocol in source.protocols
        for layout in layouts_of(protocol).values()
        if not layout.of_report or layout.slug in reported.get(protocol, ())
    ]
    pictures = described("pictures", PICTURE_COLUMNS, PICTURES)
    plan = described("plan", PLAN_COLUMNS, PLAN)
    tables += [
        DataTable("pictures", "Pictures", pictures, lambda _: as_csv(PICTURE_COLUMNS, image_lines(source))),
        DataTable("plan", "Plan", plan, lambda _: as_csv(PLAN_COLUMNS, plan_lines(source))),
    ]
    if source.has_messages:
        messages = described("questions", MESSAGE_COLUMNS, MESSAGES)
        tables.append(
            DataTable(
                "questions", "Questions", messages, lambda _: as_csv(MESSAGE_COLUMNS, message_lines(source))
            )
        )
    own = described("dictionary", DICTIONARY_COLUMNS, DICTIONARY)
    # Its own columns come last.
    listed = [*((one.name, one.columns) for one in _sorted(tables)), ("dictionary", own)]
    dictionary = DataTable(
        "dictionary",
        "Data dictionary",
        own,
        lambda _: as_csv(DICTIONARY_COLUMNS, dictionary_lines(listed)),
    )
    return _sorted([*tables, dictionary])


def _sorted(tables: Iterable[DataTable]) -> list[DataTable]:
    return sorted(tables, key=lambda table: table.name)


def _of_layout(source: BundleSource, protocol: str, layout: Layout) -> DataTable:
    return DataTable(
        source.named(protocol, layout.slug),
        source.titled(protocol, layout.title),
        described(layout.slug, layout.columns, layout.entries),
        partial(_export, source, protocol, layout),
        ("csv", *(["parquet"] if layout.in_parquet else []), *([SCRIPT] if layout.script else [])),
        layout.script.suffix if layout.script else "",
    )


def _export(source: BundleSource, protocol: str, layout: Layout, form: str) -> Iterable[bytes]:
    heard = 0

    def watch(read: int) -> None:
        nonlocal heard
        source.done(read - heard)
        heard = read

    hidden = source.request.hidden
    return Export(source.project, layout, FORMATS[form], protocol=protocol, hidden=hidden, watch=watch)
