"""The figures of a run as tables."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from benchmarks.load.walk import BARE_INSERT, BARE_VIEW, NEXT, PICTURE, SAVE, SUBMIT

SHOWN = (NEXT, SAVE, SUBMIT, PICTURE, BARE_VIEW, BARE_INSERT)
PARTS = ("web", "postgres", "proxy", "worker", "beat", "redis")


def latencies(found: Iterable[dict[str, Any]]) -> str:
    """Return milliseconds of each kind of request in each phase, and errors."""
    rows = [
        (
            measured["phase"],
            f"{measured['annotators']}",
            kind,
            f"{measured['kinds'][kind]['count']:,}",
            *(f"{measured['kinds'][kind][part]:.1f}" for part in ("p50", "p95", "p99", "max")),
            f"{measured['failed']}",
        )
        for measured in found
        for kind in SHOWN
        if kind in measured["kinds"]
    ]
    return _table(("phase", "annotators", "request", "count", "p50", "p95", "p99", "max", "errors"), rows)


def throughput(found: Iterable[dict[str, Any]]) -> str:
    """Return requests and submissions a second, and milliseconds of the processor for one request."""
    rows = []
    for measured in found:
        total, seconds = requests(measured), measured["seconds"]
        spent = {**measured["server"], "clients": measured["cpu"]}
        rows.append(
            (
                measured["phase"],
                f"{measured['annotators']}",
                f"{total / seconds:.1f}",
                f"{submissions(measured) / seconds:.1f}",
                *(f"{1000 * spent[part] / total:.2f}" for part in (*PARTS, "clients")),
                f"{sum(spent.values()) / seconds:.2f}",
                f"{measured['cpu'] / seconds:.2f}",
            )
        )
    heads = ("phase", "annotators", "requests/s", "submits/s", *PARTS, "clients", "cores used", "by clients")
    return _table(heads, rows)


def requests(measured: dict[str, Any]) -> int:
    """Return the number of requests in a phase."""
    return sum(int(kind["count"]) for kind in measured["kinds"].values())


def submissions(measured: dict[str, Any]) -> int:
    """Return the number of acknowledged submissions in a phase."""
    return int(measured["kinds"].get(SUBMIT, {}).get("count", 0))


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    widths = [max(len(row[place]) for row in (heads, *rows)) for place in range(len(heads))]
    return "\n".join(
        " | ".join(
            text.ljust(width) if place == 0 else text.rjust(width)
            for place, (text, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in (heads, *rows)
    )
