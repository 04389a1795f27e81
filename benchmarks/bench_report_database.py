"""Measure a burst of submissions: three reports, from stored annotations to stored results.

    .venv/bin/python benchmarks/bench_report_database.py [--sizes 10000,100000] [--annotators 50]

A synthetic study in SQLite, as `bench_reports` makes it, with whole payloads. Each size is measured in a
process of its own after the database is filled, so that the peak of memory is that of the work. `digest`
and `load` are measured by themselves; `burst` is all three reports, asked for and carried out as a worker
does it. CPU seconds tell on a crowded machine. Trust the ratios, not the seconds.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from itertools import islice
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))
LIMIT_SECONDS, LIMIT_MEGABYTES = 60.0, 2048.0
CHUNK = 5000
BEGUN = datetime(2026, 3, 1, tzinfo=UTC)
TABLES = {
    "annotator_image": (
        "id project_id public_id file sha256 source_name format width height generator prompt prompt_group "
        "number attributes display display_state display_error created_at"
    ),
    "annotator_assignment": "id batch_id image_id annotator_id position status created_at",
    "annotator_annotation": (
        "id assignment_id payload status version warnings ratings source capture flagged active_ms "
        "created_at saved_at submitted_at"
    ),
}
Rows = dict[str, list[tuple[Any, ...]]]


def main() -> None:
    """Fill, measure and print a line for every size."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sizes", default="10000,100000")
    parser.add_argument("--annotators", type=int, default=50)
    parser.add_argument("--home", type=Path, help="keep the databases here and reuse them")
    parser.add_argument("--one", choices=["fill", "measure"], help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        _one(options.one, int(options.sizes), options.annotators)
        return
    print("annotations | digest CPU s | load CPU s | burst CPU s | burst s | process MB")
    with tempfile.TemporaryDirectory(prefix="anatomark-bench-") as folder:
        for size in map(int, options.sizes.split(",")):
            print(_line(size, measured(size, options.annotators, options.home or Path(folder))), flush=True)


def measured(size: int, people: int, home: Path) -> dict[str, float]:
    """Fill a database of this size, unless it exists, and measure it in a new process."""
    folder = home / str(size)
    if not folder.exists():
        folder.mkdir(parents=True)
        _child("fill", size, people, folder)
    return dict(json.loads(_child("measure", size, people, folder)))


def _child(task: str, size: int, people: int, folder: Path) -> str:
    environment = {**os.environ, "VAR_DIR": str(folder), "DJANGO_SETTINGS_MODULE": "config.settings"}
    environment.pop("DATABASE_URL", None)
    environment.pop("REDIS_URL", None)
    command = [sys.executable, __file__, "--one", task, "--sizes", str(size), "--annotators", str(people)]
    done = subprocess.run(command, cwd=ROOT, env=environment, check=True, stdout=subprocess.PIPE, text=True)
    return done.stdout


def _line(size: int, found: dict[str, float]) -> str:
    line = (
        f"{size:>11,} | {found['digest']:12.2f} | {found['load']:10.2f} | {found['burst']:11.2f} | "
        f"{found['clock']:7.1f} | {found['megabytes']:10.0f}"
    )
    if size < 1_000_000:
        return line
    return (
        f"{line}\n\nof the {LIMIT_SECONDS:.0f} s allowed, elapsed {found['clock'] / LIMIT_SECONDS:.2f}, "
        f"processor {found['burst'] / LIMIT_SECONDS:.2f}; "
        f"of the {LIMIT_MEGABYTES:.0f} MB {found['megabytes'] / LIMIT_MEGABYTES:.2f}"
    )


def _one(task: str, size: int, people: int) -> None:
    import django

    django.setup()
    if task == "fill":
        fill(size, people)
    else:
        print(json.dumps(measure()))


def fill(size: int, people: int) -> None:
    """Store a study without the models, with which a million rows would take an hour."""
    from django.core.management import call_command
    from django.db import connection, transaction

    from annotator.models import Batch, Membership, Project
    from benchmarks.bench_reports import synthetic

    call_command("migrate", verbosity=0)
    project = Project.objects.create(slug="large", name="Large")
    batch = Batch.objects.create(project=project, name="b")
    codes = [f"annotator {number:03}" for number in range(people)]
    Membership.objects.bulk_create(
        Membership(project=project, role=Membership.Role.ANNOTATOR, code=code) for code in codes
    )
    members = dict(Membership.objects.values_list("code", "pk"))
    answers = synthetic(size, people, 2, 0.25)
    made = Maker(project.pk, batch.pk, members)
    with connection.cursor() as cursor, transaction.atomic():
        while made.take(islice(answers, CHUNK)):
            for table, columns in TABLES.items():
                names = columns.split()
                cursor.executemany(
                    f"INSERT INTO {table} ({', '.join(names)}) VALUES ({', '.join(['%s'] * len(names))})",
                    made.rows.pop(table),
                )
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")


class Maker:
    """Turns generated annotations into rows of the tables."""

    def __init__(self, project: int, batch: int, members: dict[str, int]) -> None:
        self.rows: Rows = {}
        self._project, self._batch, self._members = project, batch, members
        self._image = 0
        self._positions = dict.fromkeys(members, 0)

    def take(self, answers: Iterator[Any]) -> bool:
        """Fill `rows` from the next annotations; return whether there were any."""
        self.rows = {table: [] for table in TABLES}
        for answer in answers:
            self._add(answer)
        return bool(self.rows["annotator_annotation"])

    def _add(self, answer: Any) -> None:
        image, key = answer.image + 1, answer.annotation
        moment = BEGUN + timedelta(minutes=key)
        if image > self._image:
            self._image = image
            self.rows["annotator_image"].append(self._image_row(answer, image, moment))
        member = self._members[answer.annotator]
        self._positions[answer.annotator] += 1
        self.rows["annotator_assignment"].append(
            (key, self._batch, image, member, self._positions[answer.annotator], "done", moment)
        )
        marks = [_mark(*rating) for rating in answer.ratings[:-1]]
        payload = {
            "people": 1,
            "counts": {"expected": {"limbs": 4, "hands": 2}, "visible": {"limbs": 3, "hands": 2}},
            "counts_set": {"expected": [], "visible": ["limbs"]},
            "marks": marks,
            "no_errors": not marks,
            "flag": None,
            "note": "",
        }
        timing = ('{"active_ms": 60000}', False, 60000, moment, moment, moment)
        ratings = [answer.ratings[-1], *answer.ratings[:-1]]
        self.rows["annotator_annotation"].append(
            (key, key, json.dumps(payload), "submitted", 2, "[]", json.dumps(ratings), None, *timing)
        )

    def _image_row(self, answer: Any, image: int, moment: datetime) -> tuple[Any, ...]:
        name = f"{image:064x}"
        described = (answer.generator, answer.prompt, answer.prompt_group, image)
        stored = (f"{image:032x}", f"{name}.png", name, f"{image}.png", "PNG", 8, 8)
        return (image, self._project, *stored, *described, "{}", "", "ready", "", moment)


def _mark(_: str, component: str, value: str) -> dict[str, Any]:
    kind, part, severity = component.split(".")
    affected, total = map(int, value.split("/"))
    return {
        "type": kind,
        "part": part,
        "severity": severity,
        "affected": affected,
        "total": total,
        "own_total": False,
        "pins": [[0.512, 0.331]] * affected,
    }


def measure() -> dict[str, float]:
    """Return the CPU seconds of each step, the burst's elapsed seconds and the peak of this process."""
    from analysis.data.ratings_table import input_digest, load_frame
    from analysis.models import Report
    from analysis.reports.lifecycle import computation, expect_reports, run_report
    from annotator.models import Project

    computation("agreement")  # a worker has its libraries loaded
    project = Project.objects.get()
    Report.objects.all().delete()
    expect_reports(project.pk)
    Report.objects.update(due_at=None)
    begun = time.perf_counter()
    burst = _cpu(
        lambda: [run_report(pk) for pk in Report.objects.order_by("pk").values_list("pk", flat=True)]
    )
    clock = time.perf_counter() - begun
    assert set(Report.objects.values_list("status", flat=True)) == {"done"}
    megabytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    digest, load = _cpu(lambda: input_digest(project)), _cpu(lambda: load_frame(project))
    return {"digest": digest, "load": load, "burst": burst, "clock": clock, "megabytes": megabytes}


def _cpu(act: Callable[[], object]) -> float:
    before = time.process_time()
    act()
    return time.process_time() - before


if __name__ == "__main__":
    main()
