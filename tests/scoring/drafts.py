"""Payloads to start from, what is wrong with them, and what Hypothesis draws."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import strategies as st

from scoring.anatomy.cleaning import clean
from scoring.grid.notation import LARGEST_COUNT, Term
from scoring.grid.taxonomy import SEVERITIES
from scoring.protocol import InvalidPayload

Cleaner = Callable[..., Any]
HANDS = "marks.configuration.hands"


def mark(affected: Any = 1, total: Any = None, severity: Any = "b", **changes: Any) -> dict[str, Any]:
    """A mark in Configuration · Hands, which is counted out of the visible hands."""
    return {
        "type": "configuration",
        "part": "hands",
        "severity": severity,
        "affected": affected,
        "total": total,
        "own_total": False,
        "pins": [],
        **changes,
    }


def payload(*marks: Any, hands: Any = None, **changes: Any) -> dict[str, Any]:
    """Marks and a count of visible hands, everything else as in an untouched draft."""
    return {
        "people": None,
        "counts": {"expected": {}, "visible": {} if hands is None else {"hands": hands}},
        "counts_set": {"expected": [], "visible": []},
        "marks": list(marks),
        "no_errors": False,
        "flag": None,
        "note": "",
        **changes,
    }


def refusals(
    given: object, *, complete: bool = False, by: Callable[..., Any] = clean
) -> dict[str, list[str]]:
    """The errors of a payload that must be refused."""
    with pytest.raises(InvalidPayload) as refused:
        by(given, complete=complete)
    return refused.value.errors


fractions = st.integers(1, LARGEST_COUNT).flatmap(
    lambda total: st.tuples(st.integers(1, total), st.just(total))
)


def _terms(by_severity: dict[str, tuple[int, int]]) -> tuple[Term, ...]:
    return tuple(Term(*by_severity[severity], severity) for severity in SEVERITIES if severity in by_severity)


cells = st.dictionaries(st.sampled_from(SEVERITIES), fractions).map(_terms)
"""The terms of a well-formed cell in canonical order, possibly none."""


json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.just(10**400)
    | st.floats()
    | st.text()
    | st.just("\ud800\0"),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=4),
    max_leaves=8,
)
