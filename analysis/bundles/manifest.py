"""The manifest of a bundle: with it, an upload of the images names them as they were."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from analysis.bundles.rows import safe_line
from analysis.bundles.source import BundleSource, in_chunks
from analysis.bundles.tables import as_csv
from analysis.exports.columns import ExportColumn, Line
from scoring.formula_guard import guarded

MANIFEST: Final = "manifest.csv"
FIELDS: Final = ("file", "generator", "prompt", "number", "prompt_group")
"""The columns that an import reads; all others become attributes of the images."""


def manifest_lines(source: BundleSource) -> Iterator[bytes]:
    """Yield the table of the images whose file is in the bundle, in stored order, with their attributes."""
    attributes = [name for name in source.attributes if name not in FIELDS]
    headings = [ExportColumn(guarded(name)) for name in (*FIELDS, *attributes)]
    yield from as_csv(headings, _lines(source, attributes))


def _lines(source: BundleSource, attributes: list[str]) -> Iterator[Line]:
    rows = in_chunks(source.images, "pk", "sha256", "format", *FIELDS[1:], "attributes")
    for pk, sha256, form, *named, own in rows:
        if file := source.place_of(pk, sha256, form):
            yield safe_line([file, *named, *(own.get(name, "") for name in attributes)])
