"""Play every race so many times and count what did not hold.

    .venv/bin/python -m benchmarks.races                                    200 rounds of each, on SQLite
    .venv/bin/python -m benchmarks.races --database postgresql              as DATABASE_URL says
    .venv/bin/python -m benchmarks.races --rounds 20 --only "four tabs submit"

Jobs of a round are threads with connections of their own, let loose at once or a few milliseconds apart. On
SQLite every second round is played as several processes would: without the turn that the writers of one
process take. Ends with status 1 where anything did not hold, or where a scenario without its protection did.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from benchmarks.races.rounds import Found

HERE = "postgres://postgres@127.0.0.1:5432/postgres"


def main() -> int:
    """Play, print a table, and return the exit status."""
    options = _options()
    start_django(options.database)
    from benchmarks.races.table import BY_NAME
    from tests.annotator.uploads.bringing import reading_here
    from tests.support.signing_in import signed_in_quickly

    names = options.only or list(BY_NAME)
    with reading_here(), signed_in_quickly():
        return _played(names, options)


def _played(names: list[str], options: argparse.Namespace) -> int:
    from benchmarks.races.rounds import play
    from benchmarks.races.table import BY_NAME, CONTROLS, SCENARIOS

    print(f"{'Race':48} {'database':11} {'rounds':>6}  {'broken':>6}")
    begun = time.monotonic()
    held = [_told(play(one, options.rounds), options.database) for one in SCENARIOS if one.name in names]
    print(f"\n{'Without protection':48} {'':11} {'rounds':>6}  {'broken':>6}")
    found = []
    for name, words, switched_off in CONTROLS:
        if name in names:
            with switched_off():
                control = play(BY_NAME[name], min(options.rounds, 20))
            print(f"{name + ': ' + words:70.70} {control.rounds:>6}  {control.broken_rounds:>6}")
            found.append(control.broken_rounds > 0)
    print(
        f"\n{len(held)} scenarios x {options.rounds} rounds on {options.database} "
        f"in {time.monotonic() - begun:.0f} s"
    )
    print(f"Rounds in which an invariant did not hold: {sum(held)}")
    return int(bool(sum(held)) or not all(found))


def _told(found: Found, database: str) -> int:
    seconds = f"{found.seconds:.0f} s"
    print(
        f"{found.name:48} {database:11} {found.rounds:>6}  {found.broken_rounds:>6}  {seconds:>6}", flush=True
    )
    for kinds, count in found.outcomes.most_common():
        print(f"    {count:>4} x {kinds}")
    for line in found.broken[:5]:
        print(f"    BROKEN {line}")
    return found.broken_rounds


def start_django(database: str) -> None:
    """A database of the run's own, thrown away at its end, and a folder of its own."""
    if database == "sqlite":
        os.environ.pop("DATABASE_URL", None)
    else:
        os.environ.setdefault("DATABASE_URL", HERE)
    os.environ.pop("REDIS_URL", None)
    os.environ["DJANGO_SETTINGS_MODULE"] = "tests.settings"
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent.parent))
    import atexit
    import logging

    import django
    from django.test.utils import setup_databases, setup_test_environment, teardown_databases

    django.setup()
    logging.disable(logging.WARNING)
    setup_test_environment()
    made = setup_databases(verbosity=0, interactive=False)
    atexit.register(teardown_databases, made, verbosity=0)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.races",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--rounds", type=int, default=200)
    parser.add_argument("--database", choices=("sqlite", "postgresql"), default="sqlite")
    parser.add_argument(
        "--only", action="append", metavar="SCENARIO", help="by name; may be given several times"
    )
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
