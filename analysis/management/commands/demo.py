"""`manage.py demo`: serve the application locally with three demo projects, or with the published study."""

from __future__ import annotations

import math
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from argparse import ArgumentParser
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management import BaseCommand, CommandError, call_command
from django.db import connections
from django.db.models import QuerySet

from analysis.models import Report
from analysis.reports.lifecycle import request_report
from annotator.demo.processes import Processes
from annotator.demo.projects import (
    LEAD,
    PURPOSES,
    REALISM,
    SHOWS,
    STUDY,
    Account,
    Progress,
    build_anatomy,
    build_defects,
    build_realism,
    build_study,
    ready_accounts,
)
from annotator.exchange.formats.report import StudyRefused
from annotator.models import Image, Project

START_SECONDS = 60.0
IMAGES_SECONDS = 300.0
INTERRUPTED = 130
Build = Callable[[Progress], Project]


class Command(BaseCommand):
    """Set up the demo if necessary, and serve it until Ctrl+C."""

    help = "Serve the application with three demo projects, or with the published study (--study FOLDER)."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--study", type=Path, help="folder of the published study: images/ and data/annotations.csv"
        )
        parser.add_argument("--port", type=int, default=None, help="default: PORT, or 8000")
        parser.add_argument("--setup-only", action="store_true", help="set up without serving")

    def handle(self, *args: Any, **options: Any) -> None:
        begun = _begun()
        # A shell starts commands in the background with SIGINT ignored.
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, signal.default_int_handler)
        try:
            port = self._port(options["port"])
            self._say("Preparing the database")
            environment = {**os.environ, "DJANGO_SETTINGS_MODULE": "config.settings", "STATIC_COLLECTED": "1"}
            collecting = self._collect(environment)
            call_command("migrate", verbosity=0, interactive=False)
            names = tuple(PURPOSES) if options["study"] is None else (LEAD,)
            accounts = ready_accounts(settings.VAR_DIR / "demo-accounts.json", names)
            builds = _builds(options["study"])
            if collecting.wait():
                raise CommandError("The static files could not be collected. See the lines above.")
            if options["setup_only"]:
                for build in builds:
                    self._built(build)
                self._say(f"Set up in {time.monotonic() - begun:.0f} s.")
                return
        except KeyboardInterrupt:
            self._say("Stopping …\nStopped during the setup. `make demo` resumes it.")
            sys.exit(INTERRUPTED)
        self._serve(port, builds, accounts, environment, begun)

    def _port(self, given: int | None) -> int:
        text = str(given or os.environ.get("PORT", "").strip() or 8000)
        if not text.isascii() or not text.isdigit() or not 1 <= int(text) <= 65535:
            raise CommandError(f"PORT is {text!r}; expected a number from 1 to 65535.")
        port = int(text)
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind(("127.0.0.1", port))
            except OSError as error:
                raise CommandError(
                    f"Port {port} is in use. Stop that process, or choose another: make demo PORT={port + 1}"
                ) from error
        return port

    def _built(self, build: Build) -> Project:
        """Return a project with its reports requested now: submissions have requested them for a pause."""
        try:
            project = build(self._progress)
        except StudyRefused as error:
            raise CommandError(str(error)) from error
        if project.slug == REALISM:
            request_report(project=project, kind=Report.Kind.DATA_SET, protocol=REALISM)
        for report in _waiting(project):
            request_report(project=project, kind=report.kind, protocol=report.protocol)
        return project

    def _collect(self, environment: dict[str, str]) -> subprocess.Popen[bytes]:
        """Collect the static files in a separate process, because this one serves them uncollected."""
        command = [sys.executable, "manage.py", "collectstatic", "--noinput", "--verbosity", "0"]
        return subprocess.Popen(command, cwd=settings.BASE_DIR, env=environment)

    def _serve(
        self,
        port: int,
        builds: Sequence[Build],
        accounts: list[Account],
        environment: dict[str, str],
        begun: float,
    ) -> None:
        connections.close_all()
        processes = Processes(port, environment)
        try:
            self._say("Starting the web server and a worker")
            processes.start()
            # While the worker prepares the images and the numbers of the first project.
            projects = [self._built(build) for build in builds]
            self._wait_for(processes, lambda: _answers(port), START_SECONDS, "the web server")
            self._wait_for(processes, lambda: self._images_ready(projects[0]), IMAGES_SECONDS, "the images")
            self._wait_for(
                processes, lambda: not _waiting(projects[0]).exists(), START_SECONDS, "the first numbers"
            )
            self._say(_welcome(port, projects, accounts, time.monotonic() - begun))
            self._wait_for(processes, lambda: False, math.inf, "Ctrl+C")
        except KeyboardInterrupt:
            self._say("\nStopping …")
        finally:
            # A second Ctrl+C must not leave processes behind.
            for number in (signal.SIGINT, signal.SIGTERM):
                signal.signal(number, signal.SIG_IGN)
            processes.stop()
        self._say("Stopped. `make demo` starts it again.")

    def _wait_for(self, processes: Processes, ready: Callable[[], bool], seconds: float, what: str) -> None:
        """Return when it is ready or the time is over; raise CommandError if a process ends."""
        deadline = time.monotonic() + seconds
        if not processes.watch(until=lambda: ready() or time.monotonic() > deadline):
            raise CommandError(f"The web server or the worker has ended. See {processes.log}")
        if time.monotonic() > deadline:
            self._say(f"Still waiting for {what} after {seconds:.0f} s. See {processes.log}")

    def _images_ready(self, project: Project) -> bool:
        total = Image.objects.filter(project=project).count()
        left = Image.objects.filter(project=project, display_state="pending").count()
        if left or self._shown:
            self._progress("Preparing images for display", total - left, total)
        return left == 0

    _shown = ""

    def _progress(self, what: str, done: int, total: int) -> None:
        """Update one line on a terminal; elsewhere print each step once, when it ends."""
        if sys.stdout.isatty():
            self.stdout.write(f"\r{what} {done}/{total}", ending="\n" if done == total else "")
            self.stdout.flush()
        elif done == total:
            self._say(f"{what} {done}/{total}")
        self._shown = "" if done == total else what

    def _say(self, text: str) -> None:
        self.stdout.write(text)
        self.stdout.flush()


def _begun() -> float:
    """Return the start time on the monotonic clock: that of make, if it passes one."""
    started = os.environ.get("DEMO_STARTED", "")
    waited = time.time() - int(started) if started.isascii() and started.isdigit() else 0.0
    return time.monotonic() - max(0.0, waited)


def _welcome(port: int, projects: list[Project], accounts: list[Account], seconds: float) -> str:
    study = " STUDY=…" if projects[0].slug == STUDY else ""
    return "\n".join(
        [
            "",
            f"Anatomark is ready ({seconds:.0f} s):  http://127.0.0.1:{port}/",
            "",
            "Sign in as    with the password",
            *(f"  {account.username:<12}{account.password:<19}{account.purpose}" for account in accounts),
            "",
            "Projects",
            *(f"  {project.name:<31}{SHOWS[project.slug][1]}" for project in projects),
            "",
            f"Stop with Ctrl+C; start again with `make demo{study}`.",
        ]
    )


def _builds(study: Path | None) -> Sequence[Build]:
    if study is None:
        return (build_anatomy, build_realism, build_defects)
    return (partial(build_study, study),)


def _waiting(project: Project) -> QuerySet[Report]:
    return Report.objects.filter(project=project, status__in=(Report.Status.QUEUED, Report.Status.RUNNING))


def _answers(port: int) -> bool:
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/accounts/login/", timeout=5) as answer:
            return bool(answer.status == 200)
    except (urllib.error.URLError, OSError):
        return False
