"""References of a bundle as a table."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from analysis.bundles.rows import moment, safe_line
from analysis.bundles.source import CHUNK, BundleSource
from analysis.exports.column_descriptions import ColumnDescription, of
from analysis.exports.columns import ExportColumn, Kind, Line, columns
from analysis.exports.shared_columns import MODEL, NUMBER, PROMPT
from annotator.models import Reference
from annotator.protocols.registry import page_of
from annotator.training.references import components_of

REFERENCE_COLUMNS: Final = (
    ExportColumn("reference", Kind.INTEGER),
    *columns(Kind.TEXT, "sha256", MODEL, PROMPT),
    ExportColumn(NUMBER, Kind.INTEGER),
    ExportColumn("protocol"),
    ExportColumn("version", Kind.INTEGER),
    *columns(Kind.TEXT, "state", "origin", "component", "value", "rationale", "made_by", "made_at"),
)
REFERENCE_ENTRIES: Final[tuple[ColumnDescription, ...]] = (
    of("reference", "number of the reference in this bundle", "whole number from 1", least=1),
    of("sha256", "image, by the SHA-256 of its file", "64 hexadecimal digits"),
    of("protocol", "protocol of the annotation", "text, `anatomy`"),
    of("version", "version of the image's reference under the protocol", "whole number from 1", least=1),
    of(
        "state",
        "whether annotations are compared with it",
        "`active`, `retired`",
        only=tuple(Reference.Status.values),
    ),
    of(
        "origin",
        "where the values come from",
        "`adjudicated`, `imported`, `planted`, `normed`",
        only=tuple(Reference.Origin.values),
    ),
    of("component", "the marked or explained cell", "text, `missing.hands`; empty if there is none"),
    of(
        "value",
        "value of the cell",
        "text: `1/4c`, or `error` in presence; empty if not marked",
    ),
    of("rationale", "the lead's reason for the value", "text; empty without one"),
    of(
        "made_by",
        "the code of the lead who made it, or a [pseudonym](#pseudonyms)",
        "text; empty if a command made it",
    ),
    of("made_at", "when it was made", "`2026-03-01T09:30:00.000000Z`, always UTC", moment=True),
)


def reference_lines(source: BundleSource) -> Iterator[Line]:
    """Yield a line per marked or explained cell of every version, in stored order; one if there is none."""
    numbers = list(source.references.values_list("pk", flat=True))
    for start in range(0, len(numbers), CHUNK):
        chunk = Reference.objects.filter(pk__in=numbers[start : start + CHUNK]).order_by("pk")
        for place, row in enumerate(chunk.select_related("image", "made_by"), start + 1):
            image, maker = row.image, source.name(row.made_by.code) if row.made_by else ""
            named: Line = [place, image.sha256, image.generator, image.prompt, image.number]
            stated = [row.protocol, row.version, row.status, row.origin]
            form = page_of(row.protocol).settling([], stored=row.payload)
            for key in components_of(row) or [""]:
                value = form.text_of(row.payload, key) if key else ""
                told = [key, value, row.rationales.get(key, ""), maker, moment(row.made_at)]
                yield safe_line([*named, *stated, *told])
