"""How long do reports and their pages take as a project grows?

    .venv/bin/python -m benchmarks.reports [--sizes 1000,10000,100000]

`burst` is every report of the project, computed and stored by one process as after a burst of submissions;
`load` is reading its input alone. Each page is then requested 30 times, without the network. Seconds are the
processor's, which other work on the machine changes least. Ends with status 1 above 2 GB, the limit for a
million annotations.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from functools import partial
from statistics import quantiles
from typing import Any, Final

from benchmarks.synthetic import apart, home

LIMIT_MB: Final = 2048
ROUNDS: Final = 30


def main() -> int:
    """Print the cost of the reports and of each page by size; return the exit status."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sizes", default="1000,10000,100000")
    sizes = [int(size) for size in parser.parse_args().sizes.split(",")]
    table = []
    peak = 0.0
    print("annotations | load s | burst s | process MB")
    for size in sizes:
        with home() as folder:
            apart(folder, "synthetic.fill", size)
            load = apart(folder, "reports.load")
            burst = apart(folder, "reports.burst")
            peak = max(peak, burst["megabytes"])
            row = f"{size:>11,} | {load['processor']:6.2f} | {burst['processor']:7.2f}"
            print(f"{row} | {burst['megabytes']:10.0f}", flush=True)
            pages = apart(folder, "reports.pages")
            table += [(size, name, costs) for name, costs in pages.items() if isinstance(costs, dict)]
    print("\nannotations | page       | p50 ms | p95 ms |   KB | KB sent")
    for size, name, costs in table:
        sizes_kb = f"{costs['kilobytes']:4.0f} | {costs['sent']:7.0f}"
        print(f"{size:>11,} | {name:10} | {costs['p50']:6.0f} | {costs['p95']:6.0f} | {sizes_kb}")
    return int(peak > LIMIT_MB)


def load() -> dict[str, Any]:
    """Read a report's input, as the first report does."""
    from analysis.data.ratings_table import load_frame
    from annotator.models import Project

    load_frame(Project.objects.get())
    return {}


def burst() -> dict[str, Any]:
    """Compute and store every report of the project."""
    from analysis.models import EXPECTED, Report
    from analysis.reports.lifecycle import queue_report, run_report
    from annotator.models import Project

    # All wait together, so that they read the annotations once.
    for kind in EXPECTED:
        queue_report(project_id=Project.objects.get().pk, kind=kind, send=False)
    for pk in Report.objects.order_by("pk").values_list("pk", flat=True):
        run_report(pk)
    assert set(Report.objects.values_list("status", flat=True)) == {"done"}
    return {}


def pages() -> dict[str, Any]:
    """Return for each page milliseconds of the processor, its size and the size sent in KB."""
    from django.conf import settings
    from django.test import Client

    from annotator.models import ImageSummary, Membership, Project, User

    settings.ALLOWED_HOSTS.append("testserver")
    project, lead = Project.objects.get(), User.objects.create_user("lead")
    Membership.objects.create(project=project, user=lead, role=Membership.Role.LEAD, code="lead")
    client = Client()
    client.force_login(lead)
    root = f"/projects/{project.slug}"
    ranked = ImageSummary.objects.filter(code="").order_by("-score", "-image").select_related("image")
    middle = ranked[ranked.count() // 2].image.public_id
    addresses = {
        "home": f"{root}/",
        **{kind: f"{root}/reports/{kind}/" for kind in ("agreement", "comparison", "quality")},
        "body map": f"{root}/reports/comparison/body-map/",
        "prompts": f"{root}/reports/comparison/prompts/",
        "gallery": f"{root}/images/?sort=high",
        "middle": f"{root}/images/?sort=high&after={middle}",
    }
    return {name: _page(partial(client.get, address)) for name, address in addresses.items()}


def _page(get: Callable[..., Any]) -> dict[str, float]:
    size = len(get().content)
    sent = len(get(headers={"accept-encoding": "gzip"}).content)
    taken = []
    for _ in range(ROUNDS):
        begun = time.process_time()
        assert get().status_code == 200
        taken.append(1000 * (time.process_time() - begun))
    parts = quantiles(taken, n=20)
    return {"p50": parts[9], "p95": parts[18], "kilobytes": size / 1000, "sent": sent / 1000}


if __name__ == "__main__":
    sys.exit(main())
