"""CSV bytes and the files they end up in."""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Iterable, Iterator
from itertools import chain, islice
from pathlib import Path

from analysis.exports.layouts import Layout
from analysis.exports.rows import answer_rows
from annotator.models import Project

LINES_PER_PIECE = 200
# As in the published sheet: commas, quotes where needed, UTF-8 without a mark in front.
LINE_END = "\r\n"


class Export:
    """A project in a layout, as pieces of a CSV file; `lines` counts the rows below the heading so far."""

    def __init__(self, project: Project, layout: Layout) -> None:
        self._project = project
        self._layout = layout
        self.lines = 0

    def __iter__(self) -> Iterator[bytes]:
        """Yield the file in pieces of a few hundred lines; raises ValueError for unusable weights."""
        lines = chain([list(self._layout.columns)], self._counted())
        before = ""
        while piece := list(islice(lines, LINES_PER_PIECE)):
            # Line ends go between the lines, so that the last one may do without.
            yield (before + _as_csv(piece)).encode()
            before = LINE_END
        if self._layout.ends_last_line:
            yield LINE_END.encode()

    def _counted(self) -> Iterator[list[str]]:
        weights = self._project.exact_weights
        for row in answer_rows(self._project):
            for line in self._layout.lines(row, weights):
                self.lines += 1
                yield line


def _as_csv(lines: Iterable[list[str]]) -> str:
    buffer = io.StringIO(newline="")
    csv.writer(buffer, lineterminator=LINE_END).writerows(lines)
    return buffer.getvalue().removesuffix(LINE_END)


def write_whole(pieces: Iterable[bytes], path: Path) -> None:
    """Write the file so that it appears whole or not at all; replaces one that is there.

    Raises OSError, with no trace left, where it cannot be written.
    """
    partial = path.with_name(f".{path.name}.{os.getpid()}.partial")
    try:
        with partial.open("xb") as file:
            file.writelines(pieces)
            file.flush()
            os.fsync(file.fileno())
        partial.replace(path)
    except BaseException:
        partial.unlink(missing_ok=True)
        raise
