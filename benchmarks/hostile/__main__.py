"""Make hostile files from a seed, send them the way people do, and count what came of it.

    .venv/bin/python -m benchmarks.hostile                  the record
    .venv/bin/python -m benchmarks.hostile --share 0.1      a tenth of it
    .venv/bin/python -m benchmarks.hostile --growth         only how the time grows with the size of the file

Archives and pictures go through uploads, reading, storing and drawing, each corpus in a worker process of its
own; tables through the page that takes annotations made elsewhere, and out by the exports; cells through the
notation's reader, all of them up to five characters over twelve letters, beside a second reader. That markup
runs nowhere is the browser's to say: tests/browser/test_markup.py. Ends with status 1 where a bar is missed.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent.parent))
from benchmarks.bench_import import start_django

COUNTS = {"archives": 420, "pictures": 1_000, "largest": 5}
TABLES, TRIPS = 550, 20
MOST_MEGABYTES = 400
BARS = ("worker deaths", "files outside", "wrong pixels", "valid, not stored", "ended in an error")
TABLE_BARS = ("5xx", "jobs ended in an error", "mismatches", "live formulas")


def main() -> int:
    """Run all corpora, print the findings, and return the exit status."""
    options = _options()
    home = Path(tempfile.mkdtemp(prefix="anatomark-hostile-"))
    try:
        start_django(home)
        _as_tests_do()
        from benchmarks.hostile import uploads

        if options.make:
            uploads.make(options.make, options.seed, options.count, options.corpus)
            return 0
        if options.corpus:
            print(json.dumps(uploads.go_through(options.corpus, home)))
            return 0
        return _growth() if options.growth else _all(options.seed, options.share) | _growth()
    finally:
        shutil.rmtree(home, ignore_errors=True)


def _all(seed: int, share: float) -> int:
    from benchmarks.hostile import tables, uploads

    chance = random.Random(seed)
    counts = {name: max(5, round(count * share)) for name, count in COUNTS.items()}
    found = uploads.measured(seed, counts)
    missed = [f"{corpus}: {bar}" for corpus, each in found.items() for bar in BARS if each.get(bar)]
    for corpus, each in found.items():
        _say(corpus, each)
        most = max(each.get("worker MB", 0), each.get("decoder MB", 0))
        if most > MOST_MEGABYTES:
            missed.append(f"{corpus}: {most} MB")
    sent = tables.sent(chance, round(TABLES * share))
    trips = tables.there_and_back(chance, max(1, round(TRIPS * share)))
    _say("malformed tables", sent)
    _say("there and back", trips)
    missed += [f"tables: {bar}" for bar in TABLE_BARS if sent.get(bar) or trips.get(bar)]
    grammar = _grammar()
    _say("cells", grammar)
    missed += ["cells: disagreements"] if grammar["disagreements"] else []
    print("Targets missed: " + (", ".join(missed) if missed else "none"))
    return int(bool(missed))


def _growth() -> int:
    from benchmarks.hostile import growth

    steep = []
    for name, each in growth.measured():
        _say(name, each)
        steep += [name] if each["exponent"] > growth.HIGHEST else []
    print("Grow too fast: " + (", ".join(steep) if steep else "none"))
    return int(bool(steep))


def _grammar() -> dict[str, int]:
    from scoring.grid.notation import read_cell
    from tests.scoring.reference import every_short_text, reference

    found = {"strings": 0, "accepted": 0, "disagreements": 0}
    for text in every_short_text():
        terms, problems = read_cell(text)
        ours = [(term.severity, term.affected, term.total) for term in terms], not problems
        found["strings"] += 1
        found["accepted"] += bool(terms) and not problems
        found["disagreements"] += ours != reference(text)
    return found


def _as_tests_do() -> None:
    """Allow the test client's host, and turn a failing page into a response without output."""
    import logging

    from django.conf import settings

    settings.ALLOWED_HOSTS = ["*"]
    logging.disable(logging.CRITICAL)
    # No power cut is tested, and flushing thousands of files is slow.
    os.fsync = lambda _: None  # type: ignore[assignment]


def _say(corpus: str, found: dict[str, Any]) -> None:
    print(
        f"{corpus}: "
        + ", ".join(
            f"{name} {value:,}" if isinstance(value, int | float) else f"{name} {value}"
            for name, value in found.items()
        ),
        flush=True,
    )


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.hostile",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--share", type=float, default=1.0, help="of the record's numbers; default 1")
    parser.add_argument("--growth", action="store_true", help="only how the time grows")
    parser.add_argument("--make", help=argparse.SUPPRESS)
    parser.add_argument("--corpus", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--count", type=int, default=0, help=argparse.SUPPRESS)
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
