"""Draw figures in a separate process, one order at a time.

The renderer takes a second and 150 MB at first use, and a process that has drawn must not fork, so web and
worker processes never draw. Names inside a drawing depend on the order of requests, so the same requests give
the same bytes.
"""

from __future__ import annotations

import json
import struct
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Lock, Timer
from typing import Any, Final, Self

from analysis.figures.drawing import NothingToDraw, png, svg
from analysis.figures.figure import Figure

PATIENCE_SECONDS: Final = 20
LONGEST_SECONDS: Final = 40
ROOT: Final = Path(__file__).parents[2]

_ONE_AT_A_TIME = Lock()
_SIZE: Final = struct.Struct("<Q")


class NotDrawn(RuntimeError):
    """The figure was not drawn in time or failed."""


class Drawer:
    """Draws figures within a `with` block; the process starts with the first, and ends after `seconds`."""

    def __init__(self, seconds: float | None = None) -> None:
        self._seconds = seconds
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.communicate()

    def draw(self, figure: Figure, form: str) -> bytes:
        """Return a figure as SVG or PNG; raise NothingToDraw if it was refused, NotDrawn if that failed."""
        if figure.refused:
            raise NothingToDraw(figure.refused)
        names = ("slug", "title", "note", "description", "drawn", "view")
        described = {name: getattr(figure, name) for name in names}
        return self.carry_out({"figure": described, "form": form})

    def carry_out(self, order: dict[str, Any]) -> bytes:
        """Return what the process makes of an order; raise NotDrawn if it ends."""
        process = self._started()
        assert process.stdin is not None
        assert process.stdout is not None
        timer = Timer(self._seconds, process.kill) if self._seconds is not None else None
        try:
            if timer is not None:
                timer.start()
            text = json.dumps(order).encode()
            process.stdin.write(_SIZE.pack(len(text)) + text)
            process.stdin.flush()
            (size,) = _SIZE.unpack(process.stdout.read(_SIZE.size))
            drawn = process.stdout.read(size)
            if len(drawn) < size:
                raise OSError("cut short")
        except (OSError, struct.error) as error:
            raise NotDrawn("the figure could not be drawn") from error
        finally:
            if timer is not None:
                timer.cancel()
        return drawn

    def _started(self) -> subprocess.Popen[bytes]:
        if self._process is None:
            command = [sys.executable, "-m", "analysis.figures.drawing_process"]
            self._process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, cwd=ROOT
            )
        return self._process


def draw_in_child(figure: Figure, form: str) -> bytes:
    """Draw one figure for a page, as `Drawer.draw` does; raise NotDrawn if others take too long."""
    with _in_turn() as drawer:
        return drawer.draw(figure, form)


def png_in_child(drawn: str) -> bytes:
    """Return SVG as PNG; raise NotDrawn if that failed."""
    with _in_turn() as drawer:
        return drawer.carry_out({"svg": drawn, "form": "png"})


@contextmanager
def _in_turn() -> Iterator[Drawer]:
    if not _ONE_AT_A_TIME.acquire(timeout=PATIENCE_SECONDS):
        raise NotDrawn("other figures are being drawn")
    try:
        with Drawer(LONGEST_SECONDS) as drawer:
            yield drawer
    finally:
        _ONE_AT_A_TIME.release()


def _main() -> None:
    while head := sys.stdin.buffer.read(_SIZE.size):
        order = json.loads(sys.stdin.buffer.read(*_SIZE.unpack(head)))
        drawn = order["svg"] if "svg" in order else svg(Figure(**order["figure"]))
        made = png(drawn) if order["form"] == "png" else drawn.encode()
        sys.stdout.buffer.write(_SIZE.pack(len(made)) + made)
        sys.stdout.buffer.flush()


if __name__ == "__main__":
    _main()
