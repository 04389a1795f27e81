"""Compute the tables of docs/explanation/scale.md and of *Sizing* in docs/how-to/deployment.md.

    .venv/bin/python -m benchmarks.load.scale      rewrites them from benchmarks/load/measured.json

Measured: `measured.json` (written by `python -m benchmarks load`) and
docs/explanation/performance.md. Assumed: the constants of `costs.py`. The rest is arithmetic, shown in the
tables.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from benchmarks.load.costs import (
    BUSY,
    CODERS,
    DAY_HOURS,
    DISPLAY_KB,
    MANY_ANNOTATORS,
    MANY_IMAGES,
    ORIGINAL_KB,
    SERVING,
    Costs,
)

ROOT: Final = Path(__file__).resolve().parents[2]
MEASURED: Final = Path(__file__).with_name("measured.json")
DOCUMENTS: Final = (ROOT / "docs/explanation/scale.md", ROOT / "docs/how-to/deployment.md")
Row = tuple[str, ...]


def measured_costs(costs: Costs) -> str:
    """Return the measured values that the other tables use."""
    measured = costs.measured
    most = f"most requests/s of {measured['cores']} cores, including the clients' share"
    return table(
        ("measured", "value"),
        [
            ("project", f"{measured['images']:,} images, {measured['annotators']} annotators at once"),
            ("requests/s at their pace", f"{measured['requests_per_second']}"),
            *((f"p95 of *{kind}*", f"{value} ms") for kind, value in measured["p95_ms"].items()),
            ("errors", f"{measured['errors']}"),
            *((f"processor, {part}", f"{costs.ms[part]:.2f} ms a request") for part in SERVING),
            ("processor, total", f"{costs.request_ms:.2f} ms a request"),
            (most, f"{measured['most_requests_per_second']}"),
            *((f"a row: {kind}", f"{size:,} bytes") for kind, size in measured["bytes"].items()),
        ],
    )


def one_server(costs: Costs) -> str:
    """Return how many annotators at the same moment servers of several sizes can serve."""
    rows = []
    for cores in (2, 4, 8, 16, 32):
        requests, people = costs.requests_of(cores), costs.annotators_of(cores)
        how = f"{cores} × 1000 × {BUSY} / {costs.request_ms:.2f} = {requests:,.0f}"
        images = people * DAY_HOURS * 3600 / costs.seconds
        rows.append((f"{cores}", how, f"{people:,}", f"{images:,.0f}"))
    return table(("cores", "requests/s", "annotators at once", f"images in {DAY_HOURS} h"), rows)


def sizing(costs: Costs) -> str:
    """Return the hardware for a number of annotators at the same moment."""
    rows = []
    for people in (10, 50, 200, 500, 1_000):
        cores = costs.cores_for(people)
        workers = max(4, 2 * cores)
        busy = f"{people * costs.rate:,.1f}", f"{costs.busy(people):.2f}"
        rows.append((f"{people:,}", *busy, f"{cores}", f"{workers}", f"{costs.gigabytes(workers)} GB"))
    heads = ("annotators at once", "requests/s", "cores busy", "cores", "`WEB_WORKERS`", "memory")
    return table(heads, rows)


def large(costs: Costs, page: str) -> str:
    """Return what 10,000 annotators and 100 million images need; `page` is performance.md."""
    return table(("what", "how", "computed"), [*_serving(costs), *_storing(costs), *_computing(page)])


def _serving(costs: Costs) -> list[Row]:
    people, seconds = MANY_ANNOTATORS, costs.seconds
    requests, images = people * costs.rate, people / seconds
    commits, bits = images * (costs.saves + 1), images * DISPLAY_KB * 8 / 1_000_000
    return [
        ("requests/s", f"{people:,} × {costs.rate:.2f}", f"{requests:,.0f}"),
        ("commits/s", f"{people:,} × {costs.saves + 1} / {seconds:.0f}", f"{commits:,.0f}"),
        ("images/s", f"{people:,} / {seconds:.0f}", f"{images:,.0f}"),
        ("network for images", f"{images:,.0f} × {DISPLAY_KB} KB × 8", f"{bits:.1f} Gbit/s"),
        *(
            (
                f"cores: {part}",
                f"{requests:,.0f} × {costs.ms[part]:.2f} / 1000 / {BUSY}",
                f"{requests * costs.ms[part] / 1000 / BUSY:,.0f}",
            )
            for part in SERVING
        ),
    ]


def _storing(costs: Costs) -> list[Row]:
    answers = MANY_IMAGES * CODERS
    events = answers * (costs.saves + 1)
    days = answers * costs.seconds / (MANY_ANNOTATORS * DAY_HOURS * 3600)
    counts = {"image": MANY_IMAGES, "assignment": answers, "annotation": answers, "event": events}
    sizes: Mapping[str, int] = costs.measured["bytes"]
    day = f"({MANY_ANNOTATORS:,} × {DAY_HOURS} × 3600)"
    return [
        ("annotations", f"{MANY_IMAGES:,} × {CODERS}", f"{answers:,}"),
        ("days of work", f"{answers:,} × {costs.seconds:.0f} / {day}", f"{days:.1f}"),
        ("events", f"{answers:,} × {costs.saves + 1}", f"{events:,}"),
        ("events a day", f"{events:,} / {days:.1f}", f"{events / days / 1_000_000:,.0f} million"),
        *(
            (f"rows: {kind}s", f"{count:,} × {sizes[kind]:,} bytes", f"{count * sizes[kind] / 1e12:.2f} TB")
            for kind, count in counts.items()
        ),
        ("originals", f"{MANY_IMAGES:,} × {ORIGINAL_KB:,} KB", f"{MANY_IMAGES * ORIGINAL_KB / 1e9:,.0f} TB"),
        ("display copies", f"{MANY_IMAGES:,} × {DISPLAY_KB} KB", f"{MANY_IMAGES * DISPLAY_KB / 1e9:,.0f} TB"),
    ]


def _computing(page: str) -> list[Row]:
    answers, report = MANY_IMAGES * CODERS, _report_mb(page)
    memory = f"{answers:,} × {report:,.0f} MB / 1,000,000"
    return [
        *(
            (
                what,
                f"{MANY_IMAGES:,} × {ms} ms",
                f"{MANY_IMAGES * ms / 86_400_000:,.0f} days of one core",
            )
            for what, ms in zip(
                ("importing the images", "making the display copies"), _imports(page), strict=True
            )
        ),
        ("one report on all annotations", memory, f"{answers * report / 1e9:,.0f} GB of memory"),
    ]


def blocks() -> dict[str, str]:
    """Return every computed table by its name in the documents."""
    costs = Costs(json.loads(MEASURED.read_text(encoding="utf-8")))
    page = (ROOT / "docs" / "explanation" / "performance.md").read_text(encoding="utf-8")
    return {
        "measured": measured_costs(costs),
        "one server": one_server(costs),
        "large": large(costs, page),
        "sizing": sizing(costs),
    }


def filled(text: str, tables: Mapping[str, str]) -> str:
    """Put the tables between their marks: `<!-- computed: NAME -->` and `<!-- end -->`."""
    marks = re.compile(r"(<!-- computed: ([a-z ]+) -->\n).*?(<!-- end -->)", re.DOTALL)
    return marks.sub(lambda found: f"{found[1]}\n{tables[found[2]]}\n\n{found[3]}", text)


def _imports(page: str) -> tuple[float, float]:
    section = page.split("\n## Import\n")[1].split("\n## ")[0]
    each = json.loads(section.split("```json")[1].split("```")[0])["milliseconds per image"]
    return float(each["import"]), float(each["display"])


def _report_mb(page: str) -> float:
    lines = [line for line in page.splitlines() if line.strip().startswith("1,000,000 |")]
    return float(lines[0].split("|")[5])


def table(heads: Row, rows: Sequence[Row]) -> str:
    """Return a table of Markdown."""
    ruled = [heads, tuple("---" for _ in heads), *rows]
    return "\n".join(f"| {' | '.join(row)} |" for row in ruled)


def main() -> None:
    """Write the tables into their documents."""
    tables = blocks()
    for path in DOCUMENTS:
        path.write_text(filled(path.read_text(encoding="utf-8"), tables), encoding="utf-8")


if __name__ == "__main__":
    main()
