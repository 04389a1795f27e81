"""The same keys in the same order, whatever the database."""

from __future__ import annotations

from analysis.reports.key_order import in_order


def test_keys_are_ordered_at_every_depth() -> None:
    mixed = {
        "pooled": {"cells": {"refused": None, "value": 0.5}},
        "pairs": [{"images": 1, "annotators": []}],
    }
    ordered = in_order(mixed)
    assert ordered == mixed
    assert list(ordered) == ["pairs", "pooled"]
    assert list(ordered["pairs"][0]) == ["annotators", "images"]
    assert list(ordered["pooled"]["cells"]) == ["value", "refused"]


def test_unknown_keys_come_last_by_name() -> None:
    assert list(in_order({"zebra": 1, "ant": 2, "pooled": 3})) == ["pooled", "ant", "zebra"]
