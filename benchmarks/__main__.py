"""Run the benchmarks and write docs/explanation/performance.md: `make benchmarks`.

    .venv/bin/python -m benchmarks                    everything
    .venv/bin/python -m benchmarks labelling          this section only; the others stay
    .venv/bin/python -m benchmarks reports import

Numbers are ratios within one run wherever that is possible; absolute seconds depend on the machine.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.load import scale

ROOT = Path(__file__).resolve().parent.parent
TARGET = ROOT / "docs" / "explanation" / "performance.md"
WIDTH = 104
HEAD = """# Performance

Written by `make benchmarks`, not by hand. Trust the ratios, not the seconds. Name a section to measure it
again: `.venv/bin/python -m benchmarks labelling`.
"""


def main() -> None:
    """Measure what is named, or everything, and write the page."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("sections", nargs="*", metavar="section", help=", ".join(SECTIONS))
    named = parser.parse_args().sections
    if unknown := set(named) - set(SECTIONS):
        parser.error(f"no such section: {', '.join(sorted(unknown))}; there are {', '.join(SECTIONS)}")
    sections = sections_of(TARGET.read_text(encoding="utf-8")) if TARGET.exists() else {}
    for name in named or SECTIONS:
        title, measure = SECTIONS[name]
        sections[title] = "\n".join([f"## {title}", "", MACHINE, "", measure().strip(), ""])
    known = [title for title, _ in SECTIONS.values() if title in sections]
    TARGET.write_text("\n".join([HEAD, *(sections[title] for title in known)]), encoding="utf-8")
    # docs/explanation/scale.md uses figures from this page.
    scale.main()
    print(f"Wrote {TARGET.relative_to(ROOT)}")


def sections_of(page: str) -> dict[str, str]:
    """Title → text of each section, heading included."""
    parts = re.split(r"^(?=## )", page, flags=re.MULTILINE)[1:]
    return {part.splitlines()[0].removeprefix("## "): part.rstrip("\n") + "\n" for part in parts}


def run(*command: str) -> str:
    """Return what one benchmark prints."""
    program = [sys.executable, str(ROOT / "benchmarks" / command[0]), *command[1:]]
    done = subprocess.run(program, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{command[0]} failed:\n{done.stderr}")
    return done.stdout.strip()


def fenced(text: str, language: str = "") -> str:
    """Return a benchmark's output as a block; JSON with as few lines as its width allows."""
    shown = compact(json.loads(text)) if language == "json" else text
    return f"```{language}\n{shown}\n```\n"


def compact(value: Any, indent: int = 0) -> str:
    """Return JSON with each value on one line, except objects that are too wide."""
    line = json.dumps(value, ensure_ascii=False)
    if not isinstance(value, dict) or len(line) + indent <= WIDTH:
        return line
    inside = " " * (indent + 2)
    rows = (f"{inside}{json.dumps(key)}: {compact(each, indent + 2)}" for key, each in value.items())
    return "{\n" + ",\n".join(rows) + "\n" + " " * indent + "}"


def reports() -> str:
    """Return the cost of the three reports."""
    crowded = run("bench_reports.py", "--coders", "50", "--share", "1", "--sizes", "10000,100000")
    return f"""
Agreement, comparison and annotators on synthetic studies, with intervals, one process per size. `build` turns
stored ratings into the statistics' frame; `CPU s` is the processor time of all. Growth is an exponent: 1 is
linear, and lower because intervals cost the same at every size. Target: 1,000,000 annotations in 60 s and 2
GB.

{fenced(run("bench_reports.py"))}
The worst case, 50 annotators who all judge every image (1,225 pairs):

{fenced(crowded)}
From stored annotations to three stored reports, as after a burst of submissions: SQLite, one worker process,
loading included.

{fenced(run("bench_report_database.py", "--sizes", "10000,100000,1000000"))}"""


def report_pages() -> str:
    """Return how long the pages of reports take a server."""
    return f"""
Server time for the page of each kind of report, without the network, and the page's uncompressed size.
Target: the same whatever the size of the project.

{fenced(run("bench_report_pages.py"))}{_published_pages()}"""


def _published_pages() -> str:
    study = os.environ.get("STUDY_DATA", "")
    if not study:
        return ""
    return f"""
The published study, 240 images and 300 annotations:

{fenced(run("bench_report_pages.py", "--study", study))}"""


def planning() -> str:
    """Return the cost of a plan and of a change of people."""
    return f"""
A design of growing size, planned on one core, and one annotator removed half-way. Target: 100,000 images and
50 annotators in 10 s and 1 GB.

{fenced(run("bench_planning.py"))}
A plan of 32 people released, with its checks and Event, beside a bare INSERT of as many
assignments:

{fenced(run("bench_release.py"), "json")}"""


def imports() -> str:
    """Return the cost of an import."""
    return f"""
A study of images and annotations against a bare Pillow decode of the same files in the same run; medians.

{fenced(run("bench_import.py"), "json")}"""


def uploads() -> str:
    """Return the cost of uploaded images."""
    return f"""
Images read (hashed, fully decoded in separate processes, named, compared), stored (each flushed to disk, with
its row) and drawn (their display copies, in two processes), against a bare Pillow decode and write of the
same files in one process, in the same run. Memory is the worker's peak for small files; it must not grow with
their number. Target for 10,000 of them: 60 s in all.

{fenced(run("bench_uploads.py"), "json")}"""


def exports() -> str:
    """Return the cost of the largest exports."""
    return f"""
A million synthetic annotations exported from SQLite, against a bare `csv.writer` over the same lines already
in memory. Target for marks: 200 MB for the process, and a third of the bare writer's lines per second. A line
of `sheet` includes reading a whole annotation, which the bare writer does not.

{fenced(run("bench_exports.py", "--only", "marks.csv,sheet.csv"))}"""


def bundles() -> str:
    """Return the cost of a publication bundle."""
    return f"""
A publication bundle of a synthetic project in SQLite, written in a process of its own,
without reports and images (images are copied one by one). Target: at most 1.25 times the memory for twice the
annotations, and 400 MB for writing. Smaller projects take less, because they fill neither SQLite's map and
cache (84 MB) nor a Parquet row group.

{fenced(run("bench_bundle.py"))}"""


def labelling() -> str:
    """Return the cost of labelling: to the server, to the browser, and to the person."""
    return f"""
A loop is a submission and the next image's state, which comes with the answer. It is measured beside bare
Django views behind the same middleware: a *bare loop*, which signs in, stores annotation, assignment and
Event and returns the next image, without versions, repetitions, locks, scores and summaries; and a *bare
INSERT* of one row. All take turns on real servers; costs are milliseconds of the processor for one loop, of
web processes and database. On PostgreSQL with `DATABASE_URL`; `--before COMMIT` adds the loop of an earlier
commit. Aims: half the loops of the bare loop, 1.1 times the cost in a project of any size, 1.05 with anchors.
*Told apart* is what a clock shows of an anchor or a repeat, in the times of the work image before.

{fenced(run("bench_loops.py", "--images", "240,100000"), "json")}
The page in Chromium: size of the first visit without images, time until usable, time from a key to the frame
that shows it, time from submit to the next image, and the heap over many images.

{fenced(run("bench_page.py"), "json")}
{operator()}{REPLAYS}"""


def operator() -> str:
    """Return what a person's hands and thoughts cost, where the published study is at hand."""
    if not os.environ.get("STUDY_DATA"):
        return "The published study was not at hand for this run: `STUDY_DATA` names its folder.\n\n"
    return f"""
Seconds to enter a published annotation by the keystroke-level model, without looking and judging. The tests
replay the same scripts in the page. The model gives 16.4 s by keyboard and 26.7 s by mouse for the design,
including the few terms without a severity, which these scripts omit. `presence` marks the same cells yes or
no; the aim is 6 s for three cells.

{fenced(run("bench_operator.py"), "json")}

Every twelfth of them replayed in the page by real keys and clicks. By Fitts' law, pointing takes as long as
the distances and sizes of the page at 1280 x 720 say, instead of 1.1 s each.

{fenced(run("bench_replay.py"), "json")}
"""


def coverage() -> str:
    """Write how often intervals contain the true value into statistics.md; return how long that took."""
    command = [sys.executable, "-m", "benchmarks.coverage", "--write"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"benchmarks.coverage failed:\n{done.stderr}")
    return f"""
How often intervals contain the true value, in simulated studies: the tables of
[agreement](../reference/statistics.md#intervals) and [comparison](../reference/statistics.md#comparison).

{fenced(done.stdout.strip().splitlines()[-1])}"""


def load() -> str:
    """Measure a team's process set under load; docs/explanation/scale.md is computed from the result."""
    command = [sys.executable, "-m", "benchmarks.load", "--summary", str(scale.MEASURED)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"benchmarks.load failed:\n{done.stdout[-2000:]}\n{done.stderr[-2000:]}")
    return f"""
Annotators against the real process set on this machine: PostgreSQL, Redis, gunicorn as deployed, worker,
beat, and nginx, which terminates TLS. The annotators are one program on the same cores; *by clients* is its
share. They act as the page does: the image, drafts, submission, which brings the next image.

- *As fast as it goes*: one draft, no pause.
- *Thinking*: four drafts, and 4 s (2 to 6) before each draft and the submission, so 20 s per image; entering
  a published annotation takes 16.4 s by the keystroke-level model.
- *Submissions alone* omits drafts and images, as in the measurement of Label Studio on PostgreSQL on a
  similar machine (29.6 submits/s, p95 1,197 ms).
- *Requests/s* is a fixed rate: a late request counts from when it was due.
- The floor is a bare Django view behind the same proxy, middleware and workers.

Workers, which yield to the web, compute reports meanwhile. Afterwards every acknowledged annotation is looked
up in the database. Conclusions: [scale](scale.md).

{fenced(done.stdout.strip())}"""


REPLAYS = """
The full browser tests, which `make test` shortens:

- `REPLAY=all .venv/bin/pytest tests/browser/labelling/test_replay.py`: all 300 published annotations by
  keyboard and by mouse (`STUDY_DATA`), and 200 random sessions by keyboard, mouse and both; any stored
  difference fails.
- `FAULTS=50 .venv/bin/pytest tests/browser/labelling/test_saving.py`: 5 × 50 cut connections, 50 pairs of
  windows, 25 ended sessions; a lost mark, a doubled event or a false "Saved" fails.

The last full run: 0 differences in 2 × 300 published annotations and 3 × 200 random sessions of one to three
images; 0 marks lost, 0 doubled, 0 falsely "Saved".
"""

MACHINE = (
    f"Measured on {os.cpu_count()} cores with Python {platform.python_version()}, "
    f"at a load of {os.getloadavg()[0]:.0f} from the start."
)

SECTIONS: dict[str, tuple[str, Callable[[], str]]] = {
    "reports": ("Reports", reports),
    "report-pages": ("Pages of reports", report_pages),
    "planning": ("Plans", planning),
    "import": ("Import", imports),
    "uploads": ("Uploads", uploads),
    "exports": ("Exports", exports),
    "bundles": ("Bundles", bundles),
    "labelling": ("Labelling", labelling),
    "coverage": ("Coverage of intervals", coverage),
    "load": ("Load", load),
}


if __name__ == "__main__":
    main()
