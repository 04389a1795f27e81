"""The causes of disagreements that adjudications name: one row per cause of a component."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from itertools import groupby
from operator import attrgetter
from typing import Any, Final

from analysis.data.causes import NOT_RECORDED, guidelines_of
from analysis.data.ratings_table import settled
from analysis.exports.column_descriptions import ColumnDescription, of
from analysis.exports.columns import ExportColumn, Kind, Line, columns
from analysis.exports.layout import Layout
from analysis.exports.shared_columns import AUTHOR_COLUMN, IMAGE_COLUMNS, image_values
from analysis.exports.source import ExportSource
from annotator.models import Adjudication
from scoring.causes import CAUSES
from scoring.protocol import Protocol
from scoring.service import get_protocol

PROPOSED, CHANGED, NONE = "proposed", "changed", "none"
COLUMNS: Final = (
    *IMAGE_COLUMNS,
    *columns(Kind.TEXT, "component", "cause", "origin", "note", "guideline", "adjudicated_at"),
    ExportColumn("adjudicator"),
    AUTHOR_COLUMN,
)
_ORDER: Final = ("assignment__image_id", "assignment__annotator_id", "submitted_at", "pk")


def causes_layouts(protocol: Protocol) -> tuple[Layout, ...]:
    """Return the layout `causes`; nothing for a protocol without causes."""
    if not protocol.causes:
        return ()
    return (
        Layout(
            "causes",
            "Causes",
            "One row per cause of each cell that was adjudicated.",
            "one row per cause of each adjudicated component",
            COLUMNS,
            _entries(protocol),
            causes_lines,
            of_adjudications=True,
        ),
    )


def _entries(protocol: Protocol) -> tuple[ColumnDescription, ...]:
    offered = protocol.causes.offered if protocol.causes else ()
    return (
        of("component", "the component on which the annotations differed", "text; empty where none is named"),
        of(
            "cause",
            "why they differed; a component can have several",
            f"{', '.join(f'`{cause}`' for cause in CAUSES)}; `not_recorded` for an adjudication without "
            "causes, `none` for one of annotations that did not differ",
            only=(*offered, NOT_RECORDED, NONE),
        ),
        of(
            "origin",
            "whether the component’s causes are those proposed",
            "`proposed`, `changed` by the adjudicator; empty where no cause is named",
            only=(PROPOSED, CHANGED),
        ),
        of("note", "the adjudicator’s note on the component, such as what the guideline leaves open", "text"),
        of(
            "guideline",
            "the guideline’s versions under which the adjudicated annotations were made, joined by `; `",
            "text, `1.2`; empty without a published guideline, and for imports",
        ),
        of("adjudicated_at", "when the value was stored", "`2026-03-01T09:30:00Z`, UTC", moment=True),
        of("adjudicator", "the adjudicator’s code or pseudonym", "text"),
    )


def causes_lines(reading: ExportSource) -> Iterator[Line]:
    """Yield the causes of every adjudicated image that has matching annotations, by image and component.

    `Annotator` lists those whose matching annotations the image has.
    """
    decided = _decided(reading)
    versions = guidelines_of(decided.values())
    text = reading.dialect.text
    for image, found in groupby(reading.rows(_ORDER), key=attrgetter("image")):
        rows = list(found)
        row = decided.get(image)
        if row is None:
            continue
        names = sorted({reading.name(each.annotator) for each in rows})
        under = sorted({versions[pk] for pk, _ in row.settled_from if pk in versions})
        for component, cause, origin, note in _named(row):
            yield [
                *image_values(rows[0], reading),
                component,
                cause,
                origin,
                text(note),
                "; ".join(under),
                f"{row.decided_at:%Y-%m-%dT%H:%M:%SZ}",
                text(reading.name(row.decided_by.code)),
                text("; ".join(names)),
            ]


def _decided(reading: ExportSource) -> Mapping[int, Adjudication]:
    if not reading.filters.of_work:
        return {}
    rows = settled(reading.project, reading.source).select_related("decided_by").defer("payload", "ratings")
    return {row.image_id: row for row in rows.order_by("image_id")}


def _named(row: Adjudication) -> Iterable[tuple[str, str, str, str]]:
    """Return component, cause, origin and note of each row in the file."""
    if row.causes is None:
        return [("", NOT_RECORDED, "", "")]
    place = partial(_place, get_protocol(row.protocol))
    found = [
        (component, cause, PROPOSED if each["causes"] == each["proposed"] else CHANGED, _note(each))
        # Databases keep no order of keys.
        for component, each in sorted(row.causes.items(), key=lambda item: place(item[0]))
        for cause in each["causes"]
    ]
    return found or [("", NONE, "", "")]


def _place(protocol: Protocol, component: str) -> int:
    """Return the place of a component in published order; of its first part if it is measured in parts."""
    parts = (one for variable in protocol.variables for one in variable.components)
    named = (place for place, one in enumerate(parts) if f"{one}.".startswith(f"{component}."))
    return next(named, -1)


def _note(each: Mapping[str, Any]) -> str:
    return str(each.get("note", ""))
