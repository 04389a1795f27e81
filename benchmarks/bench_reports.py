"""Measure the two reports and the growth of their cost.

    .venv/bin/python benchmarks/bench_reports.py [--sizes 1000,10000,100000,1000000] [--annotators 50]

Synthetic studies with the published shape: a quarter of the images is judged by two annotators, about
six marks an annotation. Each measurement runs in a process of its own, so that peak memory (the whole
process, `resource`) is its own. `build` is exact ratings to frame; making up the ratings is taken off.
Trust the ratios, not the seconds.
"""

from __future__ import annotations

import argparse
import json
import math
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from analysis.protocols.anatomy.agreement import anatomy_agreement as agreement
from analysis.protocols.anatomy.comparison import anatomy_comparison as comparison
from analysis.stats.frames import RatedAnnotation, build_frame
from scoring.grid.severity_weights import DEFAULT_WEIGHTS
from scoring.grid.taxonomy import CELLS

REPORTS: dict[str, Callable[..., Any]] = {"agreement": agreement, "comparison": comparison}
MARKS_AN_ANNOTATION = 6
CHUNK = 20_000
GROUPS = ("individual", "pair", "group")
HOUR = 3_600_000_000


def synthetic(annotations: int, people: int, coders: int, share: float) -> Iterator[RatedAnnotation]:
    """Return a seeded study: `coders` annotators judge a `share` of the images, one the others."""
    rng = np.random.default_rng(7)
    image = done = 0
    while done < annotations:
        several = np.where(rng.random(CHUNK) < share, coders, 1)
        for n in several.tolist():
            first = int(rng.integers(people))
            for k in range(min(n, annotations - done)):
                # Two random coders, or neighbours if more: no annotator judges an image twice.
                stride = 1 + image % (people - 1) if coders == 2 else 1
                yield _annotation(rng, image, (first + k * stride) % people, done)
                done += 1
            image += 1
            if done == annotations:
                return


def _annotation(rng: np.random.Generator, image: int, annotator: int, done: int) -> RatedAnnotation:
    drawn = rng.integers(0, 1 << 30, size=2 + 2 * MARKS_AN_ANNOTATION).tolist()
    ratings: list[tuple[str, str, str]] = []
    top = 0
    # Denominators of 60 keep the generated scores exact without fractions.
    for k in range(drawn[0] % (2 * MARKS_AN_ANNOTATION + 1)):
        draw = drawn[1 + k % (len(drawn) - 1)] >> (k // len(drawn))
        cell, severity, total = (2 * k + draw % 2) % 25, draw // 2 % 3, 1 + draw // 6 % 6
        affected = 1 + draw // 36 % total
        top += affected * (60 // total) * (2, 5, 10)[severity]
        ratings.append(("error_fraction", f"{CELLS[cell].key}.{'abc'[severity]}", f"{affected}/{total}"))
    ratings.append(("cumulative_score", "", f"{top}/600"))
    generator, prompt, group = f"generator {image % 3}", f"prompt {image % 10}", GROUPS[image % 3]
    person = f"annotator {annotator:03}"
    return RatedAnnotation(image, person, generator, prompt, group, "b", ratings, 0, done + 1, done * HOUR)


def measure(annotations: int, people: int, coders: int, share: float) -> dict[str, float]:
    """Return the seconds of each step and the peak megabytes of this process."""
    study = (annotations, people, coders, share)
    start, before = time.perf_counter(), time.process_time()
    for _ in synthetic(*study):
        pass
    made_up, made_up_cpu = time.perf_counter() - start, time.process_time() - before
    start, begun = time.perf_counter(), time.process_time()
    frame = build_frame(synthetic(*study), DEFAULT_WEIGHTS)
    seconds = {"build": time.perf_counter() - start - made_up}
    for name, report in REPORTS.items():
        start = time.perf_counter()
        json.dumps(report(frame), allow_nan=False)
        seconds[name] = time.perf_counter() - start
    seconds["cpu"] = time.process_time() - begun
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    seconds["cpu"] -= made_up_cpu
    return {**seconds, "process_mb": peak}


def measured_alone(*arguments: float) -> dict[str, float]:
    """Run `measure` in a new process."""
    command = [sys.executable, __file__, "--one", ",".join(map(str, arguments))]
    output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return dict(json.loads(output))


def main() -> None:
    """Print a table of the sizes and the growth between them."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sizes", default="1000,10000,100000,1000000")
    parser.add_argument("--annotators", type=int, default=50)
    parser.add_argument("--coders", type=int, default=2, help="annotators of an image judged by several")
    parser.add_argument("--share", type=float, default=0.25, help="share of images judged by several")
    parser.add_argument("--one", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        sizes = [float(part) for part in options.one.split(",")]
        print(json.dumps(measure(int(sizes[0]), int(sizes[1]), int(sizes[2]), sizes[3])))
        return
    print(f"{options.annotators} annotators; {options.share:.0%} of images by {options.coders} of them\n")
    print("annotations | build s | agreement s | comparison s | process MB | CPU s all | growth")
    before: tuple[int, float] | None = None
    for size in map(int, options.sizes.split(",")):
        before = _line(size, measured_alone(size, options.annotators, options.coders, options.share), before)


def _line(size: int, found: dict[str, float], before: tuple[int, float] | None) -> tuple[int, float]:
    reports = sum(found[name] for name in REPORTS)
    growth = "-" if before is None else f"{math.log(reports / before[1]) / math.log(size / before[0]):.2f}"
    print(
        f"{size:>11,} | {found['build']:7.2f} | {found['agreement']:11.3f} | {found['comparison']:12.3f} | "
        f"{found['process_mb']:10.0f} | {found['cpu']:9.1f} | {growth:>6}",
        flush=True,
    )
    return size, reports


if __name__ == "__main__":
    main()
