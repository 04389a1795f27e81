"""Measure a plan, and how its cost grows.

    .venv/bin/python benchmarks/bench_planning.py [--sizes 1000,10000,100000] [--annotators 50]

10 generators, a prompt for every 200 images, a quarter of the images judged by two annotators. Each size
runs in a process of its own, so that peak memory (the whole process, `resource`) is its own. `change` takes
one annotator out of a plan of which half is finished. `checked` is the plan with 125 anchors and 5% repeats.
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
from collections import Counter
from dataclasses import replace
from fractions import Fraction
from hashlib import sha256
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from annotator.batches.planning import (
    ChangeDesign,
    Checks,
    Design,
    Held,
    Plan,
    PlanAnnotator,
    PlanImage,
    make_plan,
    propose_change,
)

LIMIT_SECONDS, LIMIT_MEGABYTES, LIMIT_CHECKED = 10.0, 1024.0, 12.0
GENERATORS, IMAGES_A_PROMPT = 10, 200


def synthetic(images: int, annotators: int) -> Design:
    """Return a design with keys as in a project."""
    prompts = max(1, images // IMAGES_A_PROMPT)
    listed = tuple(
        PlanImage(
            sha256(str(number).encode()).hexdigest(),
            f"generator {number % GENERATORS}",
            f"prompt {number // GENERATORS % prompts}",
        )
        for number in range(images)
    )
    people = tuple(PlanAnnotator(f"annotator {number:03}") for number in range(annotators))
    return Design(listed, people, Fraction(1, 4), seed=7)


def half_done(plan: Plan) -> ChangeDesign:
    """Remove the first annotator after every second assignment is finished."""
    held = tuple(
        Held(one.image, one.annotator, one.position, "done" if one.position % 2 else "open")
        for one in plan.placements
    )
    leaver, *stay = plan.design.annotators
    owed = Counter(one.image for one in plan.placements)
    return ChangeDesign(plan.design.images, tuple(stay), frozenset([leaver.code]), held, owed, 7)


def measure(images: int, annotators: int) -> dict[str, float]:
    """Return the processor seconds of each step and the peak megabytes of this process."""
    design = synthetic(images, annotators)
    start = time.process_time()
    plan = make_plan(design)
    seconds = time.process_time() - start
    megabytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    sized = tuple(PlanImage(f"anchor {at}", f"generator {at % GENERATORS}", f"{at}") for at in range(125))
    start = time.process_time()
    make_plan(replace(design, checks=Checks(sized, Fraction(1, 20))))
    checked = time.process_time() - start
    unmet = sum(not margin.within for margin in plan.balance.margins)
    standing = half_done(plan)
    start = time.process_time()
    propose_change(standing)
    changed = time.process_time() - start
    return {"plan": seconds, "plan_mb": megabytes, "unmet": unmet, "change": changed, "checked": checked}


def main() -> None:
    """Print a table of the sizes, the growth between them and the result against the target."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sizes", default="1000,10000,100000")
    parser.add_argument("--annotators", type=int, default=50)
    parser.add_argument("--one", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        print(json.dumps(measure(options.one, options.annotators)))
        return
    print(f"{options.annotators} annotators; 25% of images by 2 of them\n")
    print(
        " images | plan s | plan MB | guarantees missed | growth exponent | change s | growth exponent"
        " | checked s"
    )
    before: tuple[int, dict[str, float]] | None = None
    for size in map(int, options.sizes.split(",")):
        command = [sys.executable, __file__, "--one", str(size), "--annotators", str(options.annotators)]
        output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        before = _line(size, json.loads(output), before)


def _line(
    size: int, found: dict[str, float], before: tuple[int, dict[str, float]] | None
) -> tuple[int, dict[str, float]]:
    print(
        f"{size:>7,} | {found['plan']:6.2f} | {found['plan_mb']:7.0f} | {found['unmet']:17.0f} | "
        f"{_growth(size, found, before, 'plan'):>15} | {found['change']:8.2f} | "
        f"{_growth(size, found, before, 'change'):>15} | {found['checked']:9.2f}"
    )
    if size >= 100_000:
        print(
            f"\nat {size:,}: {found['plan'] / LIMIT_SECONDS:.2f} of the {LIMIT_SECONDS:.0f} s allowed, "
            f"{found['plan_mb'] / LIMIT_MEGABYTES:.2f} of the {LIMIT_MEGABYTES:.0f} MB allowed, "
            f"{found['checked'] / LIMIT_CHECKED:.2f} of the {LIMIT_CHECKED:.0f} s allowed with checks"
        )
    return size, found


def _growth(
    size: int, found: dict[str, float], before: tuple[int, dict[str, float]] | None, step: str
) -> str:
    if before is None:
        return "-"
    return f"{math.log(found[step] / before[1][step]) / math.log(size / before[0]):.2f}"


if __name__ == "__main__":
    main()
