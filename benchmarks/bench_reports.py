"""What the two reports cost, and how the cost grows.

    .venv/bin/python benchmarks/bench_reports.py [--sizes 300,1000,10000,100000] [--annotators 50]

Synthetic studies with the published shape: a quarter of the images is judged by two annotators, about
six marks an annotation. Each measurement runs in a process of its own, so that peak memory (the whole
process, `resource`) is its own; `tracemalloc` counts what the reports allocate on top of their frame.
`build` is exact ratings to frame, as the database delivers them. Trust the ratios, not the seconds.
"""

from __future__ import annotations

import argparse
import json
import math
import resource
import subprocess
import sys
import time
import tracemalloc
from collections.abc import Iterator
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from analysis.stats.agreement import agreement
from analysis.stats.comparison import comparison
from analysis.stats.frames import RatedAnnotation, build_frame
from scoring.anatomy.notation import Term
from scoring.anatomy.scores import DEFAULT_WEIGHTS, cumulative_score
from scoring.anatomy.taxonomy import CELLS

LIMIT_SECONDS, LIMIT_MEGABYTES = 10.0, 1024.0
MARKS_AN_ANNOTATION = 6


def synthetic(annotations: int, annotators: int, coders: int, share: float) -> Iterator[RatedAnnotation]:
    """A seeded study: a `share` of the images is judged by `coders` annotators, the others by one."""
    rng = np.random.default_rng(7)
    image = done = 0
    while done < annotations:
        several = coders if rng.random() < share else 1
        for annotator in rng.choice(annotators, size=min(several, annotations - done), replace=False):
            yield _annotation(rng, image, int(annotator))
            done += 1
        image += 1


def _annotation(rng: np.random.Generator, image: int, annotator: int) -> RatedAnnotation:
    terms = {}
    for cell in rng.choice(25, size=rng.poisson(MARKS_AN_ANNOTATION) % 25, replace=False):
        total = int(rng.integers(1, 11))
        terms[CELLS[cell].key] = [Term(int(rng.integers(1, total + 1)), total, "abc"[rng.integers(3)])]
    ratings = [["cumulative_score", "", str(cumulative_score(terms))]]
    for key, (term,) in terms.items():
        ratings.append(["error_fraction", f"{key}.{term.severity}", f"{term.affected}/{term.total}"])
    generator, prompt = f"generator {image % 3}", f"prompt {image % 10}"
    group = ("individual", "pair", "group")[image % 3]
    return RatedAnnotation(image, f"annotator {annotator:03}", generator, prompt, group, "b", ratings)


def measure(annotations: int, annotators: int, coders: int, share: float) -> dict[str, float]:
    """Seconds of each step and peaks in megabytes, in this process."""
    rows = list(synthetic(annotations, annotators, coders, share))
    seconds: dict[str, float] = {}
    start = time.perf_counter()
    frame = build_frame(rows, DEFAULT_WEIGHTS)
    seconds["build"] = time.perf_counter() - start
    for name, report in (("agreement", agreement), ("comparison", comparison)):
        start = time.perf_counter()
        report(frame)
        seconds[name] = time.perf_counter() - start
    process = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    tracemalloc.start()
    fresh = type(frame)(frame.annotations, frame.fractions, frame.weights)
    agreement(fresh)
    comparison(fresh)
    allocated = tracemalloc.get_traced_memory()[1] / 2**20
    return {**seconds, "process_mb": process, "reports_mb": allocated}


def measured_alone(*arguments: float) -> dict[str, float]:
    """`measure` in a fresh process."""
    command = [sys.executable, __file__, "--one", ",".join(map(str, arguments))]
    output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return dict(json.loads(output))


def main() -> None:
    """Print a table of the sizes, the growth between them and the verdict against the aim."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sizes", default="300,1000,10000,100000")
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
    print("annotations | build s | agreement s | comparison s | reports MB | process MB | growth exponent")
    before: tuple[int, float] | None = None
    for size in map(int, options.sizes.split(",")):
        before = _line(size, measured_alone(size, options.annotators, options.coders, options.share), before)


def _line(size: int, found: dict[str, float], before: tuple[int, float] | None) -> tuple[int, float]:
    reports = found["agreement"] + found["comparison"]
    growth = "-" if before is None else f"{math.log(reports / before[1]) / math.log(size / before[0]):.2f}"
    print(
        f"{size:>11,} | {found['build']:7.2f} | {found['agreement']:11.3f} | {found['comparison']:12.3f} | "
        f"{found['reports_mb']:10.0f} | {found['process_mb']:10.0f} | {growth:>15}"
    )
    if size >= 100_000:
        total = reports + found["build"]
        print(
            f"\nat {size:,}: {total / LIMIT_SECONDS:.2f} of the {LIMIT_SECONDS:.0f} s allowed, "
            f"{found['process_mb'] / LIMIT_MEGABYTES:.2f} of the {LIMIT_MEGABYTES:.0f} MB allowed"
        )
    return size, reports


if __name__ == "__main__":
    main()
