"""What it costs to bring a database of an earlier version to this one, and how long others wait meanwhile.

    .venv/bin/python -m benchmarks.migrations [--sizes 100000,1000000] [--only sqlite]

A project of so many annotations is stored as the version of migration 0014 had it. The migrations run in a
process of their own, whose peak of memory is printed. On PostgreSQL, at DATABASE_URL, a reader and a writer
go on beside it, one statement after the other; `read` and `write` are the longest that either waited. SQLite
lets one write at a time. Afterwards every old column of every row is compared with what it was.
"""

from __future__ import annotations

import argparse
import os

from benchmarks.migrations.comparing import checked


def main() -> None:
    """Print a line for every size and database."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sizes", default="100000,1000000")
    parser.add_argument("--only", choices=["sqlite", "postgresql"])
    options = parser.parse_args()
    kinds = [options.only] if options.only else ["sqlite", "postgresql"]
    print("annotations | database   | seconds | process MB | read s | write s")
    for count in map(int, options.sizes.split(",")):
        for kind in kinds:
            if kind == "postgresql" and not os.environ.get("DATABASE_URL", "").startswith("postgres"):
                print(f"{count:11,} | {kind:10} | not measured: DATABASE_URL is not set")
                continue
            found = checked(kind, count)
            waits = f"{found.read:6.2f} | {found.write:7.2f}" if kind == "postgresql" else "     – |       –"
            print(
                f"{count:11,} | {kind:10} | {found.seconds:7.1f} | {found.megabytes:10.0f} | {waits}",
                flush=True,
            )


if __name__ == "__main__":
    main()
