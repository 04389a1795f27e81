"""Run the benchmarks and write docs/explanation/performance.md: `make benchmarks`.

    .venv/bin/python -m benchmarks                    everything
    .venv/bin/python -m benchmarks labelling          this section anew; the others stay as they are
    .venv/bin/python -m benchmarks reports import

Numbers are ratios within one run wherever that is possible; absolute seconds depend on the machine.
"""

from __future__ import annotations

import argparse
import os
import platform
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from benchmarks.load import scale

ROOT = Path(__file__).resolve().parent.parent
TARGET = ROOT / "docs" / "explanation" / "performance.md"
HEAD = """# What it costs

Made by `make benchmarks`; not edited by hand. Trust the ratios, not the seconds. One section is made anew
by naming it: `.venv/bin/python -m benchmarks labelling`.
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
    """Return a block of what a benchmark printed."""
    return f"```{language}\n{text}\n```\n"


def reports() -> str:
    """Return the cost of the three reports."""
    crowded = run("bench_reports.py", "--coders", "50", "--share", "1", "--sizes", "10000,100000")
    return f"""
Agreement, comparison and annotators on synthetic studies, intervals included, each size in a process
of its own. `build` turns stored ratings into the statistics' frame; `CPU s` is all of them on the
processor. Growth is an exponent, 1 is linear; below it, intervals cost the same at every size. The bar:
1,000,000 annotations in 60 s and 2 GB.

{fenced(run("bench_reports.py"))}
The worst case, every image judged by all of 50 annotators (1,225 pairs):

{fenced(crowded)}
From stored answers to three stored reports, as one burst of submissions asks for them: SQLite, one worker
process, loading included.

{fenced(run("bench_report_database.py", "--sizes", "10000,100000,1000000"))}"""


def plain() -> str:
    """Return what the reports cost beside a plain script of the same numbers."""
    study = os.environ.get("STUDY_DATA", "")
    if not study:
        sys.exit("STUDY_DATA names no folder of the published study, which this section is measured on.")
    return f"""
The agreement report of the published study beside a straightforward script of pandas and krippendorff that
makes the same alphas, both without intervals, in one run. The bar: ahead by 5 times.

{fenced(run("bench_reports.py", "--study", study))}"""


def report_pages() -> str:
    """Return how long the pages of reports take a server."""
    return f"""
A server's time over the page of each kind of report, past the network, and what the page weighs before it
is compressed. The bar: the same whatever the size of the project.

{fenced(run("bench_report_pages.py"))}"""


def planning() -> str:
    """Return the cost of a plan and of a change of people."""
    return f"""
A design of growing size planned on one core, and one annotator taken out of it half way. The bar:
100,000 images and 50 annotators in 10 s and 1 GB.

{fenced(run("bench_planning.py"))}"""


def imports() -> str:
    """Return the cost of an import."""
    return f"""
A study of images and annotations, against a bare Pillow decode of the same files in the same
run. Medians over the runs.

{fenced(run("bench_import.py"), "json")}"""


def uploads() -> str:
    """Return the cost of images that a lead brings."""
    return f"""
Images read (hashed, decoded to the last pixel in processes of their own, named, compared) and stored (each
pushed to the disk, with its row), against a bare Pillow decode and file write of the same files in the
same run. Memory is the worker's peak for small files; it is not to grow with their number.

{fenced(run("bench_uploads.py"), "json")}"""


def exports() -> str:
    """Return the cost of the largest exports."""
    return f"""
A million synthetic annotations out of SQLite, beside a bare `csv.writer` over lines of the same text
already in memory. The bar, for marks: 200 MB for the whole process, and a third of the bare writer's
lines per second. A line of `sheet` costs the reading of a whole annotation, which the bare writer does
not have.

{fenced(run("bench_exports.py", "--only", "marks.csv,sheet.csv"))}"""


def bundles() -> str:
    """Return the cost of a publication bundle."""
    return f"""
A publication bundle of a synthetic project in SQLite, written and read back, every step in a process of its
own. Reports and pictures are left out: pictures are copied one by one. The bar: at most 1.25 of the memory
for twice the annotations, and 400 MB for the whole process that writes. Smaller projects take less, because
they fill neither SQLite's map and cache (84 MB) nor a row group of Parquet.

{fenced(run("bench_bundle.py"))}"""


def migrations() -> str:
    """Return what bringing an earlier database to this version costs, and how long others wait."""
    command = [sys.executable, "-m", "benchmarks.migrations"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"benchmarks.migrations failed:\n{done.stderr}")
    return f"""
A synthetic project as the version of migration 0014 stored it, brought to this version by a process of its
own; afterwards every old column of every row is compared with what it was. On PostgreSQL (`DATABASE_URL`)
others read and write meanwhile: `read` and `write` are the longest that one statement waited. The bar: memory
does not grow with the rows, and nobody waits for more than 2 s. A process that migrates nothing takes 130 MB;
SQLite's map and cache come on top.

{fenced(done.stdout.strip())}"""


def labelling() -> str:
    """Return the cost of labelling: to the server, to the browser, and to the person."""
    return f"""
Medians over one kept connection to a real server on SQLite: the state of the *next* assignment
against a bare Django view behind the same middleware, and a *save* of a draft (version check,
answer, log of what it replaced) against one bare INSERT. The bar: 12 times.

{fenced(run("bench_server.py"), "json")}
The page in Chromium: weight of the first visit without pictures, time until it can be used, time from a
key to the frame that shows it, time from submit to the next picture, and the heap over many images.

{fenced(run("bench_page.py"), "json")}
{label_studio()}{operator()}{REPLAYS}"""


def label_studio() -> str:
    """Return how another tool's labelling page loads, where one is given."""
    if not os.environ.get("LABEL_STUDIO"):
        return "Label Studio was not at hand for this run: `LABEL_STUDIO` names its program.\n\n"
    return f"""
Beside Label Studio, opened cold by turns in the same browser, with 25 text fields and a picture of the
same size (`LABEL_STUDIO` names its program). The bar: usable within a third of its time.

{fenced(run("bench_label_studio.py"), "json")}
"""


def operator() -> str:
    """Return what a person's hands and thoughts cost, where the published study is at hand."""
    if not os.environ.get("STUDY_DATA"):
        return "The published study was not at hand for this run: `STUDY_DATA` names its folder.\n\n"
    return f"""
Seconds to enter a published annotation by the keystroke-level model, looking and judging left out. The
scripts are those that the tests replay in the page. The model itself has 16.4 s by keyboard and 26.7 s by
mouse for the design; it reads the few terms without a severity as well, which these scripts leave out.

{fenced(run("bench_operator.py"), "json")}
"""


def load() -> str:
    """Measure a team's process set under load; docs/explanation/scale.md is computed from the result."""
    command = [sys.executable, "-m", "benchmarks.load", "--summary", str(scale.MEASURED)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"benchmarks.load failed:\n{done.stdout[-2000:]}\n{done.stderr[-2000:]}")
    return f"""
Annotators at work against the real process set on this machine: PostgreSQL, Redis, gunicorn as deployed,
worker, beat, and nginx, which ends TLS. The annotators are one program of its own on the same cores; *by
clients* says how much of them it takes. They do as the page does: state of the next image, its picture,
drafts, submission. *As fast as it goes*: one draft, no pause. *Thinking*: four drafts, and 4 s (2 to 6)
before each draft and the submission, so 20 s an image; entering a published answer takes 16.4 s by the
keystroke-level model. *Next and submit alone* leaves drafts and pictures out, as Label Studio on PostgreSQL
was measured on a like machine (29.6 submits/s, p95 1,197 ms). *Requests/s* at a fixed rate: one that comes
late counts from when it was due, and annotators are at different steps of their images. The floor is a bare
Django view behind the same proxy, middleware and workers. Reports are computed meanwhile, as ever, by workers
that give way to the web. Afterwards every acknowledged answer is looked for in the
database. What follows from it: [scale.md](scale.md).

{fenced(done.stdout.strip())}"""


REPLAYS = """
The browser's tests in full, which `make test` shortens:

- `REPLAY=all .venv/bin/pytest tests/browser/labelling/test_replay.py`: all 300 published annotations by
  keyboard and by mouse (`STUDY_DATA` names the study), and 200 random sessions by keyboard, by mouse and by
  both. Every stored answer is compared with what was entered; a single difference fails.
- `FAULTS=50 .venv/bin/pytest tests/browser/labelling/test_saving.py`: a line cut in five ways × 50, two
  windows × 50, an ended session × 25. A lost mark, a doubled event or a false "Saved" fails.

When both were last run in full: 0 differences in 2 × 300 published annotations and 3 × 200 random sessions
of one to three images each; 250 cut lines, 50 pairs of windows and 25 ended sessions with 0 marks lost, 0
doubled, 0 falsely "Saved".
"""

MACHINE = (
    f"Measured on {os.cpu_count()} cores with Python {platform.python_version()}, "
    f"at a load of {os.getloadavg()[0]:.0f} from the start."
)

SECTIONS: dict[str, tuple[str, Callable[[], str]]] = {
    "reports": ("Reports", reports),
    "plain": ("Reports beside a plain script", plain),
    "report-pages": ("Pages of reports", report_pages),
    "planning": ("Plans", planning),
    "import": ("Import", imports),
    "uploads": ("Uploads", uploads),
    "exports": ("Exports", exports),
    "bundles": ("Bundles", bundles),
    "migrations": ("Migrations", migrations),
    "labelling": ("Labelling", labelling),
    "load": ("Load", load),
}


if __name__ == "__main__":
    main()
