"""How long do exports take, and how much memory?

    .venv/bin/python -m benchmarks.exports [--annotations 1000000] [--only marks.csv,sheet.csv,bundle]

Each file is written to /dev/null by a process of its own, and beside it a bare `csv.writer` writes the same
lines, already made, from memory. Seconds are the processor's; the ratio is the export's lines per second over
the bare writer's. The bundle is without reports and images. Ends with status 1 above the limits of memory.
"""

from __future__ import annotations

import argparse
import csv
import os
import sys
import time
from collections.abc import Iterable
from itertools import islice
from pathlib import Path
from typing import Any, Final

from benchmarks.synthetic import apart, home

LIMIT_MB: Final = 250  # with the 64 MB that SQLite maps
LIMIT_BUNDLE_MB: Final = 400
FILES: Final = ("marks.csv", "sheet.csv", "scores.csv", "images.csv", "marks.parquet", "bundle")
BARE_LINES: Final = 200_000


def main() -> int:
    """Print a line for every file; return the exit status."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--annotations", type=int, default=1_000_000)
    parser.add_argument("--only", default=",".join(FILES))
    options = parser.parse_args()
    print(f"{options.annotations:,} annotations\n")
    print("file          |      lines | file MB | processor s | clock s | peak MB | of a bare csv.writer")
    heavy = False
    with home() as folder:
        apart(folder, "synthetic.fill", options.annotations)
        for name in options.only.split(","):
            limit = LIMIT_BUNDLE_MB if name == "bundle" else LIMIT_MB
            heavy |= _line(folder, name) > limit
    return int(heavy)


def _line(folder: Path, name: str) -> float:
    """Print the cost of one file and return its peak of megabytes."""
    whole = name == "bundle"
    cost = apart(folder, "exports.bundle") if whole else apart(folder, "exports.export", name)
    ratio = "-"
    if not whole:
        bare = apart(folder, "exports.bare", name)
        ratio = f"{cost['lines'] / cost['processor'] / (bare['lines'] / bare['seconds']):.2f}"
    size = f"{cost.get('lines', 0):>10,} | {cost['mb']:7.0f}"
    seconds = f"{cost['processor']:11.1f} | {cost['clock']:7.1f}"
    print(f"{name:<13} | {size} | {seconds} | {cost['megabytes']:7.0f} | {ratio}", flush=True)
    return float(cost["megabytes"])


def export(name: str) -> dict[str, Any]:
    """Run one export and discard it; return its lines and megabytes."""
    from analysis.exports.requests import ExportRequest
    from annotator.models import Project

    layout, form = name.split(".")
    pieces = ExportRequest(layout, form).export(Project.objects.get())
    return {"mb": _discarded(pieces) / 1e6, "lines": pieces.lines}


def bundle() -> dict[str, Any]:
    """Write a publication bundle and discard it; return its megabytes."""
    from analysis.bundles import reports
    from analysis.bundles.bundle_jobs import write_bundle
    from analysis.bundles.source import BundleRequest
    from annotator.models import Project

    reports.bring_up_to_date = lambda *_: None
    request = BundleRequest(pictures=False)
    size, *_ = write_bundle(Project.objects.get(), request, lambda *_: None, _discarded)
    return {"mb": size / 1e6}


def bare(name: str) -> dict[str, Any]:
    """Write an export's first lines from memory, three times; return their number and the best seconds."""
    from analysis.exports.columns import CSV
    from analysis.exports.filters import Filters
    from analysis.exports.registry import layouts_of
    from analysis.exports.source import ExportSource
    from annotator.models import Project

    source = ExportSource(Project.objects.get(), Filters(), CSV, hidden=False)
    layout = layouts_of("anatomy")[name.split(".")[0]]
    lines = [
        ["" if value is None else str(value) for value in line]
        for line in islice(layout.lines(source), BARE_LINES)
    ]
    seconds = []
    for _ in range(3):
        with open(os.devnull, "w", newline="", encoding="utf-8") as nowhere:
            begun = time.process_time()
            csv.writer(nowhere, lineterminator="\r\n").writerows(lines)
            seconds.append(time.process_time() - begun)
    return {"lines": len(lines), "seconds": min(seconds)}


def _discarded(pieces: Iterable[bytes]) -> int:
    with open(os.devnull, "wb") as nowhere:
        return sum(nowhere.write(piece) for piece in pieces)


if __name__ == "__main__":
    sys.exit(main())
