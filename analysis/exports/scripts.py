"""Scripts that fit a model to an exported file."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

from analysis.exports.layout import Script
from analysis.exports.source import ExportSource

_MODEL: Final = Path(__file__).with_name("model.R")


def mixed_model(score: str) -> Script:
    """Return the R script that fits the mixed model of the reports to the column `score` of `scores`."""
    return Script("R", _once(lambda: _MODEL.read_text(encoding="utf-8").replace("SCORE_COLUMN", score)))


def _once(text: Callable[[], str]) -> Callable[[ExportSource], Iterator[bytes]]:
    def pieces(_: ExportSource) -> Iterator[bytes]:
        yield text().encode()

    return pieces
