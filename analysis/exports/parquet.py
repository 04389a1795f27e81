"""Parquet, with one row group in memory. Imported only by workers and commands."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

import pyarrow as pa
import pyarrow.parquet as pq

from analysis.exports.columns import Column, Kind, Line
from analysis.exports.zipping import Sink

LINES_PER_GROUP = 5_000
TYPES = {Kind.TEXT: pa.string(), Kind.INTEGER: pa.int64(), Kind.NUMBER: pa.float64(), Kind.TRUTH: pa.bool_()}


def parquet(columns: tuple[Column, ...], lines: Iterator[Line]) -> Iterator[bytes]:
    """Yield the file in pieces; missing values are null."""
    schema = pa.schema([(column.name, TYPES[column.kind]) for column in columns])
    sink = Sink()
    with pq.ParquetWriter(sink, schema, compression="zstd", store_schema=False) as writer:
        while group := list(islice(lines, LINES_PER_GROUP)):
            values = zip(*group, strict=True)
            arrays = [pa.array(list(of), type=field.type) for of, field in zip(values, schema, strict=True)]
            writer.write_table(pa.Table.from_arrays(arrays, schema=schema))
            yield sink.take()
    yield sink.take()
