"""The lines of `scores` as CSV, assembled from cached texts."""

from __future__ import annotations

import marshal
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache, lru_cache
from typing import Any, Final

from django.db.models.fields.json import KeyTextTransform

from analysis.exports.anatomy.cells import PLACES, SCORE_COLUMNS
from analysis.exports.anatomy.overall import Population, Thresholds, thresholds
from analysis.exports.anatomy.scanning import Scanner
from analysis.exports.anatomy.scores import numbers, summed
from analysis.exports.anatomy.sums import ScoreSums
from analysis.exports.chunks import PAYLOAD, SUBMITTED_AT, TAGS, Row, decoded, utc
from analysis.exports.columns import CSV, as_text, csv_field, csv_fields
from analysis.exports.filters import Filters
from analysis.exports.identifying_columns import HEAD_FIELDS, head
from analysis.exports.shared_columns import tag_values
from analysis.exports.source import ExportSource
from annotator.annotations.unreadable import says_nothing
from annotator.models import Annotation
from scoring.formula_guard import guarded
from scoring.grid.taxonomy import CELLS, SEVERITIES

_ZEROS: Final = ["0"] * len(CELLS)
# Size of the cache: most sums repeat, and this many are small in memory.
_MOST_SUMS: Final = 2**14

PEOPLE: Final = KeyTextTransform("people", "payload")

_Mark = tuple[int, int, int, int, str]
"""Positions of cell and severity, score and error fraction in units, and the score as text."""

_Half = tuple[int, int, float | None, str, str]
"""Primary key, membership, score if submitted, and the line before and after its band."""


def scores_csv(reading: ExportSource) -> Iterator[list[str]]:
    """Yield the lines of `scores_lines` as CSV, a chunk at a time.

    Bands are known only after all annotations are read. If all are exported too, the lines wait in a
    temporary file, at a tenth of the cost of a second read.
    """
    halves = _halves(reading)
    if reading.filters != Filters():
        yield from _banded(halves, thresholds(reading), reading)
        return
    with tempfile.TemporaryFile() as file:
        population, sizes = Population(reading), []
        for chunk in halves:
            for pk, member, score, _, _ in chunk:
                if score is not None:
                    population.add(pk, member, score)
            sizes.append(file.write(marshal.dumps(chunk)))
        file.seek(0)
        # The file has no name, so no one else can write it.
        kept = (marshal.loads(file.read(size)) for size in sizes)  # noqa: S302
        yield from _banded(kept, population.thresholds(), reading)


def _banded(halves: Iterable[list[_Half]], bands: Thresholds, reading: ExportSource) -> Iterator[list[str]]:
    band, code = bands.band, reading.code
    for chunk in halves:
        yield [
            f"{before},{'' if score is None else band(code(member), score)},{after}"
            for _, member, score, before, after in chunk
        ]


def _halves(reading: ExportSource) -> Iterator[list[_Half]]:
    numbers_of = _numbers(reading)

    @cache
    def author(member: int) -> str:
        return csv_field(guarded(reading.name(reading.code(member))))

    @cache
    def batch(pk: int) -> str:
        return csv_field(guarded(reading.batch(pk)))

    @cache
    def ticked(tags: str | None) -> str:
        return csv_fields(tag_values(decoded(tags) if tags else (), reading))

    fields = ("status", "assignment__annotator_id", "assignment__batch_id", SUBMITTED_AT, PEOPLE, TAGS)
    ids = reading.image_ids
    for rows in reading.chunks((*fields, *HEAD_FIELDS, PAYLOAD)):
        chunk: list[_Half] = []
        for row, (cells, score) in zip(rows, numbers_of(rows), strict=True):
            pk, status, member, group, moment, people, tags, image, generator, prompt, number, _ = row
            begin = head(ids[image], generator, prompt, number)
            # SQLite has a text for JSON's null.
            counted = "" if people in (None, "null") else people
            after = f"{counted},{ticked(tags)},{batch(group)},{status},{utc(moment)},{author(member)}"
            chunk.append((pk, member, score, f"{begin},{cells}", after))
        yield chunk


def _numbers(reading: ExportSource) -> Callable[[list[Row]], Iterator[tuple[str, float | None]]]:
    """Return a function that yields the numbers of annotations as part of a line, and their scores."""
    sums = ScoreSums(reading.project.exact_weights)
    unit = sums.unit

    def taken(mark: Mapping[str, Any]) -> _Mark:
        severity, counts = mark["severity"], (mark["affected"], mark["total"])
        place = PLACES[mark["type"], mark["part"]]
        if mark["total"] is None:
            return place, 0, 0, 0, ""  # of a draft, which is handled separately
        score = sums.score(severity, *counts)
        return place, SEVERITIES.index(severity), score, sums.fraction(*counts), as_text(score, unit)

    scan = Scanner(taken).marks
    text = lru_cache(_MOST_SUMS)(lambda found: as_text(found, unit))

    def of_marks(marks: list[_Mark]) -> tuple[str, float]:
        texts, total, fractions = _ZEROS.copy(), 0, [0, 0, 0]
        again = []
        for place, severity, score, fraction, written in marks:
            total += score
            fractions[severity] += fraction
            if texts[place] != "0":
                again.append(place)
            texts[place] = written
        for place in again:
            texts[place] = text(sum(mark[2] for mark in marks if mark[0] == place))
        a, b, c = fractions
        return f"{','.join(texts)},{text(total)},{text(a)},{text(b)},{text(c)}", total / unit

    nothing = csv_fields(numbers([None] * len(SCORE_COLUMNS), unit, CSV))

    def of_rows(rows: list[Row]) -> Iterator[tuple[str, float | None]]:
        for row, marks in zip(rows, scan(row[-1] for row in rows), strict=True):
            if row[1] == Annotation.Status.SUBMITTED:
                # Without marks, or unreadable.
                missing = not marks and says_nothing(decoded(row[-1]))
                yield (nothing, None) if missing else of_marks(marks)
            else:
                found = summed(decoded(row[-1])["marks"], sums)
                yield csv_fields(numbers(found, unit, CSV)), None

    return of_rows
