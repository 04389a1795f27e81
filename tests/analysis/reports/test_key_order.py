"""The same keys in the same order, whatever the database."""

from __future__ import annotations

from analysis.reports.key_order import in_order


def test_keys_are_ordered_at_every_depth() -> None:
    mixed = {
        "settings": {"needed": 3, "width": 0.1},
        "tables": [{"rows": [[{"refused": None, "value": 0.5}]], "name": "pairs"}],
    }
    ordered = in_order(mixed)
    assert ordered == mixed
    assert list(ordered) == ["tables", "settings"]
    assert list(ordered["settings"]) == ["width", "needed"]
    assert list(ordered["tables"][0]) == ["name", "rows"]
    assert list(ordered["tables"][0]["rows"][0][0]) == ["value", "refused"]


def test_unknown_keys_come_last_by_name() -> None:
    assert list(in_order({"zebra": 1, "ant": 2, "tables": 3})) == ["tables", "ant", "zebra"]
