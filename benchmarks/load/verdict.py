"""The run in ratios to the bare floor, and to Label Studio measured on a similar machine."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any, Final

from benchmarks.load.phases import FLOOR_ANNOTATORS, RATE, THINK_SECONDS, THINKING_SAVES
from benchmarks.load.walk import BARE_INSERT, BARE_VIEW, PICTURE, SAVE, SUBMIT
from benchmarks.load.words import requests, submissions

# Label Studio on PostgreSQL, two cores shared with its clients, 32 annotators without thinking time who
# request the next task and submit it. Here, the submission brings the next image.
LABEL_STUDIO_SUBMITS: Final = 29.6
LABEL_STUDIO_SUBMIT_P95_MS: Final = 1197.0
BAR: Final = 10.0
BAR_OF_FLOOR: Final = 0.5
BAR_P95_MS: Final = 100.0


def verdict(found: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Return the ratios of one size of project."""

    def phase(name: str, annotators: int = FLOOR_ANNOTATORS) -> dict[str, Any] | None:
        return next((m for m in found if (m["phase"], m["annotators"]) == (name, annotators)), None)

    alone = phase("as fast as it goes", 1)
    view, insert = (phase(f"floor: bare {kind}", 1) for kind in ("view", "insert"))
    crowd, floor = phase("as fast as it goes"), phase("floor: bare insert")
    said: dict[str, Any] = {}
    if alone and view and insert:
        said["one annotator: submission / bare view, p50"] = _ratio(alone, SUBMIT, view, BARE_VIEW)
        said["one annotator: submission / bare INSERT, p50"] = _ratio(alone, SUBMIT, insert, BARE_INSERT)
        said["one annotator: save / bare INSERT, p50"] = _ratio(alone, SAVE, insert, BARE_INSERT)
    if crowd and floor:
        ours, bare = (requests(measured) / measured["seconds"] for measured in (crowd, floor))
        said[f"{FLOOR_ANNOTATORS} annotators: bare INSERTs / requests, per s"] = round(bare / ours, 2)
    for annotators in (1, FLOOR_ANNOTATORS):
        pair, bare_floor = phase("submissions alone", annotators), phase("floor: bare insert", annotators)
        if not pair:
            continue
        a_second = submissions(pair) / pair["seconds"]
        counted: dict[str, float] = {"submits/s": round(a_second, 1)}
        if bare_floor:
            counted["submits/s / bare INSERTs/s"] = round(a_second / _speed(bare_floor), 2)
            counted["aim, of bare INSERTs"] = BAR_OF_FLOOR
        if annotators == FLOOR_ANNOTATORS:
            counted |= {
                "submits/s / Label Studio's": round(a_second / LABEL_STUDIO_SUBMITS, 1),
                "aim": BAR,
                "Label Studio's submit p95 / this": round(LABEL_STUDIO_SUBMIT_P95_MS / _p95(pair, SUBMIT), 1),
            }
        said[f"submissions alone, annotators: {annotators}"] = counted
    if steady := phase(f"{RATE} requests/s"):
        p95 = {kind: round(_p95(steady, kind), 1) for kind in (PICTURE, SAVE, SUBMIT)}
        said[f"{RATE} requests/s, p95 ms"] = {**p95, "aim": BAR_P95_MS}
    return said


def summed_up(
    found: Sequence[dict[str, Any]],
    images: int,
    sizes: dict[str, int],
    megabytes: dict[str, float],
    web_workers: int,
) -> dict[str, Any]:
    """Return the input of docs/explanation/scale.md: cost per request at annotators' speed, row sizes.

    `milliseconds` are the processor's for one request, of the phase with the most annotators who think.
    """
    thinking = max((m for m in found if m["phase"] == "thinking"), key=lambda m: int(m["annotators"]))
    fastest = max((m for m in found if m["phase"] == "as fast as it goes"), key=_speed)
    spent = {**thinking["server"], "clients": thinking["cpu"]}
    total = requests(thinking)
    return {
        "cores": os.cpu_count(),
        "images": images,
        "think_seconds": THINK_SECONDS,
        "saves_per_image": THINKING_SAVES,
        "requests_per_image": 1 + THINKING_SAVES + 1,
        "annotators": thinking["annotators"],
        "requests_per_second": round(_speed(thinking), 1),
        "p95_ms": {kind: round(_p95(thinking, kind), 1) for kind in thinking["kinds"]},
        "errors": thinking["failed"],
        "milliseconds": {part: round(1000 * seconds / total, 3) for part, seconds in spent.items()},
        "most_requests_per_second": round(_speed(fastest), 1),
        "web_workers": web_workers,
        "megabytes": {part: round(size) for part, size in megabytes.items()},
        "bytes": sizes,
    }


def _speed(measured: dict[str, Any]) -> float:
    speed: float = requests(measured) / measured["seconds"]
    return speed


def _ratio(ours: dict[str, Any], kind: str, floor: dict[str, Any], bare: str) -> float:
    ratio: float = ours["kinds"][kind]["p50"] / floor["kinds"][bare]["p50"]
    return round(ratio, 2)


def _p95(measured: dict[str, Any], kind: str) -> float:
    return float(measured["kinds"][kind]["p95"])
