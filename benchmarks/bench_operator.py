"""Compute the seconds to enter a published annotation by the keystroke-level model.

    STUDY_DATA=folder .venv/bin/python benchmarks/bench_operator.py

The scripts are those that the tests replay in the page (`tests/js/replay/study.js`): the fewest keys, or the
quickest clicks. Operators and times are those of Card, Moran and Newell (1980): a key 0.20 s, pointing
1.10 s, pressing or releasing a button 0.10 s, a mental preparation 1.35 s: one for the people, one for
each cell, one for each number that has to be recalled, one to finish. Looking and judging are left out.
`both` is one hand that points at the cells and one that types. `slips` presses, for each key of the scripts
in turn, a neighbour of it instead (`tests/js/replay/slips.js`), and counts the wrong marks that get submitted
without any refusal or question on the way. `seconds mean with every total known` leaves out all that enters
totals: no proposal of totals can be quicker. `presence` enters the same annotations as presence, in published
order from the first cell: a column and a row key where they change, then the space bar, or a click, for each
marked cell; one preparation for each cell, one to finish. `three cells` is the most that three cells take.
Needs Node.js.
"""

from __future__ import annotations

import json
import os
import statistics
import sys
from itertools import pairwise
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from tests.test_javascript import published_rows, scripts

KEY, POINT, BUTTON, MIND = 0.20, 1.10, 0.10, 1.35
DESIGNED = {"keyboard": 16.4, "mouse": 26.7}
AIMED = {"keyboard": 14, "mouse": 20}
PRESENCE_AIMED = 6
SLIP_RATE = 0.01
OTHERS = {"the study's spreadsheet": 35.0, "Label Studio with 25 text fields": 26.1}

Step = list[Any]


def main() -> None:
    """Print JSON: the mean, the median and the 95th percentile by each hand, and the ratios of the means."""
    rows = published_rows(Path(os.environ["STUDY_DATA"]))
    text = "\n".join(json.dumps(row) for row in rows)
    lines = list(scripts("study", text=text))
    found: dict[str, Any] = {"annotations": len(rows)}
    for hand, name in (("keyboard", "keyboard"), ("mouse", "pointer"), ("both", "both")):
        seconds = [
            hands(line[name]["steps"]) + MIND * thoughts(row["terms"], line[name]["steps"], hand)
            for row, line in zip(rows, lines, strict=True)
        ]
        found[hand] = figures(seconds)
        found[hand] |= {"designed": DESIGNED[hand], "aimed at": AIMED[hand]} if hand in DESIGNED else {}
        bare = [without_totals(line[name]["steps"]) for line in lines]
        seconds = [
            hands(steps) + MIND * thoughts(row["terms"], steps, hand)
            for row, steps in zip(rows, bare, strict=True)
        ]
        found[hand]["seconds mean with every total known"] = round(statistics.mean(seconds), 2)
        recalls = statistics.mean(recalled(line[name]["steps"]) for line in lines)
        found[hand]["of which recalling totals"] = round(MIND * recalls, 2)
        found[hand]["events"] = sum(line[name]["keys"] + line[name]["clicks"] for line in lines)
    found["presence"] = {hand: presence(rows, hand) for hand in ("keyboard", "mouse")}
    found["slips"] = slips_of(list(scripts("slips", text=text)))
    print(json.dumps(found, indent=2))


def presence(rows: list[dict[str, Any]], hand: str) -> dict[str, Any]:
    """Return the seconds of the rows as presence, and of three cells in different columns and rows."""
    marked = [list(dict.fromkeys((term["type"], term["part"]) for term in row["terms"])) for row in rows]
    apart = [("extra", "limbs"), ("configuration", "hands"), ("orientation", "face")]
    return {
        **spread([presence_seconds(cells, hand) for cells in marked]),
        "three cells": round(presence_seconds(apart, hand), 2),
        "aimed at": PRESENCE_AIMED,
    }


def presence_seconds(cells: list[tuple[str, str]], hand: str) -> float:
    """Return the seconds of marking the cells, or of saying that there are none, and submitting."""
    if hand == "mouse":
        steps: list[Step] = [["click", "cell"]] * max(1, len(cells)) + [["click", "submit"]]
        return hands(steps) + MIND * (len(cells) + 1 if cells else 2)
    moves = sum(
        sum(now != then for now, then in zip(cell, before, strict=True))
        for before, cell in pairwise([("missing", "torso"), *cells])
    )
    steps = [["key", "move"]] * moves + [["key", "mark"]] * max(1, len(cells)) + [["key", "Control+Enter"]]
    return hands(steps) + MIND * (len(cells) + 1 if cells else 1)


def slips_of(lines: list[dict[str, int]]) -> dict[str, Any]:
    """Return what becomes of slips, and the wrong marks per 1,000 keys at one slip in 100 keys."""
    total = {name: sum(line[name] for line in lines) for name in lines[0]}
    return {
        "keys": total["keys"],
        "noticed": round(total["noticed"] / total["keys"], 3),
        "wrong marks per 1,000 keys": round(1000 * SLIP_RATE * total["wrong"] / total["keys"], 2),
    }


def figures(seconds: list[float]) -> dict[str, Any]:
    """Return one input method's seconds, compared with other tools."""
    mean = statistics.mean(seconds)
    return {
        **spread(seconds),
        **{f"{name} / this": round(other / mean, 2) for name, other in OTHERS.items()},
    }


def spread(seconds: list[float]) -> dict[str, float]:
    """Return the mean, the median and the 95th percentile."""
    return {
        "seconds mean": round(statistics.mean(seconds), 2),
        "seconds median": round(statistics.median(seconds), 1),
        "seconds p95": round(statistics.quantiles(seconds, n=20)[-1], 1),
    }


def hands(steps: list[Step]) -> float:
    """Return the seconds of pressing and pointing."""
    total = 0.0
    for kind, name, *rest in steps:
        if kind == "key":
            total += KEY * (1 if name == "+" else len(str(name).split("+")))
        else:
            total += POINT + 2 * BUTTON * (rest[0] if kind == "click" and rest else 1)
    return total


def without_totals(steps: list[Step]) -> list[Step]:
    """Return the steps without those that correct a count or type a total."""
    kept: list[Step] = []
    in_total = False
    for step in steps:
        kind, name = step[0], str(step[1])
        if name in "+-/" or name.startswith("count:") or name.endswith(".total"):
            in_total = kind != "key" or name == "/"
        elif in_total and (kind == "pick" or name.isdigit()):
            continue
        else:
            in_total = False
            kept.append(step)
    return kept


def thoughts(terms: list[dict[str, Any]], steps: list[Step], hand: str) -> int:
    """Return the number of mental preparations."""
    if not terms:
        return 1 if hand == "keyboard" else 2
    cells = [(term["type"], term["part"]) for term in terms]
    moves = 1 + sum(one != other for one, other in pairwise(cells))
    return 1 + moves + recalled(steps) + 1


def recalled(steps: list[Step]) -> int:
    """Return the numbers not on the screen: counts and totals. A run of + or - is one number."""
    names = [str(name) for _, name, *_ in steps]
    typed = names.count("/") + sum(name in "+-" and before != name for before, name in pairwise(names))
    return typed + sum(name.startswith("count:") or name.endswith(".total") for name in names)


if __name__ == "__main__":
    main()
