"""The newest stored report as one line per number."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, takewhile
from typing import Any, Final

from analysis.exports.columns import ExportColumn, Kind, Line, Value, columns
from analysis.exports.source import ExportRefused, ExportSource
from analysis.models import Report
from analysis.reports.key_order import in_order
from analysis.reports.lifecycle import finished
from annotator.models.work import DEFAULT_PROTOCOL
from annotator.projects.protocols import protocols_of

REPORT_COLUMNS = (
    *columns(Kind.TEXT, "table", "of", "statistic"),
    *columns(Kind.NUMBER, "value", "low", "high"),
    *columns(Kind.INTEGER, "n_units", "n_coders"),
    *columns(Kind.TEXT, "computed_by", "method", "refused", "caution"),
    ExportColumn("computed_at"),
)
# Data of figures, counts and lists of images, which only the JSON has.
LEFT_OUT: Final = (
    "settings",
    "disagreements",
)
# Texts about numbers; all others are labels.
ABOUT: Final = ("computed_by", "method", "refused", "caution", "undefined", "formula", "level_of_measurement")
PEOPLE: Final = ("annotator", "annotators")
# Lists of texts that are labels: a pair, or the order of generators.
NAMES: Final = ("annotators", "order")
ROWS: Final = "rows"
TEXT: Final = "text"
BETWEEN: Final = " – "


def newest_report(project_id: int, kind: str, protocol: str = DEFAULT_PROTOCOL) -> Report:
    """Return the newest finished report with its result; raise ExportRefused if there is none."""
    report = finished(project_id, kind, protocol).first()
    if report is None:
        title = Report.Kind(kind).label
        several = len({*protocols_of(project_id), protocol}) > 1
        about = f" about the protocol {protocol}" if several else ""
        raise ExportRefused(
            f"The {title.lower()} report{about} was never computed. Open its page, then export again."
        )
    return report


@dataclass(frozen=True)
class _Place:
    """The position of a number in a result."""

    table: tuple[str, ...] = ()
    of: tuple[str, ...] = ()
    statistic: tuple[str, ...] = ()
    refused: str = ""


def report_lines(kind: str, reading: ExportSource) -> Iterator[Line]:
    """Yield the numbers of the newest report of a kind; raise ExportRefused if there is none."""
    report = newest_report(reading.project.pk, kind, reading.protocol)
    result = report.result or {}
    for row in result.get("answers", {}).get("not_counted", ()):
        reading.not_counted[row["reason"]] += row["count"]
    computed = f"{report.finished_at or report.created_at:%Y-%m-%dT%H:%M:%SZ}"
    lines = () if "tables" in result else _of_parts(result, reading)
    for line in chain(lines, _of_tables(result, reading)):
        yield [*line, computed]


def _of_tables(result: Mapping[str, Any], reading: ExportSource) -> Iterator[Line]:
    """Yield a line for each number of the tables, labelled by the texts that its row begins with."""
    for table in result.get("tables", ()):
        names = [each["name"] for each in takewhile(lambda each: each["kind"] == TEXT, table["columns"])]
        for row in table["rows"]:
            of = _labels(dict(zip(names, row, strict=False)), reading, about=())
            for column, value in zip(table["columns"], row, strict=True):
                if column["kind"] != TEXT:
                    found = value if isinstance(value, Mapping) else {"value": value}
                    yield _line(_Place((table["name"],), of, (column["name"],)), found, reading)


def _of_parts(result: Mapping[str, Any], reading: ExportSource) -> Iterator[Line]:
    for key, value in in_order(result).items():
        if key not in LEFT_OUT:
            yield from _walk(value, _Place(statistic=(key,)), reading)


def _walk(value: Any, place: _Place, reading: ExportSource) -> Iterator[Line]:
    if isinstance(value, Mapping):
        if "value" in value and "low" in value:
            yield _line(place, value, reading)
            return
        inside = replace(
            place, of=place.of + _labels(value, reading), refused=str(value.get("refused") or "")
        )
        for key, item in value.items():
            if key not in ABOUT and not isinstance(item, str):
                yield from _walk(item, replace(inside, statistic=(*place.statistic, key)), reading)
    elif isinstance(value, list):
        # A list begins a table, whose entries differ by their labels.
        table = (*place.table, *(step for step in place.statistic if step != ROWS))
        for item in value:
            if isinstance(item, Mapping):
                yield from _walk(item, replace(place, table=table, statistic=()), reading)
    elif value is None or isinstance(value, int | float):
        yield _line(place, {"value": value, "refused": place.refused if value is None else ""}, reading)


def _labels(value: Mapping[str, Any], reading: ExportSource, about: Sequence[str] = ABOUT) -> tuple[str, ...]:
    """Return the labels of an object: generator, pair of annotators, order of generators."""
    labels: list[str] = []
    for key, item in value.items():
        listed = item if key in NAMES and isinstance(item, list) else []
        texts = [item] if isinstance(item, str) else [text for text in listed if isinstance(text, str)]
        if key not in about:
            labels += [reading.name(text) for text in texts] if key in PEOPLE else texts
    return tuple(labels)


def _line(place: _Place, found: Mapping[str, Any], reading: ExportSource) -> Line:
    text = reading.dialect.text
    table, statistic = place.table or place.statistic[:1], place.statistic
    return [
        text(".".join(table)),
        text(BETWEEN.join(place.of)),
        text(".".join(statistic if place.table else statistic[1:]) or "value"),
        *(_number(found.get(key), reading) for key in ("value", "low", "high")),
        found.get("n_units"),
        found.get("n_coders"),
        text(found.get("computed_by") or ""),
        text(found.get("method") or ""),
        text(found.get("refused") or ""),
        text(found.get("caution") or ""),
    ]


def _number(value: float | None, reading: ExportSource) -> Value:
    return None if value is None else reading.dialect.number(*value.as_integer_ratio())
