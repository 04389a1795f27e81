"""Payloads to start from, and what is wrong with them."""

from typing import Any

import pytest

from scoring.anatomy.cleaning import clean
from scoring.protocol import InvalidPayload

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


def refusals(given: object, *, complete: bool = False) -> dict[str, list[str]]:
    """The errors of a payload that must be refused."""
    with pytest.raises(InvalidPayload) as refused:
        clean(given, complete=complete)
    return refused.value.errors
