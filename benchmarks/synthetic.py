"""A large project in a SQLite database of its own, and work measured in a process of its own.

Annotations are drawn from 500 that the product itself has rated: up to ten marks each, a third of them
pinned. 50 annotators judge every image once, and every fourth a second time.
"""

from __future__ import annotations

import json
import os
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from importlib import import_module
from itertools import islice
from pathlib import Path
from typing import Any, Final

ROOT: Final = Path(__file__).resolve().parent.parent
PEOPLE: Final = 50
_CHUNK: Final = 5_000
_BEGUN: Final = datetime(2026, 3, 1, tzinfo=UTC)


@contextmanager
def home() -> Iterator[Path]:
    """A folder for a database and media, thrown away after the block."""
    with tempfile.TemporaryDirectory(prefix="anatomark-bench-") as folder:
        yield Path(folder)


def start_django(folder: Path) -> None:
    """Set Django up on an embedded database in a folder."""
    os.environ |= {"VAR_DIR": str(folder), "MEDIA_ROOT": str(folder / "media"), "LOG_LEVEL": "ERROR"}
    os.environ["DJANGO_SETTINGS_MODULE"] = "config.settings"
    for name in ("DATABASE_URL", "REDIS_URL"):
        os.environ.pop(name, None)
    import django
    from django.core.management import call_command

    django.setup()
    call_command("migrate", verbosity=0)


def apart(folder: Path, name: str, *arguments: Any) -> dict[str, Any]:
    """Return what `module.function` of this package returns, with the cost of its process.

    Added are `clock` and `processor`, in seconds, and `megabytes`, the peak of the whole process.
    """
    command = [sys.executable, "-m", "benchmarks.synthetic", str(folder), name, json.dumps(arguments)]
    # Threads that wait for a busy core would count as work.
    env = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}
    done = subprocess.run(command, cwd=ROOT, env=env, check=True, stdout=subprocess.PIPE, text=True)
    return dict(json.loads(done.stdout.splitlines()[-1]))


def fill(annotations: int) -> dict[str, Any]:
    """Store the project `bench` with so many submitted annotations, and its galleries' summaries."""
    from annotator.annotations.summaries import summarise
    from annotator.models import Annotation, Assignment, Batch, Membership, Project

    project = Project.objects.create(slug="bench", name="Bench")
    batch = Batch.objects.create(project=project, name="batch")
    codes = [f"annotator {number:02}" for number in range(PEOPLE)]
    people = Membership.objects.bulk_create(
        Membership(project=project, role="annotator", code=code) for code in codes
    )
    add_images(project, annotations * 4 // 5 + 1)
    images = list(project.images.order_by("pk").values_list("pk", flat=True))
    _store(
        Assignment(
            batch=batch,
            image_id=images[number % len(images)],
            annotator=people[(number % len(images) + number // len(images) * 7) % PEOPLE],
            position=number + 1,
            status="done",
        )
        for number in range(annotations)
    )
    draw = random.Random(7)
    answers = [_answer(draw) for _ in range(500)]
    owed = batch.assignments.order_by("pk").values_list("pk", "position")
    _store(
        Annotation(
            assignment_id=pk,
            **draw.choice(answers),
            status="submitted",
            version=2,
            active_ms=60_000,
            **dict.fromkeys(("saved_at", "submitted_at"), _BEGUN + timedelta(minutes=position or 0)),
        )
        for pk, position in owed.iterator(_CHUNK)
    )
    for start in range(0, len(images), _CHUNK):
        summarise(project.pk, images[start : start + _CHUNK], "anatomy")
    return {}


def add_images(project: Any, count: int, **fields: Any) -> None:
    """Store rows of images without files, of 3 generators and 10 prompts."""
    from annotator.models import Image

    _store(
        Image(
            project=project,
            sha256=f"{number:064x}",
            number=number,
            source_name=f"{number}.png",
            generator=f"generator {number % 3}",
            prompt=f"two people, hugging {number // 3 % 10}",
            prompt_group="pair",
            **{"file": f"{number}.png", "format": "PNG", "width": 768, "height": 512, **fields},
        )
        for number in range(count)
    )


def _store(rows: Iterable[Any]) -> None:
    remaining = iter(rows)
    while chunk := list(islice(remaining, _CHUNK)):
        type(chunk[0]).objects.bulk_create(chunk)


def _answer(draw: random.Random) -> dict[str, Any]:
    """Return a random payload and its ratings."""
    from annotator.annotations.saving import checked_annotation
    from scoring.anatomy.protocol import ANATOMY
    from scoring.grid.severity_weights import DEFAULT_WEIGHTS
    from scoring.grid.taxonomy import CELLS

    marks = []
    for cell in draw.sample(CELLS, draw.randrange(11)):
        kind, part = cell.key.split(".")
        total = draw.randrange(1, 7)
        pin = {"x": draw.randrange(1000) / 1000, "y": draw.randrange(1000) / 1000}
        counted = {"affected": draw.randrange(1, total + 1), "total": total, "own_total": True}
        pins = [pin] if draw.random() < 1 / 3 else []
        marks.append({"type": kind, "part": part, "severity": draw.choice("abc"), **counted, "pins": pins})
    payload: dict[str, Any] = {
        "people": None,
        "counts": {"expected": {}, "visible": {}},
        "counts_set": {"expected": [], "visible": []},
        "marks": marks,
        "no_errors": not marks,
        "flag": None,
        "note": "",
    }
    cleaned, ratings = checked_annotation(payload, ANATOMY, DEFAULT_WEIGHTS)
    return {"payload": cleaned, "ratings": ratings}


def main() -> None:
    """Run one function for `apart` and print its result as JSON."""
    folder, name, arguments = sys.argv[1:]
    start_django(Path(folder))
    module, function = name.split(".")
    work = getattr(import_module(f"benchmarks.{module}"), function)
    clock, processor = time.perf_counter(), time.process_time()
    result = work(*json.loads(arguments))
    cost = {"clock": time.perf_counter() - clock, "processor": time.process_time() - processor}
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps({**cost, "megabytes": peak, **result}))


if __name__ == "__main__":
    main()
