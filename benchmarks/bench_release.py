"""Release a batch of 10,000 images to 32 people, beside a bare INSERT of its assignments in the same run.

    .venv/bin/python benchmarks/bench_release.py [--images 1000,10000,100000] [--runs 3]

On PostgreSQL with DATABASE_URL, otherwise on SQLite. A quarter of the images is judged twice. The plan is
computed, then released: checks, batch, plan, assignments and Event. *bare* writes as many rows of
assignments with Django's `bulk_create`, in pieces of the same size, and nothing else.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction
from pathlib import Path
from typing import Any
from uuid import uuid4

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
PEOPLE = 32
GENERATORS, IMAGES_A_PROMPT = 4, 40


def main() -> None:
    """Print JSON: the median seconds of each step by number of images, and the release in times of bare."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--images", default="1000,10000")
    parser.add_argument("--runs", type=int, default=3)
    options = parser.parse_args()
    from benchmarks.races.__main__ import start_django

    start_django("postgresql" if os.environ.get("DATABASE_URL") else "sqlite")
    from django.db import connection

    sizes = [int(size) for size in options.images.split(",")]
    found = {f"{size:,} images": measured(size, options.runs) for size in sizes}
    print(json.dumps({"database": connection.vendor, "people": PEOPLE, **found}, indent=2))


def measured(images: int, runs: int) -> dict[str, Any]:
    """Return the medians over `runs` projects of `images` images."""
    from annotator.batches.designs import design_of
    from annotator.batches.planning import make_plan
    from annotator.batches.releases import CHUNK, planned_on, release_plan
    from annotator.models import Assignment, Batch, Membership

    seconds: dict[str, list[float]] = {"plan": [], "release": [], "bare": []}
    rows = 0
    for run in range(runs):
        project = seeded(images, run)
        people = list(Membership.objects.filter(project=project))
        asked = {"images": project.images.all(), "people": people, "overlap": Fraction(1, 4)}
        design = design_of(project=project, **asked)
        with timed(seconds["plan"]):
            plan = make_plan(design)
        basis = planned_on(project)
        with timed(seconds["release"]):
            batch = release_plan(project=project, name="First", plan=plan, request_key=uuid4(), basis=basis)
        made = list(batch.assignments.order_by("pk"))
        rows = len(made)
        other = Batch.objects.create(project=project, name="Bare")
        for one in made:
            one.pk, one.batch = None, other
        with timed(seconds["bare"]):
            Assignment.objects.bulk_create(made, batch_size=CHUNK)
    medians = {step: statistics.median(took) for step, took in seconds.items()}
    return {
        "assignments": rows,
        "seconds": {step: round(took, 2) for step, took in medians.items()},
        "release / bare": round(medians["release"] / medians["bare"], 2),
    }


@contextmanager
def timed(into: list[float]) -> Iterator[None]:
    """Note the seconds of what is done inside."""
    begun = time.perf_counter()
    yield
    into.append(time.perf_counter() - begun)


def seeded(images: int, run: int) -> Any:
    """Return a project with images and people, without files."""
    from annotator.models import Image, Membership, Project, User

    project = Project.objects.create(slug=f"release-{images}-{run}", name=f"{images} images")
    users = User.objects.bulk_create(
        [User(username=f"release-{images}-{run}-{number}") for number in range(PEOPLE)]
    )
    Membership.objects.bulk_create(
        [
            Membership(project=project, user=user, role="annotator", code=f"person {number:02}")
            for number, user in enumerate(users)
        ]
    )
    Image.objects.bulk_create(
        [
            Image(
                project=project,
                sha256=f"{number:064x}",
                file=f"{number}.png",
                source_name=f"{number}.png",
                format="PNG",
                width=64,
                height=64,
                generator=f"generator {number % GENERATORS}",
                prompt=f"prompt {number // IMAGES_A_PROMPT}",
                number=number,
                display_state="ready",
            )
            for number in range(images)
        ],
        batch_size=1000,
    )
    return project


if __name__ == "__main__":
    main()
