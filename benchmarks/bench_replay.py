"""Replay published annotations in the real page, timed, by keys alone and by a mouse alone.

    STUDY_DATA=folder .venv/bin/python benchmarks/bench_replay.py [--every 12]

The scripts are those of `bench_operator.py`, and `by the model` are their seconds there. For the mouse, `by
Fitts' law` replaces the flat 1.1 s of each pointing by log2(distance / size + 1) / 4 bits per second
(MacKenzie 1992; the low end for a mouse), with the distances and sizes of the page at 1280 x 720. What the
page itself adds is measured: events whose response took longer than 50 ms (Event Timing), and the time from
submitting to the next picture. Needs Node.js and Chromium.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import sys
import time
from math import hypot, log2
from pathlib import Path
from typing import Any, Final

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from playwright.sync_api import Page

from benchmarks.bench_operator import BUTTON, MIND, Step, hands, thoughts
from benchmarks.bench_page import filled, serve, sign_in
from tests.test_javascript import published_rows, scripts

BITS: Final = 4
SLOW_MS: Final = 50
HANDS: Final = (("keyboard", "keyboard"), ("mouse", "pointer"))
OBSERVED = """window.slow = [];
new PerformanceObserver((list) => {
  for (const { name, duration } of list.getEntries())
    if (["keydown", "click", "contextmenu"].includes(name)) window.slow.push(duration);
}).observe({type: "event", durationThreshold: 16, buffered: true});"""
BOX = """(selector) => {
  const {x, y, width, height} = document.querySelector(selector).getBoundingClientRect();
  return [x + width / 2, y + height / 2, Math.min(width, height)];
}"""
PICK = """(number) => {
  const keys = [...document.querySelectorAll(".keypad button")];
  return keys.findIndex((key) => key.textContent === String(number)) + 1;
}"""
SELECTORS: Final = {"click": "[data-target='{}']", "menu": "[data-target='{}']", "offer": "[data-offer='{}']"}


def main() -> None:
    """Fill, serve, replay, print JSON."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--every", type=int, default=12)
    every = parser.parse_args().every
    rows = published_rows(Path(os.environ["STUDY_DATA"]))[::every]
    lines = list(scripts("study", text="\n".join(json.dumps(row) for row in rows)))
    with filled(2 * len(rows) + 1):
        print(json.dumps(serve(lambda page: replay(page, rows, lines)), indent=2))


def replay(page: Page, rows: list[dict[str, Any]], lines: list[dict[str, Any]]) -> dict[str, Any]:
    """Enter every annotation once by each hand; return the figures by hand."""
    page.set_viewport_size({"width": 1280, "height": 720})
    page.add_init_script(OBSERVED)
    page.goto(sign_in(page))
    page.wait_for_selector("main[data-ready]")
    found: dict[str, Any] = {"annotations": len(rows)}
    for hand, name in HANDS:
        model, pointed, onwards = [], [], []
        page.evaluate("() => { window.slow = []; }")
        for row, line in zip(rows, lines, strict=True):
            steps: list[Step] = line[name]["steps"]
            bits, waited = _play(page, steps)
            mind = MIND * thoughts(row["terms"], steps, hand)
            model.append(hands(steps) + mind)
            pointed.append(mind + bits / BITS + 2 * BUTTON * line[name]["clicks"])
            onwards.append(waited)
        slow = [duration for duration in page.evaluate("() => window.slow") if duration > SLOW_MS]
        found[hand] = {
            "seconds by the model": round(statistics.mean(model), 2),
            **({"seconds by Fitts' law": round(statistics.mean(pointed), 2)} if hand == "mouse" else {}),
            f"responses over {SLOW_MS} ms per 1,000 events": round(
                1000 * len(slow) / sum(line[name]["keys"] + line[name]["clicks"] for line in lines), 1
            ),
            "longest response ms": round(max(slow, default=0)),
            "submit to next picture ms p50": round(statistics.median(onwards)),
        }
    return found


def _play(page: Page, steps: list[Step]) -> tuple[float, float]:
    """Do the steps; return the bits of all pointing, and the milliseconds until the next picture is there."""
    before, bits = page.url, 0.0
    # The last click was on Submit.
    place = page.evaluate(BOX, "[data-target='submit']")[:2]
    begun = time.perf_counter()
    for kind, name, *times in steps:
        begun = time.perf_counter()
        if kind == "key":
            page.keyboard.press(name)
            continue
        selector = (
            f".keypad button:nth-of-type({page.evaluate(PICK, name)})"
            if kind == "pick"
            else SELECTORS[kind].format(name)
        )
        x, y, size = page.evaluate(BOX, selector)
        bits += log2(hypot(x - place[0], y - place[1]) / size + 1)
        place = (x, y)
        begun = time.perf_counter()
        for _ in range(times[0] if times else 1):
            page.mouse.click(x, y, button="right" if kind == "menu" else "left")
    page.wait_for_function(
        "before => location.href !== before && document.querySelector('#picture img').complete", arg=before
    )
    return bits, (time.perf_counter() - begun) * 1000


if __name__ == "__main__":
    main()
