"""Annotators at work against the real process set: what they wait for, and what it costs the processor.

    .venv/bin/python -m benchmarks.load                       everything: under ten minutes
    .venv/bin/python -m benchmarks.load --annotators 1,8 --images 240 --seconds 3
    .venv/bin/python -m benchmarks.load --images 240,10000 --only floor,alone    loops beside a bare INSERT

PostgreSQL, Redis, web, worker, beat and proxy on this machine; the annotators are one program of their own
that talks TLS to the proxy and shares the processor. Ends with status 1 where anything failed or where what
is stored is not what was acknowledged.
"""

from __future__ import annotations

import argparse
import json
import shutil
import signal
import sys
import tempfile
from pathlib import Path
from typing import Final

from benchmarks.load.phases import Client, Phase, compared, measure, phases, seed, stored
from benchmarks.load.processor import memory, settle
from benchmarks.load.size import PEOPLE, submitted_before
from benchmarks.load.verdict import summed_up, verdict
from benchmarks.load.words import latencies, throughput
from tests.config.deploy.process_set import ProcessSet, free_ports, missing_programs
from tests.config.deploy.team import interpreter

# As config/deploy/web.py has it.
DEPLOYED_WORKERS: Final = 4


def main() -> int:
    """Measure and print; return the exit status."""
    options = _options()
    if missing := missing_programs():
        print(f"Not found on this machine: {', '.join(missing)}.")
        return 1
    home = Path(tempfile.mkdtemp(prefix="anatomark-load-"))
    python, told = interpreter(home)
    home.chmod(0o755)  # the processes are not root's
    # The product's settings with two bare views.
    extra = {**told, "DJANGO_SETTINGS_MODULE": "benchmarks.bare_settings"}
    if options.web_workers:
        extra["WEB_WORKERS"] = str(options.web_workers)
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # whatever ends this ends the set
    running = ProcessSet(home / "set", free_ports(), python=python, extra=extra)
    try:
        running.prepare()
        running.start_all()
        ends = [_one_size(running, images, options) for images in options.images]
    finally:
        running.stop_all()
        shutil.rmtree(home, ignore_errors=True)
    return 0 if all(ends) else 1


def _one_size(running: ProcessSet, images: int, options: argparse.Namespace) -> bool:
    people = seed(running, images, PEOPLE)
    settle(running)
    client = Client(running)
    try:
        client.tell(people=people)
        everything = phases(options.annotators)
        # Let every web process load its modules first.
        measure(running, client, Phase("warming up", 8), min(3.0, options.seconds))
        found = []
        for phase in (
            each for each in everything if any(part in each.name for part in options.only.split(","))
        ):
            found.append(measure(running, client, phase, options.seconds))
            print(f"{images:,} images, {phase.name}, {phase.annotators}", file=sys.stderr, flush=True)
        there = stored(running, images)
        counted = compared(client, there, PEOPLE * submitted_before(images, PEOPLE))
    finally:
        client.close()
    print(f"{images:,} images, {PEOPLE} people\n\nmilliseconds\n\n{latencies(found)}\n")
    print("milliseconds of the processor for one request, by part of the process set\n")
    print(f"{throughput(found)}\n")
    print(json.dumps({**verdict(found), "stored afterwards": counted}, indent=2), flush=True)
    print()
    if options.summary:
        summary = summed_up(
            found, images, there["bytes"], memory(running), options.web_workers or DEPLOYED_WORKERS
        )
        options.summary.write_text(json.dumps(summary, indent=2) + "\n", encoding="utf-8")
    for each in found:
        for error in each["errors"]:
            print(f"{each['phase']}, {each['annotators']}: {error}", file=sys.stderr)
    wrong = [counted[name] for name in counted if name not in {"submissions", "saves"}]
    return not any(each["failed"] for each in found) and not any(wrong)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.load",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--annotators", type=_numbers, default=[1, 8, 32, 200], help="default 1,8,32,200")
    parser.add_argument("--images", type=_numbers, default=[240, 100_000], help="default 240,100000")
    parser.add_argument("--seconds", type=float, default=13, help="seconds per phase; default 13")
    parser.add_argument("--web-workers", type=int, default=0, help="default: as deployed")
    parser.add_argument("--only", default="", help="only phases whose name contains one of these")
    parser.add_argument("--summary", type=Path, help="file for the input of docs/explanation/scale.md")
    return parser.parse_args()


def _numbers(text: str) -> list[int]:
    return [int(part) for part in text.split(",")]


if __name__ == "__main__":
    sys.exit(main())
