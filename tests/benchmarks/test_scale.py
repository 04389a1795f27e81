"""docs/explanation/scale.md and the sizing table agree with the measurements."""

from __future__ import annotations

import json

import pytest

from benchmarks.load.costs import Costs
from benchmarks.load.scale import DOCUMENTS, MEASURED, blocks, filled, large, one_server, sizing

# Round numbers, so that every line can be checked by hand.
MEASURED_ROUND = {
    "cores": 2,
    "images": 100,
    "think_seconds": 4.0,
    "saves_per_image": 4,
    "requests_per_image": 7,
    "annotators": 10,
    "requests_per_second": 3.5,
    "p95_ms": {"next": 5.0},
    "errors": 0,
    "milliseconds": {"web": 3.0, "postgres": 1.5, "proxy": 0.5, "worker": 9.0, "clients": 1.0},
    "most_requests_per_second": 300.0,
    "web_workers": 4,
    "megabytes": {"web": 400, "postgres": 200, "worker": 300, "beat": 100, "proxy": 10, "redis": 10},
    "bytes": {"image": 500, "assignment": 250, "annotation": 2000, "event": 3000},
}
PAGE = """# What it costs

## Reports

  1,000,000 |    5.29 |       7.474 |        4.938 |        1.498 |        900 |      25.1 |   0.69

## Import

```json
{"milliseconds per image": {"decode": 3, "import": 8.64, "display": 43.2}}
```

## Plans
"""


@pytest.fixture
def costs() -> Costs:
    return Costs(MEASURED_ROUND)


def test_an_annotator_asks_seven_times_in_twenty_seconds(costs: Costs) -> None:
    assert (costs.requests, costs.seconds, costs.rate, costs.request_ms) == (7, 20.0, 0.35, 5.0)


def test_what_a_server_holds(costs: Costs) -> None:
    first, *_, last = one_server(costs).splitlines()[2:]
    assert first == "| 2 | 2 × 1000 × 0.6 / 5.00 = 240 | 685 | 986,400 |"
    assert last == "| 32 | 32 × 1000 × 0.6 / 5.00 = 3,840 | 10,971 | 15,798,240 |"


def test_what_to_have(costs: Costs) -> None:
    rows = sizing(costs).splitlines()[2:]
    assert rows[0] == "| 10 | 3.5 | 0.02 | 2 | 4 | 8 GB |"
    # 1.75 / 0.6 + 1 = 3.9 cores; 2 × (800 + 620 + 2048) MB are 6.8 GB.
    assert rows[-1] == "| 1,000 | 350.0 | 1.75 | 4 | 8 | 8 GB |"


def test_what_very_many_need(costs: Costs) -> None:
    computed = {row.split(" | ")[0]: row.split(" | ")[2] for row in large(costs, PAGE).splitlines()[2:]}
    assert computed == {
        "| requests/s": "3,500 |",
        "| commits/s": "2,500 |",
        "| images/s": "500 |",
        "| network for images": "0.4 Gbit/s |",
        "| cores: web": "18 |",
        "| cores: postgres": "9 |",
        "| cores: proxy": "3 |",
        "| annotations": "200,000,000 |",
        "| days of work": "13.9 |",
        "| events": "1,000,000,000 |",
        "| events a day": "72 million |",
        "| rows: images": "0.05 TB |",
        "| rows: assignments": "0.05 TB |",
        "| rows: annotations": "0.40 TB |",
        "| rows: events": "3.00 TB |",
        "| originals": "100 TB |",
        "| display copies": "10 TB |",
        "| importing the images": "10 days of one core |",
        "| making the display copies": "50 days of one core |",
        "| one report on all annotations": "180 GB of memory |",
    }


def test_the_documents_hold_the_tables_of_the_last_measurement() -> None:
    tables = blocks()
    texts = [path.read_text(encoding="utf-8") for path in DOCUMENTS]
    assert [filled(text, tables) for text in texts] == texts
    assert [name for name in tables if not any(f"<!-- computed: {name} -->" in text for text in texts)] == []


def test_the_last_measurement_was_of_people_who_got_no_error() -> None:
    assert json.loads(MEASURED.read_text(encoding="utf-8"))["errors"] == 0
