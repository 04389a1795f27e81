"""Measure the reports of realism and the files of a data set, from annotations in a database.

    .venv/bin/python benchmarks/bench_data_sets.py [--images 30000] [--raters 5] [--prompts 2000]

It makes a database of its own (SQLite, in a temporary folder) with a rated project, and removes it.
Peak memory is that of the whole process.
"""

from __future__ import annotations

import argparse
import os
import random
import resource
import sys
import tempfile
import time
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import Any, Final

ROOT: Final = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))
REPORT_SECONDS, PAIRS_SECONDS = 20.0, 30.0
CHUNK: Final = 5000
KINDS: Final = ("data_set", "agreement", "comparison", "annotators", "ranking")


def main() -> None:
    """Print the seconds of each step and whether it is within its limit."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--images", type=int, default=30_000)
    parser.add_argument("--raters", type=int, default=5)
    parser.add_argument("--prompts", type=int, default=2_000)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        os.environ |= {"VAR_DIR": folder, "DATABASE_URL": f"sqlite:///{folder}/bench.sqlite3", "DEBUG": "1"}
        os.environ["DJANGO_SETTINGS_MODULE"] = "config.settings"
        import django

        django.setup()
        from django.core.management import call_command

        call_command("migrate", verbosity=0)
        project = _seed(options.images, options.raters, options.prompts)
        _measure(project, options.images * options.raters)


def _seed(images: int, raters: int, prompts: int) -> Any:
    """Return a project whose images have ratings around a quality of their own."""
    from django.utils import timezone

    from annotator.models import Annotation, Assignment, Batch, Image, Membership, Project

    rng, now = random.Random(7), timezone.now()
    project = Project.objects.create(slug="bench", name="Bench")
    batch = Batch.objects.create(project=project, name="Realism", protocol="realism")
    role = Membership.Role.ANNOTATOR
    people = [Membership.objects.create(project=project, code=f"r{n}", role=role) for n in range(raters)]
    for start in range(0, images, CHUNK):
        numbers = range(start, min(start + CHUNK, images))
        rows = Image.objects.bulk_create(
            Image(
                project=project,
                file=f"{number}.png",
                sha256=f"{number:064x}",
                source_name=f"{number}.png",
                format="PNG",
                width=8,
                height=8,
                generator=f"generator {number % 7}",
                prompt=f"a person doing thing {number % prompts}",
                number=number,
            )
            for number in numbers
        )
        held = Assignment.objects.bulk_create(
            Assignment(batch=batch, image=row, annotator=person, position=row.number, status="done")
            for row in rows
            for person in people
        )
        answers = []
        for place, assignment in enumerate(held):
            if place % raters == 0:
                quality = rng.uniform(1, 10)
            rating = min(10, max(1, round(rng.gauss(quality, 1.2))))
            answers.append(
                Annotation(
                    assignment=assignment,
                    payload={"rating": rating, "invalid": None, "note": "", "flag": None},
                    ratings=[["rating", "", str(rating)]],
                    status="submitted",
                    saved_at=now,
                    submitted_at=now,
                )
            )
        Annotation.objects.bulk_create(answers)
    return project


def _measure(project: Any, ratings: int) -> None:
    from analysis.exports.requests import ExportRequest
    from analysis.reports.lifecycle import newest_done, request_report, run_report

    def report(kind: str) -> None:
        run_report(request_report(project=project, kind=kind, protocol="realism", send=False).pk)
        assert newest_done(project, kind, "realism")

    print(f"{project.images.count():,} images, {ratings:,} ratings\n")
    print("step | seconds by clock | by processor | limit s")
    for kind in KINDS:
        _line(f"report {kind}", partial(report, kind), REPORT_SECONDS)
    for layout in ("pairs", "splits"):
        export, sizes = ExportRequest(layout, protocol="realism").export(project), [0]
        _line(layout, partial(_send, export, sizes), PAIRS_SECONDS)
        print(f"  {export.lines:,} rows in pieces of at most {max(sizes) / 1024:.0f} KB")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"\npeak memory of the process: {peak:.0f} MB")


def _send(export: Iterable[bytes], sizes: list[int]) -> None:
    sizes += map(len, export)


def _line(name: str, step: Callable[[], Any], limit: float) -> None:
    clock, processor = time.perf_counter(), time.process_time()
    step()
    seconds, used = time.perf_counter() - clock, time.process_time() - processor
    verdict = "" if seconds < limit else " EXCEEDED"
    print(f"{name} | {seconds:.1f} | {used:.1f} | {limit:.0f}{verdict}", flush=True)


if __name__ == "__main__":
    main()
