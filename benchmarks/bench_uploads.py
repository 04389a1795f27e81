"""Compare an upload, per image, with a bare Pillow decode and write of the same files.

    STUDY_DATA=PATH .venv/bin/python benchmarks/bench_uploads.py [--runs 3] [--many 10000] [--quick]

Bare work and upload take turns, so that both see the same caches and neighbours. `read` lists, hashes and
decodes (two processes at once), reads names and looks for copies; `store` writes each picture, pushed to the
disk, and its row; `copies` draws the display copies in two processes, as the workers of a site do. The bare
write is not pushed to the disk; `bare, pushed` is. Every upload goes into a project of its own, in a SQLite
database and a media folder that are thrown away. Memory is the peak of the worker's process for the given
number of small files, each in a process of its own; the decoders' is beside it. Trust the ratios, not the
seconds. `--quick` leaves out the memory.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from io import BytesIO
from multiprocessing import get_context
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from benchmarks.bench_import import start_django, study

FEW = 240
DRAWERS = 2
"""Processes of the worker that draws: `WORKER_PROCESSES`."""


def main() -> None:
    """Measure and print JSON."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--many", type=int, default=10_000)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--memory-of", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    home = Path(tempfile.mkdtemp(prefix="anatomark-bench-"))
    try:
        start_django(home)
        if options.memory_of:
            print(json.dumps(memory_of(options.memory_of)))
        else:
            found = measure(study(home), home, options.runs)
            more = {} if options.quick else {"memory": memory(options.many)}
            print(json.dumps(found | more, indent=2))
    finally:
        shutil.rmtree(home, ignore_errors=True)


def measure(folder: Path, home: Path, runs: int) -> dict[str, Any]:
    """Return images per second (median of the runs), and the ratio to the bare work."""
    files = sorted(
        path for path in (folder / "images").rglob("*") if path.suffix in (".jpg", ".png", ".webp")
    )
    seconds: dict[str, list[float]] = {"bare": [], "bare, pushed": [], "read": [], "store": [], "copies": []}
    bare(files, home / "warm", push=False)  # warms the disk's cache for both
    for run in range(runs):
        reading, storing, drawing = upload_of(folder / "images", run, len(files))
        steps: dict[str, Callable[[], None]] = {
            "bare": lambda run=run: bare(files, home / f"bare-{run}", push=False),  # type: ignore[misc]
            "bare, pushed": lambda run=run: bare(files, home / f"pushed-{run}", push=True),  # type: ignore[misc]
            "read": reading,
            "store": storing,
            "copies": drawing,
        }
        for step, act in steps.items():
            begin = time.perf_counter()
            act()
            seconds[step].append(time.perf_counter() - begin)
    stored = [read + store for read, store in zip(seconds["read"], seconds["store"], strict=True)]
    whole = [first + copies for first, copies in zip(stored, seconds["copies"], strict=True)]
    parts = {"stored": (stored, 1.8), "copies": (seconds["copies"], 4.0), "in all": (whole, 6.0)}
    return {
        "images": len(files),
        "images per second": {
            step: round(len(files) / statistics.median(taken), 1)
            for step, taken in {**seconds, "in all": whole}.items()
        },
        "times as long as bare, by run": {
            name: ratios(ours, seconds["bare"]) for name, (ours, _) in parts.items()
        },
        "times as long as bare, pushed": {
            name: ratios(ours, seconds["bare, pushed"]) for name, (ours, _) in parts.items()
        },
        "aim": {name: aim for name, (_, aim) in parts.items()},
    }


def ratios(ours: list[float], plain: list[float]) -> list[float]:
    """Return how many times as long as the bare work each run took."""
    return [round(mine / least, 2) for mine, least in zip(ours, plain, strict=True)]


def bare(files: list[Path], target: Path, *, push: bool) -> None:
    """Do the minimum: read and decode a file, and write it elsewhere."""
    from PIL import Image

    target.mkdir()
    for number, path in enumerate(files):
        contents = path.read_bytes()
        with Image.open(BytesIO(contents)) as picture:
            picture.load()
        with (target / str(number)).open("wb") as file:
            file.write(contents)
            if push:
                os.fsync(file.fileno())


def upload_of(folder: Path, run: int, images: int) -> tuple[Callable[[], None], ...]:
    """Return the steps that read and store a folder's upload and draw its copies; all are checked."""
    from django.db import connections

    from annotator.images.display import make_displays
    from annotator.models import Project
    from annotator.uploads.from_server import upload_from
    from annotator.uploads.upload_jobs import request_reading, request_storing
    from annotator.work.jobs import run_job
    from annotator.work.sending import DISPLAYS_AT_ONCE

    project = Project.objects.create(slug=f"run-{run}-{images}", name=f"Run {run}")
    upload = upload_from(project=project, source=str(folder), pattern="", choices={})

    def read() -> None:
        run_job(request_reading(upload=upload, actor=None, send=False).pk)

    def store() -> None:
        run_job(request_storing(upload=upload, actor=None, send=False).pk)
        if project.images.count() != images:
            raise SystemExit(f"{project.images.count()} of {images} images went in.")

    def draw() -> None:
        with ProcessPoolExecutor(DRAWERS, mp_context=get_context("fork")) as processes:
            ids = list(project.images.order_by("pk").values_list("pk", flat=True))
            connections.close_all()
            chunks = (ids[start : start + DISPLAYS_AT_ONCE] for start in range(0, images, DISPLAYS_AT_ONCE))
            list(processes.map(make_displays, chunks))
        if project.images.filter(display_state="ready").count() != images:
            raise SystemExit("Some display copies are missing.")

    return read, store, draw


def memory(many: int) -> dict[str, Any]:
    """Return the peak megabytes of the worker and its decoders, for few and many files."""
    return {f"{count:,} files": json.loads(_apart(count)) for count in (FEW, many)}


def _apart(count: int) -> str:
    command = [sys.executable, str(Path(__file__)), "--memory-of", str(count)]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def memory_of(count: int) -> dict[str, float]:
    """Read and store small files; return the peak memory of this process and the largest decoder."""
    from annotator.images.drawing import close_idle

    home = Path(tempfile.mkdtemp(prefix="anatomark-bench-"))
    try:
        for name, contents in small_files(count):
            path = home / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(contents)
        begin = time.perf_counter()
        for act in upload_of(home, 0, count):
            act()
        taken = time.perf_counter() - begin
    finally:
        close_idle()
        shutil.rmtree(home, ignore_errors=True)
    return {
        "worker MB": megabytes(resource.RUSAGE_SELF),
        "decoder MB": megabytes(resource.RUSAGE_CHILDREN),
        "seconds in all": round(taken, 1),
        "images per second": round(count / taken, 1),
    }


def small_files(count: int) -> Iterator[tuple[str, bytes]]:
    """Write distinct images of 64 × 64 pixels, of 5 generators and 20 prompts."""
    from PIL import Image

    for number in range(count):
        buffer = BytesIO()
        Image.new("RGB", (64, 64), (number >> 16, number >> 8 & 255, number & 255)).save(buffer, "PNG")
        yield (
            f"generator {number % 5}/prompt {'abcdefghijklmnopqrst'[number // 5 % 20]}/{number}.png",
            buffer.getvalue(),
        )


def megabytes(who: int) -> float:
    """Return the peak memory (Linux counts in KB)."""
    return round(resource.getrusage(who).ru_maxrss / 1024, 1)


if __name__ == "__main__":
    main()
