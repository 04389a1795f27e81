"""Draw many figures in a separate process, one request at a time.

As `analysis.figures.drawing_process` does for one: a process that has drawn must not fork, and its memory
ends with it. Names inside a drawing depend on the order of requests, so the same requests give the same
bytes.
"""

from __future__ import annotations

import json
import struct
import subprocess
import sys
from types import TracebackType
from typing import Final, Self

from analysis.figures.drawing import png, svg
from analysis.figures.drawing_process import ROOT, NotDrawn
from analysis.figures.figure import Figure

_SIZE: Final = struct.Struct("<Q")


class Drawer:
    """Draws figures within a `with` block; the process starts with the first figure."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.communicate()

    def draw(self, figure: Figure, form: str) -> bytes:
        """Return a figure as SVG or PNG; raise NotDrawn if the process ends."""
        told = {
            name: getattr(figure, name) for name in ("slug", "title", "note", "description", "drawn", "view")
        }
        order = json.dumps({"figure": told, "form": form}).encode()
        try:
            return _asked(self._started(), order)
        except (OSError, struct.error) as error:
            raise NotDrawn(f"the figure {figure.slug} could not be drawn") from error

    def _started(self) -> subprocess.Popen[bytes]:
        if self._process is None:
            command = [sys.executable, "-m", "analysis.bundles.drawing"]
            self._process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, cwd=ROOT
            )
        return self._process


def _asked(process: subprocess.Popen[bytes], order: bytes) -> bytes:
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(_SIZE.pack(len(order)) + order)
    process.stdin.flush()
    (size,) = _SIZE.unpack(process.stdout.read(_SIZE.size))
    drawn = process.stdout.read(size)
    if len(drawn) < size:
        raise OSError("cut short")
    return drawn


def _main() -> None:
    while head := sys.stdin.buffer.read(_SIZE.size):
        order = json.loads(sys.stdin.buffer.read(*_SIZE.unpack(head)))
        drawn = svg(Figure(**order["figure"]), "light")
        made = png(drawn) if order["form"] == "png" else drawn.encode()
        sys.stdout.buffer.write(_SIZE.pack(len(made)) + made)
        sys.stdout.buffer.flush()


if __name__ == "__main__":
    _main()
