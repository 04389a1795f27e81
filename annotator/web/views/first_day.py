"""What somebody new is led through: whether they have opened a guideline, and how long each step takes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from django.http import HttpRequest

_READ: Final = "guidelines_read"
_STEP: Final = 300
"""Seconds; shorter ranges are not told apart."""
_READING: Final = (300, 600)
"""Seconds for the built-in guideline, at least and at most."""


def mark_read(request: HttpRequest, protocol: str) -> None:
    """Note in the session that a protocol's guideline was opened; written once."""
    if not has_read(request, protocol):
        request.session[_READ] = [*request.session.get(_READ, ()), protocol]


def has_read(request: HttpRequest, protocol: str) -> bool:
    """Tell whether a protocol's guideline was opened in this session."""
    return protocol in request.session.get(_READ, ())


def durations(images: Mapping[str, int], pace: tuple[int, int], *, reads: bool) -> dict[str, str]:
    """Return step → how long it takes in words, for its number of images at a pace in seconds per image.

    With `read` if it is still to be read, and with the sum as `all` of several; steps without images are left
    out.
    """
    times = {step: (count * pace[0], count * pace[1]) for step, count in images.items() if count > 0}
    if reads:
        times["read"] = _READING
    if len(times) > 1:
        # Of what is shown, so that the sum agrees with its parts.
        shown = [[_STEP * _steps(seconds) for seconds in time] for time in times.values()]
        times["all"] = (sum(least for least, _ in shown), sum(most for _, most in shown))
    return {step: in_words(*time) for step, time in times.items()}


def in_words(least: int, most: int) -> str:
    """Return a range of seconds in steps of five minutes, or of half an hour where it is long."""
    if most < 150:
        return "a few minutes"
    if most <= 90 * 60:
        low, high = (5 * _steps(seconds) for seconds in (least, most))
        return f"about {low} to {high} minutes" if low < high else f"about {high} minutes"
    low, high = (round(seconds / 1800) for seconds in (least, most))
    return f"about {_halves(low)} to {_halves(high)} hours" if low < high else f"about {_halves(high)} hours"


def _steps(seconds: int) -> int:
    return max(round(seconds / _STEP), 1)


def _halves(count: int) -> str:
    whole, half = divmod(count, 2)
    return f"{whole or ''}{'½' if half else ''}"
