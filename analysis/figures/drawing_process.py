"""Draw one figure in a separate process, for a page.

The renderer takes a second and 150 MB at first use, and a process that has drawn must not fork, so web
processes never draw. One drawing runs at a time; requests that wait too long are refused.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from threading import Lock
from typing import Any, Final

from analysis.figures.drawing import NothingToDraw, png, svg
from analysis.figures.figure import Figure

PATIENCE_SECONDS: Final = 20
LONGEST_SECONDS: Final = 40
ROOT: Final = Path(__file__).parents[2]

_ONE_AT_A_TIME = Lock()


class NotDrawn(RuntimeError):
    """The figure was not drawn in time or failed."""


def draw_in_child(figure: Figure, form: str, look: str = "light") -> bytes:
    """Return a figure as SVG or PNG; raise NothingToDraw if it was refused, NotDrawn if drawing failed."""
    if figure.refused:
        raise NothingToDraw(figure.refused)
    return _in_turn({"figure": _described(figure), "form": form, "look": look})


def png_in_child(drawn: str) -> bytes:
    """Return SVG as PNG; raise NotDrawn if that failed."""
    return _in_turn({"svg": drawn, "form": "png"})


def _in_turn(order: dict[str, Any]) -> bytes:
    if not _ONE_AT_A_TIME.acquire(timeout=PATIENCE_SECONDS):
        raise NotDrawn("other figures are being drawn")
    try:
        return _run(json.dumps(order))
    finally:
        _ONE_AT_A_TIME.release()


def _described(figure: Figure) -> dict[str, Any]:
    names = ("slug", "title", "note", "description", "drawn", "view")
    return {name: getattr(figure, name) for name in names}


def _run(order: str) -> bytes:
    command = [sys.executable, "-m", "analysis.figures.drawing_process"]
    try:
        done = subprocess.run(
            command, input=order.encode(), capture_output=True, cwd=ROOT, timeout=LONGEST_SECONDS, check=True
        )
    except (subprocess.TimeoutExpired, subprocess.CalledProcessError) as error:
        raise NotDrawn("the figure could not be drawn") from error
    return done.stdout


def _main() -> None:
    order = json.load(sys.stdin)
    drawn = order["svg"] if "svg" in order else svg(Figure(**order["figure"]), order["look"])
    sys.stdout.buffer.write(png(drawn) if order["form"] == "png" else drawn.encode())


if __name__ == "__main__":
    _main()
