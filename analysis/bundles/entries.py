"""Column descriptions of the tables that only bundles have."""

from __future__ import annotations

from typing import Final

from analysis.exports.column_descriptions import ColumnDescription, of

PICTURES: Final = (
    of(
        "file",
        "path of the image in the bundle",
        "text, `images/….png`; empty if the bundle has only its hash",
    ),
    of("sha256", "SHA-256 of the image file", "64 hexadecimal digits"),
    of("format", "encoding", "`PNG`, `JPEG`, `WEBP`", only=("PNG", "JPEG", "WEBP")),
    ColumnDescription(
        ("width", "height"), "size after applying the EXIF orientation", "count from 1", "pixels", least=1
    ),
    of("prompt_group", "the group of the prompt", "text; empty if none"),
    of("source_name", "name of the imported file", "text"),
)
PLAN: Final = (
    of("sha256", "image, by the SHA-256 of its file", "64 hexadecimal digits"),
    of(
        "position",
        "position in the annotator's queue",
        "whole number from 1 in released batches; missing if reassigned to another annotator",
        least=0,
    ),
    of(
        "assignment",
        "status of the assignment",
        "`open`, `done`, `skipped`, `withdrawn`",
        only=("open", "done", "skipped", "withdrawn"),
    ),
    ColumnDescription(
        ("prompt_seen", "generator_seen"),
        "whether the annotators of the batch saw the prompt and the generator",
        "`shown`, `hidden`; `varied`: shown part of the time; `unknown`: imported, not stated",
        only=("shown", "hidden", "varied", "unknown"),
    ),
)
DICTIONARY: Final = (
    of("table", "file in `data/`, without extension", "text"),
    of("column", "the column's heading", "text"),
    of("type", "type of the values", "`string`, `integer`, `number`, `boolean`, `datetime`"),
    of("meaning", "meaning of the column", "text"),
    of("unit", "what is counted or measured", "text; empty without a unit"),
    of("values", "possible values, and when one is missing", "text"),
    of("tidy_name", "the column's name in an export with the tidy header", "text"),
)
