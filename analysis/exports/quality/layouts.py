"""Layouts for anchors and repeats: how well annotators agree with references, and with themselves."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Final

from analysis.data.quality import anchor_pairs, repeat_pairs
from analysis.exports.column_descriptions import ColumnDescription, of
from analysis.exports.columns import ExportColumn, Kind, Line, Value, columns
from analysis.exports.layout import Layout
from analysis.exports.shared_columns import AUTHOR_COLUMN, IMAGE_COLUMNS, image_values
from analysis.exports.source import ExportSource
from annotator.models import Assignment
from scoring.comparison import Verdict
from scoring.protocol import Protocol

_SUBMITTED_AT: Final = of(
    "submitted_at", "when the annotation was submitted", "`2026-03-01T09:30:00Z`, always UTC", moment=True
)
_ORDER: Final = ("submitted_at", "pk")
VERDICTS: Final[tuple[Verdict, ...]] = ("hit", "missed", "alone")
ANCHOR_COLUMNS: Final = (
    *IMAGE_COLUMNS,
    *columns(Kind.NUMBER, "value", "reference", "difference"),
    *columns(Kind.INTEGER, "reference_version", "hits", "missed", "alone"),
    *columns(Kind.TEXT, "batch", "submitted_at"),
    AUTHOR_COLUMN,
)
REPEAT_COLUMNS: Final = (
    *IMAGE_COLUMNS,
    *columns(Kind.NUMBER, "first", "again", "difference", "days_between"),
    ExportColumn("images_between", Kind.INTEGER),
    *columns(Kind.TEXT, "batch", "submitted_at"),
    AUTHOR_COLUMN,
)


def quality_layouts(protocol: Protocol) -> tuple[Layout, ...]:
    """Return `repeats`, and `anchors` for a protocol that can be compared with references."""
    repeats = Layout(
        "repeats",
        "Repeats",
        "One row per repeat: an image that one annotator annotated again, with both values.",
        "one row per image that the same annotator annotated again",
        REPEAT_COLUMNS,
        _repeat_entries(protocol),
        repeat_lines,
        purpose=Assignment.Purpose.REPEAT,
    )
    if not protocol.compare:
        return (repeats,)
    anchors = Layout(
        "anchors",
        "Anchors",
        "One row per anchor: an image with a reference among the work, compared with the reference.",
        "one row per annotation of an anchor, compared with the reference",
        ANCHOR_COLUMNS,
        _anchor_entries(protocol),
        anchor_lines,
        purpose=Assignment.Purpose.ANCHOR,
    )
    return (anchors, repeats)


def anchor_lines(reading: ExportSource) -> Iterator[Line]:
    """Yield the submitted anchors in the order of submission; those without a reference are not compared."""
    pairs = {one.annotation: one for one in anchor_pairs(reading.project, reading.source)}
    for row in reading.rows(_ORDER):
        pair = pairs.get(row.pk)
        compared = pair.compared if pair else None
        numbers = (pair.score, pair.reference, pair.score - pair.reference) if pair else (None,) * 3
        yield [
            *image_values(row, reading),
            *(_number(value, reading) for value in numbers),
            pair.version if pair else None,
            *(compared.count(verdict) if compared else None for verdict in VERDICTS),
            reading.dialect.text(row.batch),
            row.submitted_at,
            reading.dialect.text(reading.name(row.annotator)),
        ]


def repeat_lines(reading: ExportSource) -> Iterator[Line]:
    """Yield the submitted repeats in the order of submission, with the same annotator's annotation before."""
    pairs = {one.annotation: one for one in repeat_pairs(reading.project, reading.source)}
    for row in reading.rows(_ORDER):
        pair = pairs.get(row.pk)
        numbers = (pair.first, pair.again, pair.again - pair.first) if pair else (None,) * 3
        days = Fraction(round(pair.days * 1000), 1000) if pair else None
        yield [
            *image_values(row, reading),
            *(_number(value, reading) for value in (*numbers, days)),
            pair.between if pair else None,
            reading.dialect.text(row.batch),
            row.submitted_at,
            reading.dialect.text(reading.name(row.annotator)),
        ]


def _number(value: Fraction | None, reading: ExportSource) -> Value:
    return None if value is None else reading.dialect.number(*value.as_integer_ratio())


def _anchor_entries(protocol: Protocol) -> tuple[ColumnDescription, ...]:
    what = protocol.headline.title.lower()
    return (
        of("value", f"{what} of the annotation", "number"),
        of("reference", f"{what} of the reference in force now", "number; missing without a reference"),
        of("difference", "`value` minus `reference`", "number; missing without a reference"),
        of("reference_version", "version of the reference", "whole number from 1", least=1),
        of("hits", "cells that both mark", "count", least=0),
        of("missed", "cells that only the reference marks", "count", least=0),
        of("alone", "cells that only the annotation marks", "count", least=0),
        _SUBMITTED_AT,
    )


def _repeat_entries(protocol: Protocol) -> tuple[ColumnDescription, ...]:
    what = protocol.headline.title.lower()
    return (
        of("first", f"{what} of the earlier annotation", "number; missing if there is none"),
        of("again", f"{what} of the repeat", "number; missing without an earlier annotation"),
        of("difference", "`again` minus `first`", "number; missing without an earlier annotation"),
        of("days_between", "days from the earlier annotation to the repeat", "number", unit="days"),
        of(
            "images_between",
            "places in the queue from the earlier annotation to the repeat",
            "count; missing if they are in different batches",
            least=0,
        ),
        _SUBMITTED_AT,
    )
