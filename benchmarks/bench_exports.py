"""Compare an export with a bare `csv.writer` over the same lines in memory.

    .venv/bin/python benchmarks/bench_exports.py [--annotations 1000000] [--only marks.csv,sheet.csv]

A synthetic project in a SQLite database of its own: about five marks an annotation, some of them pinned, a
quarter of the images judged twice. Every export runs in a process of its own, so that peak memory (the whole
process, `resource`) is its own, and writes to /dev/null. The bare writer gets lines of text, as the export
makes them. Seconds are the processor's, because the machine has other things to do; the ratio is the
export's lines per second over the bare writer's. What reading the same rows from the database alone costs,
nothing made of them, is beside it: no export of answers can be faster.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import random
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
LIMIT_MB, LIMIT_RATIO = 200, 1 / 3
FILES = ("marks.csv", "sheet.csv", "scores.csv", "images.csv", "marks.parquet")
BARE_LINES = 200_000
PEOPLE, PROMPTS, GENERATORS = 50, 10, 3
MOMENT = "2026-03-01 09:30:00"
TYPES = ("missing", "extra", "configuration", "orientation", "proportion")
PARTS = ("torso", "limbs", "feet", "hands", "face")


def start_django(home: Path) -> None:
    """Set Django up on a temporary database."""
    os.environ |= {"VAR_DIR": str(home), "MEDIA_ROOT": str(home / "media")}
    os.environ |= {"DJANGO_SETTINGS_MODULE": "config.settings", "LOG_LEVEL": "ERROR"}
    for name in ("DATABASE_URL", "REDIS_URL"):
        os.environ.pop(name, None)
    sys.path.insert(0, str(ROOT))
    import django

    django.setup()


def marks(draw: random.Random) -> list[dict[str, Any]]:
    """Return up to ten marks in different cells."""
    found = []
    for cell in sorted(draw.sample(range(25), draw.randrange(11))):
        total = draw.randrange(1, 7)
        pins = [{"x": draw.randrange(1000) / 1000, "y": draw.randrange(1000) / 1000}] if not cell % 3 else []
        found.append(
            {
                "type": TYPES[cell // 5],
                "part": PARTS[cell % 5],
                "severity": draw.choice("abc"),
                "affected": draw.randrange(1, total + 1),
                "total": total,
                "own_total": draw.random() < 0.5,
                "pins": pins,
            }
        )
    return found


def fill(annotations: int) -> None:
    """Create the project `bench`, with rows ordered as after years of use."""
    from django.core.management import call_command
    from django.db import connection, transaction

    from annotator.models import Annotation, Assignment, Batch, Image, Membership, Project

    call_command("migrate", verbosity=0)
    project = Project.objects.create(slug="bench", name="Bench")
    batch = Batch.objects.create(project=project, name="batch")
    people = [
        Membership.objects.create(project=project, role="annotator", code=f"annotator {number:02}").pk
        for number in range(PEOPLE)
    ]
    images = annotations * 4 // 5 + 1

    def insert(model: Any, rows: Iterator[tuple[Any, ...]], *columns: str) -> None:
        marks = ", ".join("?" * len(columns))
        sql = f"INSERT INTO {model._meta.db_table} ({', '.join(columns)}) VALUES ({marks})"
        with transaction.atomic():
            assert connection.connection is not None
            connection.connection.executemany(sql, rows)

    connection.ensure_connection()
    insert(Image, (_image(project.pk, number) for number in range(images)), *IMAGE)
    insert(
        Assignment,
        (
            (pk, batch.pk, (pk - 1) % images + 1, people[pk % PEOPLE], pk, "done", MOMENT)
            for pk in range(1, annotations + 1)
        ),
        *("id", "batch_id", "image_id", "annotator_id", "position", "status", "created_at"),
    )
    draw = random.Random(7)
    insert(Annotation, (_annotation(pk, draw) for pk in range(1, annotations + 1)), *ANNOTATION)
    connection.close()


IMAGE = (
    *("id", "project_id", "public_id", "file", "sha256", "source_name", "format", "width", "height"),
    *("generator", "prompt", "prompt_group", "number", "attributes", "display", "display_state"),
    *("display_error", "created_at"),
)
ANNOTATION = (
    *("assignment_id", "payload", "status", "version", "warnings", "ratings", "capture", "flagged"),
    *("created_at", "saved_at", "submitted_at"),
)


def _image(project: int, number: int) -> tuple[Any, ...]:
    generator, prompt = f"generator {number % GENERATORS}", f"two people, hugging {number // 3 % PROMPTS}"
    told = (generator, prompt, "pair", number, "{}", "", "pending", "", MOMENT)
    name = f"{number:064x}"
    return (number + 1, project, f"{number:032x}", name, name, f"{number}.png", "PNG", 1024, 1024, *told)


def _annotation(pk: int, draw: random.Random) -> tuple[Any, ...]:
    found = marks(draw)
    counts = {"torso": 2, "limbs": 8, "feet": 4, "hands": 4, "face": 2}
    payload = {
        "people": 2,
        "counts": {"expected": counts, "visible": counts},
        "counts_set": {"expected": [], "visible": []},
        "marks": found,
        "no_errors": not found,
        "flag": None,
        "note": "",
    }
    return (pk, json.dumps(payload), "submitted", 1, "[]", "[]", "{}", False, MOMENT, MOMENT, MOMENT)


def export(name: str) -> dict[str, float]:
    """Run one export and discard it."""
    from analysis.exports.requests import ExportRequest
    from annotator.models import Project

    layout, form = name.split(".")
    made = ExportRequest(layout, form).export(Project.objects.get(slug="bench"))
    clock, processor, size = time.perf_counter(), time.process_time(), 0
    with open(os.devnull, "wb") as nowhere:
        for piece in made:
            size += nowhere.write(piece)
    return {
        "lines": made.lines,
        "mb": size / 1e6,
        "clock": time.perf_counter() - clock,
        "seconds": time.process_time() - processor,
        "rss": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }


def bare(name: str) -> dict[str, float]:
    """Write the first lines of an export from memory with `csv.writer` only."""
    from analysis.exports.columns import CSV
    from analysis.exports.filters import Filters
    from analysis.exports.registry import layouts_of
    from analysis.exports.source import ExportSource
    from annotator.models import Project

    reading = ExportSource(Project.objects.get(slug="bench"), Filters(), CSV, hidden=False)
    lines = [
        ["" if value is None else str(value) for value in line]
        for line in islice(layouts_of("anatomy")[name.split(".")[0]].lines(reading), BARE_LINES)
    ]
    best = float("inf")
    for _ in range(3):
        with open(os.devnull, "w", newline="", encoding="utf-8") as nowhere:
            begun = time.process_time()
            csv.writer(nowhere, lineterminator="\r\n").writerows(lines)
            best = min(best, time.process_time() - begun)
    return {"lines": len(lines), "seconds": best}


def read(name: str) -> dict[str, float]:
    """Read the rows of an export once and discard them."""
    from analysis.exports.chunks import PAYLOAD
    from analysis.exports.columns import CSV
    from analysis.exports.filters import Filters
    from analysis.exports.source import ExportSource
    from annotator.models import Project

    reading = ExportSource(Project.objects.get(slug="bench"), Filters(), CSV, hidden=False)
    begun = time.process_time()
    rows = sum(map(len, reading.chunks(("assignment__annotator_id", PAYLOAD))))
    return {"rows": rows, "seconds": time.process_time() - begun}


def alone(home: Path, what: str, name: str) -> dict[str, float]:
    """Measure in a new process."""
    command = [sys.executable, __file__, "--home", str(home), "--one", what, "--only", name]
    return dict(json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout))


def main() -> None:
    """Print a line for every file, and the verdict."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--annotations", type=int, default=1_000_000)
    parser.add_argument("--only", default=",".join(FILES))
    parser.add_argument("--home", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--one", choices=("fill", "export", "bare", "read"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        start_django(options.home)
        if options.one == "fill":
            fill(options.annotations)
        else:
            print(json.dumps({"export": export, "bare": bare, "read": read}[options.one](options.only)))
        return
    home = options.home or Path(tempfile.mkdtemp(prefix="anatomark-bench-"))
    try:
        if not (home / "db.sqlite3").exists():
            command = [sys.executable, __file__, "--home", str(home), "--one", "fill"]
            subprocess.run([*command, "--annotations", str(options.annotations)], check=True)
        print(f"{options.annotations:,} annotations\n")
        print(
            "file          |      lines |  file MB | processor s | clock s | peak MB | reading alone s "
            "| of a bare csv.writer"
        )
        for name in options.only.split(","):
            report(name, *(alone(home, what, name) for what in ("export", "bare", "read")))
    finally:
        if options.home is None:
            shutil.rmtree(home, ignore_errors=True)


def report(name: str, made: dict[str, float], writer: dict[str, float], reading: dict[str, float]) -> None:
    """Print a line."""
    ratio = (made["lines"] / made["seconds"]) / (writer["lines"] / writer["seconds"])
    print(
        f"{name:<13} | {made['lines']:>10,} | {made['mb']:8.0f} | {made['seconds']:11.1f} | "
        f"{made['clock']:7.1f} | {made['rss']:7.0f} | {reading['seconds']:15.1f} | {ratio:.2f}",
        flush=True,
    )


if __name__ == "__main__":
    main()
