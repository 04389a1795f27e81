"""The context of a comparison's first screen: what the address asks for, and its links."""

from __future__ import annotations

from statistics import median
from typing import Any, Final
from urllib.parse import urlencode

from django.http import HttpRequest

from analysis.first_screen.screen import FirstScreen, first_screen
from analysis.home.quality_lines import quality_lines_of
from analysis.models import Report
from analysis.reports.overlaps import OVERLAP
from annotator.models import Project
from annotator.web.views.protocol_choice import PARAMETER, ChosenProtocol

SWAP: Final = "swap"
CHOOSE: Final = "choose"
MOST_SWAPPED: Final = 240
TIMED: Final = 20
"""Annotations with a known time that a typical time needs."""


def screen_context(
    request: HttpRequest,
    report: Report,
    project: Project,
    chosen: ChosenProtocol,
    unread: int,
    uncounted: int,
) -> dict[str, Any]:
    """Return the first screen of a comparison with its links; `screen` is None for any other report.

    `unread` annotations have terms that cannot be read; of `uncounted` others nothing can be read.
    """
    if report.kind != Report.Kind.COMPARISON:
        return {"screen": None}
    screen = first_screen(
        report,
        project,
        swapped=set(request.GET.getlist(SWAP)[:MOST_SWAPPED]),
        unreadable=unread,
        uncounted=uncounted,
        seconds=_typical_seconds(project, report.protocol),
    )
    if screen is None:
        return {"screen": None}
    asked = [(PARAMETER, chosen.slug)] if chosen.several else []
    if OVERLAP in request.GET:
        asked.append((OVERLAP, request.GET[OVERLAP]))
    return {
        "screen": screen,
        "choosing": CHOOSE in request.GET,
        "query": _query(screen, asked),
        "choose_query": _address([*_kept(screen, asked), (CHOOSE, "1")]),
        "swaps": _swaps(screen, asked),
    }


def _typical_seconds(project: Project, protocol: str) -> float | None:
    """Return the median over annotators of their median active time under a protocol, in seconds.

    From the newest quality report; None below `TIMED` annotations with a known time.
    """
    lines = [
        line
        for of_annotator in quality_lines_of([project]).values()
        for line in of_annotator
        if line.protocol == protocol and line.median_ms is not None
    ]
    if sum(line.timed for line in lines) < TIMED:
        return None
    return median(line.median_ms for line in lines if line.median_ms is not None) / 1000


def _kept(screen: FirstScreen, asked: list[tuple[str, str]]) -> list[tuple[str, str]]:
    return [*asked, *((SWAP, key) for key in screen.swapped)]


def _query(screen: FirstScreen, asked: list[tuple[str, str]]) -> str:
    return _address(_kept(screen, asked))


def _swaps(screen: FirstScreen, asked: list[tuple[str, str]]) -> dict[str, str]:
    """Return key of an image → the query string that swaps it, or swaps it back."""
    keys = [one.key for row in screen.rows for one in row.strip]
    kept = _kept(screen, asked)
    return {
        key: _address(
            [
                *([pair for pair in kept if pair != (SWAP, key)]),
                *([] if key in screen.swapped else [(SWAP, key)]),
                (CHOOSE, "1"),
            ]
        )
        for key in keys
    }


def _address(pairs: list[tuple[str, str]]) -> str:
    return f"?{urlencode(pairs)}" if pairs else "?"
