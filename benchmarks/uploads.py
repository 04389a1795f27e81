"""How long do uploads and imports take beside a bare decode and write of the same files?

    STUDY_DATA=folder .venv/bin/python -m benchmarks.uploads [--runs 3] [--many 10000]

`bare` reads, decodes (Pillow) and writes each image of the published study. `read` hashes, decodes in
processes, names and compares; `store` writes image and row to the disk; `copies` draws the display copies in
two processes. Aims: stored within 1.8, in all within 6 times the bare work. The number of small files must
not raise memory. Other work on the machine changes seconds, but hardly ratios.
"""

from __future__ import annotations

import argparse
import json
import os
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from io import BytesIO
from multiprocessing import get_context
from pathlib import Path
from statistics import median
from typing import Any, Final

from benchmarks.synthetic import apart, home

ROWS: Final = 10_000
PROCESSES: Final = 2


def main() -> None:
    """Print JSON."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--many", type=int, default=10_000)
    options = parser.parse_args()
    with home() as folder:
        found = apart(folder, "uploads.beside_bare", os.environ["STUDY_DATA"], options.runs)
    for count in (240, options.many):
        with home() as folder:
            found[f"{count:,} small files"] = apart(folder, "uploads.small", count)
    with home() as folder:
        found[f"{ROWS:,} rows"] = apart(folder, "uploads.rows")
    print(json.dumps(found, indent=2))


def beside_bare(study: str, runs: int) -> dict[str, Any]:
    """Return seconds of each step (medians), and the ratios to the bare work of each run."""
    from annotator.models import Project
    from annotator.uploads.from_server import import_study

    images = Path(study, "images")
    files = [path for path in sorted(images.rglob("*")) if path.suffix in (".jpg", ".png", ".webp")]
    seconds: dict[str, list[float]] = {}
    for run in range(runs):
        project = Project.objects.create(slug=f"study-{run}", name="Study")
        steps: dict[str, Callable[[], Any]] = {
            "bare": partial(_bare, files, Path(os.environ["VAR_DIR"], f"bare-{run}")),
            **_upload(images, len(files)),
            "import of the study": partial(import_study, Path(study), project=project),
        }
        for name, step in steps.items():
            begun = time.perf_counter()
            step()
            seconds.setdefault(name, []).append(time.perf_counter() - begun)
    stored = [read + store for read, store in zip(seconds["read"], seconds["store"], strict=True)]
    whole = [first + copies for first, copies in zip(stored, seconds["copies"], strict=True)]
    return {
        "images": len(files),
        "seconds": {name: round(median(taken), 2) for name, taken in seconds.items()},
        "stored / bare": [round(ours / bare, 2) for ours, bare in zip(stored, seconds["bare"], strict=True)],
        "in all / bare": [round(ours / bare, 2) for ours, bare in zip(whole, seconds["bare"], strict=True)],
    }


def small(count: int) -> dict[str, Any]:
    """Return seconds of each step for distinct images of 256 × 256 pixels, of 5 generators."""
    from PIL import Image

    folder = Path(os.environ["VAR_DIR"], "small")
    for number in range(count):
        path = folder / f"generator {number % 5}/a prompt/{number}.png"
        path.parent.mkdir(parents=True, exist_ok=True)
        Image.new("RGB", (256, 256), (number >> 16, number >> 8 & 255, number & 255)).save(path)
    seconds: dict[str, float] = {}
    for name, step in _upload(folder, count, "{generator}/{prompt}/{number}").items():
        begun = time.perf_counter()
        step()
        seconds[name] = round(time.perf_counter() - begun, 1)
    return seconds


def rows() -> dict[str, Any]:
    """Import ROWS rows of the published sheet for 240 images."""
    from annotator.exchange.annotation_files import check_annotations, store_checked
    from annotator.models import Annotation, Image, Project
    from tests.annotator.exchange.conftest import sheet_row, sheet_text

    project = Project.objects.create(slug="rows", name="Rows")
    Image.objects.bulk_create(
        Image(
            project=project, sha256=f"{n:064x}", generator="sdxl", prompt="hug", number=n, width=8, height=8
        )
        for n in range(1, 241)
    )
    cells = {"missing.limbs": "1/4c", "extra.hands": "1/5b"}
    path = Path(os.environ["VAR_DIR"], "annotations.csv")
    lines = [sheet_row(f"sdxl_hug_{n % 240 + 1:02}", f"anno{n // 240}", cells) for n in range(ROWS)]
    path.write_text(sheet_text(lines), encoding="utf-8")
    store_checked(check_annotations(path, project=project), project=project)
    assert Annotation.objects.count() == ROWS
    return {}


def _bare(files: list[Path], target: Path) -> None:
    from PIL import Image

    target.mkdir()
    for number, path in enumerate(files):
        contents = path.read_bytes()
        with Image.open(BytesIO(contents)) as picture:
            picture.load()
        (target / str(number)).write_bytes(contents)


def _upload(folder: Path, images: int, pattern: str = "") -> dict[str, Callable[[], Any]]:
    """Return the steps that read and store a folder as one upload and draw its copies."""
    from django.db import connections

    from annotator.images.display import make_displays
    from annotator.models import Project
    from annotator.uploads.from_server import upload_from
    from annotator.uploads.upload_jobs import request_reading, request_storing
    from annotator.work.jobs import run_job
    from annotator.work.sending import DISPLAYS_AT_ONCE

    project = Project.objects.create(slug=f"upload-{Project.objects.count()}", name="Upload")
    upload = upload_from(project=project, source=str(folder), pattern=pattern, choices={})

    def draw() -> None:
        ids = list(project.images.order_by("pk").values_list("pk", flat=True))
        connections.close_all()
        with ProcessPoolExecutor(PROCESSES, mp_context=get_context("fork")) as processes:
            starts = range(0, images, DISPLAYS_AT_ONCE)
            list(processes.map(make_displays, (ids[n : n + DISPLAYS_AT_ONCE] for n in starts)))
        assert project.images.filter(display_state="ready").count() == images

    return {
        "read": lambda: run_job(request_reading(upload=upload, actor=None, send=False).pk),
        "store": lambda: run_job(request_storing(upload=upload, actor=None, send=False).pk),
        "copies": draw,
    }


if __name__ == "__main__":
    main()
