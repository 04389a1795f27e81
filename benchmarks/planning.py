"""How long do planning, changing and releasing a batch take as it grows?

    .venv/bin/python -m benchmarks.planning [--images 1000,10000,100000]

50 annotators, a quarter of the images judged by two of them. `change` takes one annotator out of a plan of
which half is finished; `checked` is the plan with 125 anchors and 5% repeats. `release` stores batch, plan,
assignments and event; `bare` is one `bulk_create` of as many assignments. Seconds are the processor's. Ends
with status 1 if a margin of balance is missed, or if 100,000 images take more than 10 s or 1 GB to plan.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any, Final

from benchmarks.synthetic import PEOPLE, add_images, apart, home

LIMIT_SECONDS: Final = 10.0
LIMIT_MB: Final = 1024.0
STEPS: Final = ("plan", "change", "checked", "release", "bare")


def main() -> int:
    """Print a line for every size; return the exit status."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--images", default="1000,10000,100000")
    missed = False
    print(" images | " + " | ".join(f"{step:>7} s" for step in STEPS) + " | plan MB | margins missed")
    for size in map(int, parser.parse_args().images.split(",")):
        with home() as folder:
            cost = apart(folder, "planning.measure", size)
        seconds = " | ".join(f"{cost[step]:9.2f}" for step in STEPS)
        print(f"{size:>7,} | {seconds} | {cost['plan MB']:7.0f} | {cost['unmet']:14}", flush=True)
        slow = size <= 100_000 and (cost["plan"] > LIMIT_SECONDS or cost["plan MB"] > LIMIT_MB)
        missed |= bool(cost["unmet"]) or slow
    return int(missed)


def measure(images: int) -> dict[str, Any]:
    """Return the seconds of each step, the peak of memory until the plan, and the margins not met."""
    import resource

    from annotator.batches.designs import design_of
    from annotator.batches.planning import Checks, PlanImage, make_plan, propose_change
    from annotator.batches.releases import CHUNK, planned_on, release_plan
    from annotator.batches.requests import BatchRequest
    from annotator.models import Assignment, Batch, Membership, Project

    project = Project.objects.create(slug="bench", name="Bench")
    people = Membership.objects.bulk_create(
        Membership(project=project, role="annotator", code=f"person {number:02}") for number in range(PEOPLE)
    )
    add_images(project, images, display_state="ready")
    overlap = Fraction(1, 4)
    design = design_of(project=project, images=project.images.all(), people=people, overlap=overlap)
    cost: dict[str, Any] = {}
    plan = _timed(cost, "plan", lambda: make_plan(design))
    cost["plan MB"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    cost["unmet"] = sum(not margin.within for margin in plan.balance.margins)
    anchors = tuple(PlanImage(f"anchor {n}", f"generator {n % 3}", f"prompt {n}") for n in range(125))
    checked = replace(design, checks=Checks(anchors, Fraction(1, 20)))
    _timed(cost, "checked", lambda: make_plan(checked))
    standing = _half_done(plan)
    _timed(cost, "change", lambda: propose_change(standing))
    told = {"request": BatchRequest("First"), "plan": plan, "basis": planned_on(project)}
    batch = _timed(cost, "release", lambda: release_plan(project=project, **told))
    rows = list(batch.assignments.order_by("pk"))
    other = Batch.objects.create(project=project, name="Bare")
    for row in rows:
        row.pk, row.batch = None, other
    _timed(cost, "bare", lambda: Assignment.objects.bulk_create(rows, batch_size=CHUNK))
    return cost


def _half_done(plan: Any) -> Any:
    """Remove the first annotator after every second assignment is finished."""
    from annotator.batches.planning import ChangeDesign, Held

    held = tuple(
        Held(place.image, place.annotator, place.position, "done" if place.position % 2 else "open")
        for place in plan.placements
    )
    _, *others = plan.design.annotators
    owed = Counter(place.image for place in plan.placements)
    return ChangeDesign(plan.design.images, tuple(others), held, owed, 7)


def _timed(cost: dict[str, Any], step: str, work: Callable[[], Any]) -> Any:
    begun = time.process_time()
    result = work()
    cost[step] = time.process_time() - begun
    return result


if __name__ == "__main__":
    sys.exit(main())
