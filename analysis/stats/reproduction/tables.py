"""Tables in Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def markdown_table(header: Sequence[str], rows: Iterable[Iterable[str]]) -> str:
    """Return a pipe table ending in a newline, with bars inside texts escaped."""
    lines = [_line(header), _line(["---"] * len(header)), *(_line(row) for row in rows)]
    return "\n".join(lines) + "\n"


def _line(texts: Iterable[str]) -> str:
    return "| " + " | ".join(text.replace("|", "\\|") for text in texts) + " |"
