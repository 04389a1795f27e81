"""The layouts of protocols without their own, and their lines from the stored ratings of annotations.

Payloads are read only where there are no ratings.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction
from functools import lru_cache
from typing import Any, Final

from analysis.data.counting import NOTHING_READ
from analysis.exports.columns import Column, Kind, Line, Value, columns, one_of
from analysis.exports.image_rows import image_lines
from analysis.exports.layout import Layout
from analysis.exports.rows import PAYLOAD, RATINGS, AnnotationRow
from analysis.exports.shared_columns import (
    ANSWER_COLUMNS,
    AUTHOR_COLUMN,
    IMAGE_COLUMNS,
    ORIGIN_COLUMNS,
    TAG_COLUMNS,
    annotation_values,
    image_values,
    images_layout,
    origin_values,
    tag_values,
)
from analysis.exports.source import ExportRefused, ExportSource
from annotator.annotations.unreadable import annotations_without_numbers
from annotator.models import Annotation
from annotator.protocols.registry import PAGES
from annotator.protocols.sheet_format import SheetReader
from scoring.protocol import InvalidPayload, Payload, Protocol, Variable
from scoring.service import get_protocol

SUBMITTED: Final = Annotation.Status.SUBMITTED.value

Numbers = Sequence[Fraction | None]
"""One value per position in `Ratings.places`; None if the annotation lacks it."""

ZERO: Final = Fraction(0)
fraction: Final = lru_cache(maxsize=2**14)(Fraction)


class Ratings:
    """Reads annotations of one protocol, or of another that converts to it.

    `said` is the expression to read of each annotation. `places` are variable and component of each number,
    the headline first.
    """

    def __init__(self, reading: ExportSource) -> None:
        self.protocol = get_protocol(reading.protocol)
        self._settings = reading.project.exact_weights
        self._shown = self.protocol.shown_as.get(reading.source)
        self.said = RATINGS if self._shown is None else PAYLOAD
        unread = () if self._shown is None else annotations_without_numbers(reading.project)
        self._unread = {row.pk for row in unread}
        self.places = places_of(self.protocol)
        self._place = {place: number for number, place in enumerate(self.places)}
        self._untouched = [ZERO if component else None for _, component in self.places]
        optional = {variable.name for variable in self.protocol.variables if variable.optional}
        self._needed = [
            place
            for place, (name, component) in enumerate(self.places)
            if not component and name not in optional
        ]

    def is_read(self, row: AnnotationRow) -> bool:
        """Return whether any of an imported row was readable."""
        return row.pk not in self._unread

    def of(self, row: AnnotationRow) -> Sequence[Sequence[Any]] | None:
        """Return the ratings of an annotation; None if it is unreadable.

        Raise ExportRefused, naming the annotation, for a payload that is invalid under the protocol.
        """
        if self._shown is None:
            found: Sequence[Sequence[Any]] = row.said
            return found
        if not self.is_read(row):
            return None
        try:
            return self.made(row.said)
        except InvalidPayload as error:
            raise self._refused(row.pk, str(error)) from error

    def made(self, payload: Payload) -> Sequence[Sequence[Any]]:
        """Return the ratings of a complete payload; raise InvalidPayload."""
        return self.protocol.ratings(self.protocol.clean(self.shown(payload)), self._settings)

    def shown(self, payload: Payload) -> Payload:
        """Return a payload converted to the protocol of the file."""
        return payload if self._shown is None else self._shown(payload)

    def numbers(self, ratings: Iterable[Sequence[Any]] | None, pk: int) -> Numbers:
        """Return the numbers of an annotation's ratings: 0 for unrated components, None for optional ones.

        Raise ExportRefused, naming the annotation, for ratings of another protocol.
        """
        if ratings is None:
            return [None] * len(self.places)
        found = self._untouched.copy()
        for variable, component, value in ratings:
            place = self._place.get((variable, component))
            if place is None:
                raise self._refused(pk, f"it has no variable {variable!r} of {component!r}")
            found[place] = fraction(value)
        for place in self._needed:
            if found[place] is None:
                raise self._refused(pk, f"there is no value of {self.places[place][0]!r}")
        return found

    def _refused(self, pk: int, why: str) -> ExportRefused:
        return ExportRefused(
            f"Annotation {pk} cannot be exported under the protocol {self.protocol.slug}: {why}. Reopen it "
            "and submit it again."
        )


def places_of(protocol: Protocol) -> list[tuple[str, str]]:
    """Return variable and component of each number of an annotation, the headline first."""
    ordered = sorted(protocol.variables, key=lambda variable: not variable.headline)
    return [(one.name, component) for one in ordered for component in one.components or ("",)]


def scores_lines(reading: ExportSource) -> Iterator[Line]:
    """Yield every annotation; one of which nothing was read has no numbers."""
    ratings = Ratings(reading)
    for row in reading.rows(said=ratings.said):
        yield scores_line(row, ratings, reading)


def scores_line(row: AnnotationRow, ratings: Ratings, reading: ExportSource) -> Line:
    """Return the line of one annotation."""
    numbers = ratings.numbers(ratings.of(row), row.pk)
    about = (*tag_values(row.tags, reading), *annotation_values(row, reading), *origin_values(row, reading))
    return [*image_values(row, reading), *written(numbers, reading), *about]


def ratings_lines(reading: ExportSource) -> Iterator[Line]:
    """Yield every rating: the headline of each annotation and its non-zero components."""
    ratings, number = Ratings(reading), reading.dialect.number
    for row in reading.rows(said=ratings.said):
        found = ratings.of(row)
        if found is None:
            reading.not_counted[NOTHING_READ] += 1
            continue
        # Check against the protocol before writing a line.
        ratings.numbers(found, row.pk)
        image = image_values(row, reading)
        answer = [*annotation_values(row, reading), *origin_values(row, reading)]
        for variable, component, value in found:
            yield [*image, variable, component, number(*fraction(value).as_integer_ratio()), *answer]


def images_lines(reading: ExportSource) -> Iterator[Line]:
    """Yield the images that have annotations; see `image_lines`."""
    ratings = Ratings(reading)
    return image_lines(
        reading,
        ratings.is_read,
        ratings.said,
        lambda row: ratings.numbers(ratings.of(row), row.pk),
        lambda row, payload: ratings.numbers(ratings.made(payload), row.pk),
        lambda found: written(means_of(found, len(ratings.places)), reading),
    )


def means_of(rows: Sequence[Numbers], width: int) -> Numbers:
    """Return the exact mean of each position over the annotations that have it; None without values."""
    if len(rows) < 2:
        return rows[0] if rows else [None] * width
    return [_mean(values) for values in zip(*rows, strict=True)]


def _mean(values: Sequence[Fraction | None]) -> Fraction | None:
    if None in values:
        values = [value for value in values if value is not None]
    # Most components are 0 in all annotations.
    given = [value for value in values if value]
    return sum(given, ZERO) / len(values) if given else ZERO if values else None


def written(numbers: Sequence[Fraction | float | None], reading: ExportSource) -> list[Value]:
    """Return numbers as the file has them."""
    number, none = reading.dialect.number, reading.dialect.number(0, 1)
    return [
        None if value is None else number(*value.as_integer_ratio()) if value else none for value in numbers
    ]


def sheet_layouts(protocol: Protocol) -> tuple[Layout, ...]:
    """Return the importable layout `sheet`; nothing for a protocol without one that is written."""
    page = PAGES.get(protocol.slug)
    sheet = page.sheet if page else None
    if sheet is None or sheet.reader is None or sheet.reader.exported is None:
        return ()
    words, rows, meaning, shown = sheet.reader.exported
    headings, free = tuple(sheet.reader.write(protocol.empty())), free_texts(protocol)
    cells = columns(Kind.TEXT, *headings, meaning=meaning, values=sheet.rule, shown=shown)
    return (
        Layout(
            "sheet",
            "Sheet",
            words,
            rows,
            (*IMAGE_COLUMNS, *cells, AUTHOR_COLUMN),
            _lines(sheet.reader, free),
            one_header=True,
        ),
    )


def free_texts(protocol: Protocol) -> frozenset[str]:
    """Return the columns that may name people, whom pseudonyms hide: the texts of a form, and the note."""
    items = protocol.form["items"] if protocol.form else ()
    return frozenset({"note", *(item["name"] for item in items if item["kind"] == "text")})


def _lines(reader: SheetReader, free: frozenset[str]) -> Callable[[ExportSource], Iterator[Line]]:
    def lines(reading: ExportSource) -> Iterator[Line]:
        ratings, text = Ratings(reading), reading.dialect.text
        for row in reading.rows():
            if not ratings.is_read(row):
                reading.not_counted[NOTHING_READ] += 1
                continue
            cells = reader.write(ratings.shown(row.said))
            yield [
                *image_values(row, reading),
                *("" if reading.hidden and name in free else text(cell) for name, cell in cells.items()),
                text(reading.name(row.annotator)),
            ]

    return lines


def heading(variable: str, component: str) -> str:
    """Return the name of a number's column: `presence.extra.hands`."""
    return f"{variable}.{component}" if component else variable


def measure_columns(protocol: Protocol, *, of_images: bool) -> tuple[Column, ...]:
    """Return a column for each number of an annotation; enumerated ones are whole, but not their means."""
    variables = {variable.name: variable for variable in protocol.variables}
    return tuple(_measured(variables[place[0]], heading(*place), of_images) for place in places_of(protocol))


def _measured(variable: Variable, name: str, of_images: bool) -> Column:
    return Column(
        name,
        Kind.INTEGER if variable.values and not of_images else Kind.NUMBER,
        f"{variable.title[:1].lower()}{variable.title[1:]}",
        variable.value_domain,
        least=min(variable.values) if variable.values else None,
        shown=f"`{heading(variable.name, 'COMPONENT' if variable.components else '')}`",
    )


def ratings_columns(protocol: Protocol) -> tuple[Column, ...]:
    """Return the columns of a row per rating."""
    names = tuple(variable.name for variable in protocol.variables)
    return (
        *IMAGE_COLUMNS,
        one_of("variable", "what is measured", names),
        Column(
            "component",
            meaning="the component that is measured",
            values="text; empty where it is of the whole image",
        ),
        Column("value", Kind.NUMBER, "the number", "number; those of a component that are 0 have no row"),
        *ANSWER_COLUMNS,
        *ORIGIN_COLUMNS,
    )


def generic_layouts(protocol: Protocol) -> tuple[Layout, ...]:
    """Return `scores`, `ratings` and `images` with a protocol's columns.

    Raise ValueError if two columns would have the same name.
    """
    headline = protocol.headline.title.lower()
    numbers = measure_columns(protocol, of_images=False)
    return (
        Layout(
            "scores",
            "Scores",
            f"One row per annotation: {headline} and a column for each component of each measure.",
            f"one row per annotation: {headline}, every measure by component",
            (*IMAGE_COLUMNS, *numbers, *TAG_COLUMNS, *ANSWER_COLUMNS, *ORIGIN_COLUMNS),
            scores_lines,
            in_parquet=True,
            with_attributes=True,
        ),
        Layout(
            "ratings",
            "Ratings",
            "One row per rating: measure, component, value.",
            "one row per rating",
            ratings_columns(protocol),
            ratings_lines,
            in_parquet=True,
            with_attributes=True,
        ),
        images_layout(measure_columns(protocol, of_images=True), images_lines),
    )
