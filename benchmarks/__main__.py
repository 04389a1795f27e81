"""Run the benchmarks and write docs/performance.md: `make benchmarks`.

Numbers are ratios within one run wherever that is possible; absolute seconds depend on the machine.
"""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
TARGET = ROOT / "docs" / "performance.md"


def main() -> None:
    """Measure everything, then write the page."""
    reports = run("bench_reports.py")
    crowded = run("bench_reports.py", "--coders", "50", "--share", "1", "--sizes", "10000,100000")
    imported = json.loads(run("bench_import.py"))
    server = json.loads(run("bench_server.py"))
    browser = json.loads(run("bench_page.py"))
    TARGET.write_text(page(reports, crowded, imported, server, browser), encoding="utf-8")
    print(f"Wrote {TARGET.relative_to(ROOT)}")


def run(*command: str) -> str:
    """Return what one benchmark prints."""
    program = [sys.executable, str(ROOT / "benchmarks" / command[0]), *command[1:]]
    done = subprocess.run(program, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{command[0]} failed:\n{done.stderr}")
    return done.stdout.strip()


def page(
    reports: str,
    crowded: str,
    imported: dict[str, Any],
    server: dict[str, Any],
    browser: dict[str, Any],
) -> str:
    """Return the page in Markdown."""
    return "\n".join(
        [
            "# What it costs",
            "",
            "Made by `make benchmarks`; not edited by hand. Trust the ratios, not the seconds:",
            f"this run had {os.cpu_count()} cores, Python {platform.python_version()}.",
            "",
            "## Reports",
            "",
            "Agreement and comparison on synthetic studies, each size in a process of its own. `build` turns",
            "stored ratings into the statistics' frame. A growth exponent of 1 is linear. The bar: 100,000",
            "annotations in 10 s and 1 GB.",
            "",
            "```",
            reports,
            "```",
            "",
            "The worst case, every image judged by all of 50 annotators (1,225 pairs):",
            "",
            "```",
            crowded,
            "```",
            "",
            "## Import",
            "",
            "A study of images and annotations, against a bare Pillow decode of the same files in the same",
            "run. Medians over the runs.",
            "",
            "```json",
            json.dumps(imported, indent=2),
            "```",
            "",
            "## Labelling",
            "",
            "Medians over one kept connection to a real server on SQLite: the state of the *next* assignment",
            "against a bare Django view behind the same middleware, and a *save* of a draft (version check,",
            "answer, log of what it replaced) against one bare INSERT. The bar: 12 times.",
            "",
            "```json",
            json.dumps(server, indent=2),
            "```",
            "",
            "The page in Chromium: weight of the first visit without pictures, time from a key to the frame",
            "that shows it, time from submit to the next picture, and the heap over many images.",
            "",
            "```json",
            json.dumps(browser, indent=2),
            "```",
            "",
        ]
    )


if __name__ == "__main__":
    main()
