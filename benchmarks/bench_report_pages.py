"""Measure a server's time for report pages, the lead's home and the gallery, from small to large studies.

    .venv/bin/python benchmarks/bench_report_pages.py [--sizes 1000,10000,100000]
    .venv/bin/python benchmarks/bench_report_pages.py --study FOLDER [--before COMMIT]

The databases are those of `bench_report_database`, or the published study. Each is measured in a process of
its own: the reports are computed, then each page is requested many times, without the network, in elapsed and
processor time. A page is sent compressed. `--before` measures an earlier commit, too. Trust the ratios.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# A measured process runs the code of its own tree.
sys.path.insert(0, str(Path.cwd() if "--one" in sys.argv else ROOT))
ROUNDS = 30
KINDS = ("agreement", "comparison", "quality")
PAGES = (*KINDS, "body map", "prompts", "home", "gallery", "middle")

Found = dict[str, dict[str, float]]


def main() -> None:
    """Print a line for every size, and the last compared with the first."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sizes", default="1000,10000,100000")
    parser.add_argument("--study", default="", help="the folder of the published study, instead of sizes")
    parser.add_argument("--before", metavar="COMMIT", help="with --study: also measure this commit")
    parser.add_argument("--one", choices=["fill", "measure"], help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        _one(options.one, options.sizes, options.study)
        return
    print("annotations | page       |  p50 ms |  p95 ms | CPU p50 | CPU p95 |   KB | KB sent")
    every: list[Found] = []
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="anatomark-bench-")))
        runs = [(size, ROOT) for size in (["study"] if options.study else options.sizes.split(","))]
        if options.before:
            from benchmarks.bench_loops import checked_out

            runs.append((options.before, stack.enter_context(checked_out(options.before))))
        for size, tree in runs:
            home = folder / size
            home.mkdir()
            _child("fill", size, options.study, home, tree)
            every.append(json.loads(_child("measure", size, options.study, home, tree)))
            print(_lines(size, every[-1]), flush=True)
    if options.study:
        return
    for key, words in (("p95", "p95"), ("processor", "processor time")):
        ratios = ", ".join(f"{kind} {every[-1][kind][key] / every[0][kind][key]:.2f}" for kind in PAGES)
        print(f"\n{words} of the last size to that of the first: {ratios}")


def _child(task: str, size: str, study: str, home: Path, tree: Path) -> str:
    environment = {**os.environ, "VAR_DIR": str(home), "DJANGO_SETTINGS_MODULE": "config.settings"}
    environment |= {"MEDIA_ROOT": str(home / "media"), "LOG_LEVEL": "ERROR"}
    for name in ("DATABASE_URL", "REDIS_URL"):
        environment.pop(name, None)
    command = [sys.executable, __file__, "--one", task, "--sizes", size, "--study", study]
    done = subprocess.run(command, cwd=tree, env=environment, check=True, stdout=subprocess.PIPE, text=True)
    return done.stdout


def _lines(size: str, found: Found) -> str:
    shown = f"{int(size):,}" if size.isdigit() else size
    widths = {"p50": 7, "p95": 7, "processor": 7, "processor p95": 7, "kilobytes": 4, "sent": 7}
    return "\n".join(
        f"{shown:>11} | {page:10} | "
        + " | ".join(f"{found[page][name]:{width}.0f}" for name, width in widths.items())
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
    from annotator.annotations.summaries import summarise
    from annotator.models import Project

    project = Project.objects.get()
    summarise(project.pk, list(project.images.values_list("pk", flat=True)), "anatomy")


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

    from analysis.reports.lifecycle import request_report, run_report
    from annotator.models import ImageSummary, Membership, Project, User

    settings.ALLOWED_HOSTS.append("testserver")
    project, lead = Project.objects.get(), User.objects.create_user("lead")
    Membership.objects.create(project=project, user=lead, role=Membership.Role.LEAD, code="lead")
    for kind in KINDS:
        run_report(request_report(project=project, kind=kind, send=False).pk)
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
    sent = len(get(address, headers={"accept-encoding": "gzip"}).content)
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
        "sent": sent / 1000,
    }


if __name__ == "__main__":
    main()
