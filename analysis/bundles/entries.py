"""Column descriptions of the tables that only bundles have."""

from __future__ import annotations

from typing import Final

from analysis.exports.entries import ColumnDescription, of

PICTURES: Final = (
    of(
        "file",
        "where the picture lies in the bundle",
        "text, `images/….png`; empty where only its hash is in it",
    ),
    of("sha256", "hash of the picture's file", "64 hexadecimal digits"),
    of("format", "how it is encoded", "`PNG`, `JPEG`, `WEBP`", only=("PNG", "JPEG", "WEBP")),
    ColumnDescription(("width", "height"), "its size, upright", "count from 1", "pixels", least=1),
    of("prompt_group", "the group of the prompt", "text; empty where it has none"),
    of("source_name", "the name of the file that was imported", "text"),
)
PLAN: Final = (
    of("sha256", "the image, by the hash of its file", "64 hexadecimal digits"),
    of(
        "position",
        "the place in the annotator's queue",
        "whole number from 1 in released batches; missing where it was given to somebody else",
        least=0,
    ),
    of(
        "assignment",
        "where it stands",
        "`open`, `done`, `skipped`, `withdrawn`",
        only=("open", "done", "skipped", "withdrawn"),
    ),
    ColumnDescription(
        ("prompt_seen", "generator_seen"),
        "whether the annotators of the batch saw the prompt, and the generator",
        "`shown`, `hidden`; `varied`: shown for part of the time; `unknown`: imported, and nobody has said",
        only=("shown", "hidden", "varied", "unknown"),
    ),
)
DICTIONARY: Final = (
    of("table", "the file in `data/`, without its ending", "text"),
    of("column", "the column's heading", "text"),
    of("type", "what its values are", "`string`, `integer`, `number`, `boolean`, `datetime`"),
    of("meaning", "what it says", "text"),
    of("unit", "what is counted or measured", "text; empty without a unit"),
    of("values", "which values occur, and when one is missing", "text"),
)
