"""Computations say how far they are, and stop where they are told to."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from analysis.protocols.anatomy.agreement import anatomy_agreement
from analysis.protocols.anatomy.comparison import anatomy_comparison
from analysis.stats.comparison.comparison import SECTIONS as COMPARISON
from analysis.stats.frames import RatingsFrame
from analysis.stats.generic.agreement import SECTIONS as AGREEMENT
from analysis.stats.steps import Sections
from tests.analysis.stats.conftest import scored

REPORTS = [anatomy_agreement, anatomy_comparison]
SECTIONS = [AGREEMENT, COMPARISON]


@pytest.fixture
def study_like() -> RatingsFrame:
    """Three annotators who judge eight images each."""
    return scored({f"ann{k}": {image: f"{(image * k) % 5}/4" for image in range(8)} for k in (1, 2, 3)})


class Stopped(Exception):
    """Whoever listens has heard enough."""


@pytest.mark.parametrize(("report", "sections"), list(zip(REPORTS, SECTIONS, strict=True)))
def test_sections_are_told_in_order_up_to_the_end(
    report: Callable[..., Any], sections: int, study_like: RatingsFrame
) -> None:
    shares: list[float] = []
    told = report(study_like, lambda done, total: shares.append(done / total))
    assert shares == sorted(shares)
    assert (shares[-1], len(set(shares)) >= sections) == (1.0, True)
    assert told == report(study_like)


@pytest.mark.parametrize("report", REPORTS)
def test_what_a_listener_raises_ends_the_computation(
    report: Callable[..., Any], study_like: RatingsFrame
) -> None:
    def stop(done: int, total: int) -> None:
        raise Stopped

    with pytest.raises(Stopped):
        report(study_like, stop)


def test_pieces_lie_within_their_section() -> None:
    heard: list[tuple[int, int]] = []
    section = Sections(lambda done, total: heard.append((done, total)), 4)
    assert section("made") == "made"
    section.within(1, 2)
    section(None)
    assert heard == [(1, 4), (3, 8), (2, 4)]


def test_nobody_has_to_listen() -> None:
    section = Sections(None, 1)
    section.within(1, 2)
    assert section(3) == 3
