"""Measure a server's time for report pages, the lead's home and the gallery, from small to large studies.

    .venv/bin/python benchmarks/bench_report_pages.py [--sizes 1000,10000,100000]
    .venv/bin/python benchmarks/bench_report_pages.py --study FOLDER

The databases are those of `bench_report_database`, or the published study. Each is measured in a process of
its own: the reports are computed, then each page is requested many times, without the network, in elapsed and
processor time. Trust the ratios.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))
ROUNDS = 30
KINDS = ("agreement", "comparison", "annotators", "quality")
PAGES = (*KINDS, "body map", "prompts", "home", "gallery", "middle")

Found = dict[str, dict[str, float]]


def main() -> None:
    """Print a line for every size, and the last compared with the first."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sizes", default="1000,10000,100000")
    parser.add_argument("--study", default="", help="the folder of the published study, instead of sizes")
    parser.add_argument("--one", choices=["fill", "measure"], help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        _one(options.one, options.sizes, options.study)
        return
    print("annotations | page       |  p50 ms |  p95 ms | CPU p50 | CPU p95 |   KB")
    every: list[Found] = []
    with tempfile.TemporaryDirectory(prefix="anatomark-bench-") as folder:
        for size in ["study"] if options.study else options.sizes.split(","):
            home = Path(folder) / size
            home.mkdir()
            _child("fill", size, options.study, home)
            every.append(json.loads(_child("measure", size, options.study, home)))
            print(_lines(size, every[-1]), flush=True)
    if options.study:
        return
    for key, words in (("p95", "p95"), ("processor", "processor time")):
        ratios = ", ".join(f"{kind} {every[-1][kind][key] / every[0][kind][key]:.2f}" for kind in PAGES)
        print(f"\n{words} of the last size to that of the first: {ratios}")


def _child(task: str, size: str, study: str, home: Path) -> str:
    environment = {**os.environ, "VAR_DIR": str(home), "DJANGO_SETTINGS_MODULE": "config.settings"}
    environment |= {"MEDIA_ROOT": str(home / "media"), "LOG_LEVEL": "ERROR"}
    for name in ("DATABASE_URL", "REDIS_URL"):
        environment.pop(name, None)
    command = [sys.executable, __file__, "--one", task, "--sizes", size, "--study", study]
    done = subprocess.run(command, cwd=ROOT, env=environment, check=True, stdout=subprocess.PIPE, text=True)
    return done.stdout


def _lines(size: str, found: Found) -> str:
    shown = size if size == "study" else f"{int(size):,}"
    columns = ("p50", "p95", "processor", "processor p95")
    return "\n".join(
        f"{shown:>11} | {page:10} | "
        + " | ".join(f"{found[page][each]:7.0f}" for each in columns)
        + f" | {found[page]['kilobytes']:4.0f}"
        for page in PAGES
    )


def _one(task: str, size: str, study: str) -> None:
    import django

    django.setup()
    if task == "measure":
        print(json.dumps(measure()))
    elif study:
        _import(Path(study))
    else:
        from benchmarks.bench_report_database import fill

        fill(int(size), 50)
        _summarise()


def _summarise() -> None:
    """Write the summaries that galleries read, which submissions and imports write otherwise."""
    from django.db import transaction

    from annotator.annotations.summaries import summarise_project
    from annotator.models import Project

    summarise_project(Project.objects.get(), transaction.atomic, lambda: None)


def _import(study: Path) -> None:
    from django.core.management import call_command

    from annotator.exchange import import_study
    from annotator.models import Project

    call_command("migrate", verbosity=0)
    import_study(study, project=Project.objects.create(slug="study", name="Published study"))


def measure() -> Found:
    """Return the milliseconds of each page, and its size."""
    from django.conf import settings
    from django.test import Client

    from analysis.home.days import write_days
    from analysis.reports.lifecycle import request_report, run_report
    from annotator.models import ImageSummary, Membership, Project, User

    settings.ALLOWED_HOSTS.append("testserver")
    project, lead = Project.objects.get(), User.objects.create_user("lead")
    Membership.objects.create(project=project, user=lead, role=Membership.Role.LEAD, code="lead")
    for kind in KINDS:
        run_report(request_report(project=project, kind=kind, send=False).pk)
    write_days(project)
    client = Client()
    client.force_login(lead)
    root = f"/projects/{project.slug}/"
    addresses = {**{kind: f"{root}reports/{kind}/" for kind in KINDS}, "home": root}
    addresses["body map"] = f"{root}reports/comparison/body-map/"
    addresses["prompts"] = f"{root}reports/comparison/prompts/"
    ranked = ImageSummary.objects.filter(code="").order_by("-score", "-image")
    middle = ranked.select_related("image")[ranked.count() // 2].image.public_id
    addresses["gallery"] = f"{root}images/?sort=high"
    addresses["middle"] = f"{root}images/?sort=high&after={middle}"
    return {page: _page(client, address) for page, address in addresses.items()}


def _page(client: object, address: str) -> dict[str, float]:
    get = client.get  # type: ignore[attr-defined]
    size = len(get(address).content)
    taken, computed = [], []
    for _ in range(ROUNDS):
        begun, begun_computing = time.perf_counter(), time.process_time()
        assert get(address).status_code == 200
        taken.append(1000 * (time.perf_counter() - begun))
        computed.append(1000 * (time.process_time() - begun_computing))
    taken.sort()
    computed.sort()
    return {
        "p50": taken[ROUNDS // 2],
        "p95": taken[int(ROUNDS * 0.95)],
        "processor": computed[ROUNDS // 2],
        "processor p95": computed[int(ROUNDS * 0.95)],
        "kilobytes": size / 1000,
    }


if __name__ == "__main__":
    main()
