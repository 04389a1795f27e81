"""Compare an import with a bare Pillow decode of the same files, per image, in the same run.

    STUDY_DATA=PATH .venv/bin/python benchmarks/bench_import.py [--runs 3]

Decode and import take turns, so that both see the same caches and neighbours; every import goes into a
project of its own, in a SQLite database and a media folder that are thrown away. Without STUDY_DATA
drawn files of about the same size stand in. `repeat` is a second run, which only reads and compares;
`display` draws the copies, which a worker does in the background. Memory is the peak of the whole
process after a quarter of the images and after all. Trust the ratios, not the seconds.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SIDE, DRAWN = 768, 60


def main() -> None:
    """Measure and print JSON."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--runs", type=int, default=3)
    options = parser.parse_args()
    home = Path(tempfile.mkdtemp(prefix="anatomark-bench-"))
    try:
        start_django(home)
        print(json.dumps(measure(study(home), options.runs), indent=2))
    finally:
        shutil.rmtree(home, ignore_errors=True)


def start_django(home: Path) -> None:
    """Set Django up on a temporary database."""
    os.environ |= {"VAR_DIR": str(home), "MEDIA_ROOT": str(home / "media")}
    os.environ |= {"DJANGO_SETTINGS_MODULE": "config.settings", "LOG_LEVEL": "ERROR"}
    for name in ("DATABASE_URL", "REDIS_URL"):
        os.environ.pop(name, None)
    sys.path.insert(0, str(ROOT))
    import django
    from django.core.management import call_command

    django.setup()
    call_command("migrate", verbosity=0)


def study(home: Path) -> Path:
    """Return the folder to import: the published study, or generated noise."""
    given = os.environ.get("STUDY_DATA", "")
    if given and Path(given, "images").is_dir():
        return Path(given)
    from PIL import Image

    for number in range(DRAWN):
        path = home / "study" / "images" / "noise" / f"prompt_{number % 10}" / f"{number // 10}.jpg"
        path.parent.mkdir(parents=True, exist_ok=True)
        Image.effect_noise((SIDE, SIDE), 40 + number).convert("RGB").save(path, quality=80)
    return home / "study"


def measure(folder: Path, runs: int) -> dict[str, object]:
    """Return seconds per image of each step (medians), ratios to the decode, and peak memory."""
    files = sorted(
        path for path in (folder / "images").rglob("*") if path.suffix in (".jpg", ".png", ".webp")
    )
    seconds: dict[str, list[float]] = {"decode": [], "import": [], "repeat": [], "display": []}
    memory: dict[str, float] = {}
    decode(files)  # warms the disk's cache for both
    for run in range(runs):
        for step, act in steps(folder, files, run, memory).items():
            begin = time.perf_counter()
            act()
            seconds[step].append((time.perf_counter() - begin) / len(files))
    return summary(folder, len(files), seconds, memory)


def steps(
    folder: Path, files: list[Path], run: int, memory: dict[str, float]
) -> dict[str, Callable[[], None]]:
    """Return the timed steps, in order."""
    from annotator.exchange import import_study
    from annotator.images.display import make_display
    from annotator.models import Project

    project = Project.objects.create(slug=f"run-{run}", name=f"Run {run}")

    def note(done: int, _: int) -> None:
        if done in (len(files) // 4, len(files)):
            memory.setdefault(f"peak MB after {done} images", peak_megabytes())

    def first() -> None:
        added = import_study(folder, project=project, progress=note).images_added
        if added != len(files):
            raise SystemExit(f"{added} of {len(files)} images went in.")

    def again() -> None:
        import_study(folder, project=project)

    def display() -> None:
        for pk in project.images.values_list("pk", flat=True):
            make_display(pk)

    return {"decode": lambda: decode(files), "import": first, "repeat": again, "display": display}


def decode(files: list[Path]) -> None:
    """Decode with Pillow: open and load, one after another."""
    from PIL import Image

    for path in files:
        with Image.open(path) as picture:
            picture.load()


def peak_megabytes() -> float:
    """Return the peak memory of this process (Linux counts in KB)."""
    return round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, 1)


def summary(
    folder: Path, images: int, seconds: dict[str, list[float]], memory: dict[str, float]
) -> dict[str, object]:
    """Return the figures as printed."""
    rows = folder / "data" / "annotations.csv"
    return {
        "images": images,
        "annotations": max(0, len(rows.read_text(encoding="utf-8").splitlines()) - 1)
        if rows.is_file()
        else 0,
        "milliseconds per image": {
            step: round(1000 * statistics.median(taken), 2) for step, taken in seconds.items()
        },
        "ratio to the decode": {
            step: [round(one / bare, 2) for one, bare in zip(taken, seconds["decode"], strict=True)]
            for step, taken in seconds.items()
            if step != "decode"
        },
        "memory": memory,
    }


if __name__ == "__main__":
    main()
