"""Measure a publication bundle: memory and time to write it, at two sizes.

    .venv/bin/python benchmarks/bench_bundle.py [--sizes 100000,200000]

Synthetic projects in SQLite databases of their own, as in bench_exports.py, each step in a process of its own
so that peak memory (the whole process, `resource`; the process that draws figures aside) is its own. Reports
are left out: computing them is measured in the section on reports, and would hide what is asked here. Bundles
have hashes instead of pictures, because pictures are copied one by one.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Final

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.bench_exports import fill, start_django

LIMIT_MB: Final = 400
LIMIT_GROWTH: Final = 1.25


def prepared(annotations: int) -> None:
    """Create the project `bench`, with annotations and ratings as stored at submission."""
    fill(annotations)
    from django.db import connection

    from annotator.annotations.saving import rate
    from annotator.models import Annotation
    from scoring.anatomy.protocol import ANATOMY
    from scoring.grid.severity_weights import DEFAULT_WEIGHTS

    connection.ensure_connection()
    with connection.cursor() as cursor:
        last = 0
        while rows := list(
            Annotation.objects.filter(pk__gt=last).order_by("pk").values_list("pk", "payload")[:2000]
        ):
            texts = []
            for pk, payload in rows:
                payload |= {"people": None, "counts": {"expected": {}, "visible": {}}}
                for mark in payload["marks"]:
                    mark["own_total"] = True
                ratings = rate(payload, ANATOMY, DEFAULT_WEIGHTS)
                texts.append((json.dumps(payload), json.dumps(ratings), pk))
            cursor.executemany(
                "UPDATE annotator_annotation SET payload = %s, ratings = %s WHERE id = %s", texts
            )
            last = rows[-1][0]


def write(path: Path) -> dict[str, float]:
    """Write the project's bundle."""
    from analysis.bundles import reports
    from analysis.bundles.bundle_jobs import write_bundle
    from analysis.bundles.requests import BundleRequest
    from annotator.models import Project

    reports.bring_up_to_date = lambda *_: None

    def keep(pieces: Iterable[bytes]) -> int:
        with path.open("wb") as file:
            return sum(file.write(piece) for piece in pieces)

    project = Project.objects.get(slug="bench")
    size, *_ = write_bundle(project, BundleRequest(pictures=False), lambda *_: None, keep)
    return {"mb": size / 1e6}


def one(what: str, home: Path, annotations: int) -> None:
    """Run one step in this process and print its cost."""
    start_django(home)
    if what == "fill":
        prepared(annotations)
        return
    clock, processor = time.perf_counter(), time.process_time()
    done = write(home / "bench.zip")
    done |= {
        "clock": time.perf_counter() - clock,
        "seconds": time.process_time() - processor,
        "rss": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }
    print(json.dumps(done))


def alone(what: str, home: Path, annotations: int) -> dict[str, float]:
    """Run one step in a new process."""
    command = [sys.executable, __file__, "--one", what, "--home", str(home), "--sizes", str(annotations)]
    done = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return dict(json.loads(done)) if done else {}


def main() -> None:
    """Print a line for every size and step, and the growth of memory."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sizes", default="100000,200000")
    parser.add_argument("--one", choices=("fill", "write"), help=argparse.SUPPRESS)
    parser.add_argument("--home", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    sizes = [int(size) for size in options.sizes.split(",")]
    if options.one:
        one(options.one, options.home, sizes[0])
        return
    print("annotations | bundle MB | processor s | clock s | annotations/s | peak MB")
    peaks = []
    for size in sizes:
        with tempfile.TemporaryDirectory(prefix="anatomark-bench-") as folder:
            alone("fill", Path(folder), size)
            made = alone("write", Path(folder), size)
            peaks.append(made["rss"])
            print(
                f"{size:>11,} | {made['mb']:9.1f} | {made['seconds']:11.1f} | "
                f"{made['clock']:7.1f} | {size / made['seconds']:13,.0f} | {made['rss']:7.0f}",
                flush=True,
            )
    print()
    print(f"memory at {sizes[-1]:,} over memory at {sizes[0]:,}: {peaks[-1] / peaks[0]:.2f}")
    if peaks[-1] > LIMIT_MB:
        sys.exit(f"writing took more than {LIMIT_MB} MB")
    if peaks[-1] > LIMIT_GROWTH * peaks[0]:
        sys.exit(f"memory grew by more than {LIMIT_GROWTH}")


if __name__ == "__main__":
    main()
