"""What Hypothesis draws: terms of a cell, loosely written cells, JSON values."""

from collections.abc import Callable
from typing import Any

from hypothesis import strategies as st

from scoring.grid.notation import LARGEST_COUNT, Term
from scoring.grid.taxonomy import SEVERITIES

fractions = st.integers(1, LARGEST_COUNT).flatmap(
    lambda total: st.tuples(st.integers(1, total), st.just(total))
)


def _terms(by_severity: dict[str, tuple[int, int]]) -> tuple[Term, ...]:
    return tuple(Term(*by_severity[severity], severity) for severity in SEVERITIES if severity in by_severity)


cells = st.dictionaries(st.sampled_from(SEVERITIES), fractions).map(_terms)
"""The terms of a well-formed cell in canonical order, possibly none."""

_blanks = st.text(" \t", max_size=2)


@st.composite
def loose_cells(draw: Callable[[st.SearchStrategy[Any]], Any]) -> tuple[str, tuple[Term, ...]]:
    """A cell as people write it (any order, blanks, upper case) and the terms it means."""
    terms = draw(cells)
    pieces = [
        "".join(
            f"{draw(_blanks)}{token}"
            for token in (
                term.affected,
                "/",
                term.total,
                draw(st.sampled_from([str.lower, str.upper]))(term.severity),
            )
        )
        + draw(_blanks)
        for term in draw(st.permutations(terms))
    ]
    return ",".join(pieces), terms


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
