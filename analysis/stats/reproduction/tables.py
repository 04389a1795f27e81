"""Tables in Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def markdown_table(header: Sequence[str], rows: Iterable[Iterable[str]]) -> str:
    """Return a pipe table ending in a newline, with bars inside texts escaped."""
    lines = [_line(header), _line(["---"] * len(header)), *(_line(row) for row in rows)]
    return "\n".join(lines) + "\n"


def _line(texts: Iterable[str]) -> str:
    return "| " + " | ".join(text.replace("|", "\\|") for text in texts) + " |"


def number(value: float | None, digits: int = 4) -> str:
    """Return a number with a true minus; a dash if there is none."""
    return "–" if value is None or value != value else signed(f"{value:.{digits}f}")


def signed(text: str) -> str:
    """Return the text of a number with a true minus."""
    return text.replace("-", "−")
