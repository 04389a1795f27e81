"""Generators under other weights, worked out by hand."""

from __future__ import annotations

from typing import Any

from analysis.tables.comparison.other_weights import weighed

# alpha has many mild errors, beta few severe ones: with a = 0.2, 1.0 against 0.5.
FOUND: dict[str, Any] = {
    "weights": {"a": 0.2, "b": 0.5, "c": 1.0},
    "generators": [
        {"generator": "alpha", "severity": {"a": 2.0, "b": 0.0, "c": 0.0}},
        {"generator": "beta", "severity": {"a": 0.0, "b": 0.0, "c": 0.5}},
    ],
    "ranking": ["alpha", "beta"],
    "pairs": [{"a": "alpha", "b": "beta", "always": False}],
}


def test_the_weights_of_the_report() -> None:
    found = weighed(FOUND, FOUND["weights"])
    assert [[cell.text for cell in row] for row in found.table.rows] == [
        ["alpha", "0.40", "1", "1"],
        ["beta", "0.50", "2", "2"],
    ]
    assert not found.changed
    assert found.verdict == "The order is the same as with the report's weights (0.20, 0.50, 1.00)."
    # 2a = 0.5c: at a = 0.25, or at c = 0.8.
    assert found.tips == (
        "alpha and beta swap places with mild at 0.25, or severe at 0.80, the others unchanged.",
    )


def test_weights_that_turn_the_order() -> None:
    found = weighed(FOUND, {"a": 0.5, "b": 0.5, "c": 1.0})
    assert [row[0].text for row in found.table.rows] == ["beta", "alpha"]
    assert found.changed
    assert found.verdict == (
        "The order differs from that of the report's weights (0.20, 0.50, 1.00): alpha, beta."
    )
    # At a = 0.25 again; c would have to be 2.
    assert found.tips == (
        "beta and alpha swap places with mild at 0.25, or severe at 2.00, the others unchanged.",
    )


def test_an_order_that_never_changes() -> None:
    always = {**FOUND, "pairs": [{"a": "alpha", "b": "beta", "always": True}]}
    assert weighed(always, FOUND["weights"]).tips == (
        "alpha stays ahead of beta for all weights with mild ≤ moderate ≤ severe.",
    )


def test_what_is_equal_is_said_to_be() -> None:
    same = {"a": 1.0, "b": 0.0, "c": 0.5}
    tied = {
        **FOUND,
        "generators": [{"generator": name, "severity": same} for name in ("alpha", "beta")],
        "pairs": [{"a": "alpha", "b": "beta", "always": True}],
    }
    assert weighed(tied, FOUND["weights"]).tips == ("alpha and beta are equal under all weights.",)
