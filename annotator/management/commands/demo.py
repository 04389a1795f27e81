"""`manage.py demo`: serve the application locally with a demo project."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from argparse import ArgumentParser
from pathlib import Path
from types import FrameType
from typing import Any

from django.conf import settings
from django.core.management import BaseCommand, CommandError, call_command
from django.db import connections

from annotator.demo.processes import PortTaken, Processes, require_free_port, web_command, worker_command
from annotator.demo.projects import LEAD, PRACTICE, STUDY, Account, build_demo, build_study, ready_accounts
from annotator.exchange import StudyRefused
from annotator.models import Image, Membership, Project

START_SECONDS = 60.0
IMAGES_SECONDS = 300.0
INTERRUPTED = 130


class Command(BaseCommand):
    """Set up the demo if necessary, and serve it until Ctrl+C."""

    help = "Serve the application with a demo project, or with the published study (--study FOLDER)."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--study", type=Path, help="folder of the published study: images/ and data/annotations.csv"
        )
        parser.add_argument("--port", type=int, default=None, help="default: PORT, or 8000")
        parser.add_argument("--setup-only", action="store_true", help="set up without serving")

    def handle(self, *args: Any, **options: Any) -> None:
        begun = _begun()
        stop = _StopSignal()
        try:
            self._set_up_and_serve(begun, stop, options)
        except _Stopped:
            self._say("Stopped during the setup. `make demo` resumes it.")
            sys.exit(INTERRUPTED)

    def _set_up_and_serve(self, begun: float, stop: _StopSignal, options: dict[str, Any]) -> None:
        port = self._port(options["port"])
        self._say("Preparing the database")
        call_command("migrate", verbosity=0, interactive=False)
        environment = {**os.environ, "DJANGO_SETTINGS_MODULE": "config.settings", "STATIC_COLLECTED": "1"}
        self._say("Preparing the pages")
        self._collect(environment)
        accounts = ready_accounts(settings.VAR_DIR / "demo-accounts.json", newcomer=options["study"] is None)
        project = self._project(options["study"])
        if options["setup_only"]:
            self._say(f"Set up in {time.monotonic() - begun:.0f} s.")
            return
        stop.at_once = False
        self._serve(port, project, accounts, environment, begun, stop)

    def _port(self, given: int | None) -> int:
        text = str(given or os.environ.get("PORT", "").strip() or 8000)
        if not text.isascii() or not text.isdigit() or not 1 <= int(text) <= 65535:
            raise CommandError(f"PORT is {text!r}; expected a number from 1 to 65535.")
        try:
            require_free_port(int(text))
        except PortTaken as error:
            raise CommandError(str(error)) from error
        return int(text)

    def _project(self, study: Path | None) -> Project:
        if study is not None:
            try:
                return build_study(study, settings.VAR_DIR / "practice", self._progress)
            except StudyRefused as error:
                raise CommandError(str(error)) from error
        return build_demo(self._progress)

    def _collect(self, environment: dict[str, str]) -> None:
        """Collect the static files in a separate process, because this one serves them uncollected."""
        command = [sys.executable, "manage.py", "collectstatic", "--noinput", "--verbosity", "0"]
        done = subprocess.run(
            command, cwd=settings.BASE_DIR, env=environment, capture_output=True, check=False
        )
        if done.returncode:
            raise CommandError(f"The static files could not be collected:\n{done.stderr.decode()[-2000:]}")

    def _serve(
        self,
        port: int,
        project: Project,
        accounts: list[Account],
        environment: dict[str, str],
        begun: float,
        stop: _StopSignal,
    ) -> None:
        connections.close_all()
        processes = Processes(
            web=web_command(port),
            worker=worker_command(settings.VAR_DIR / "beat-schedule"),
            environment=environment,
            folder=settings.BASE_DIR,
            log=settings.VAR_DIR / "demo.log",
        )
        try:
            self._say("Starting the web server and a worker")
            processes.start()
            self._wait_for(processes, lambda: stop.asked or _answers(port), START_SECONDS, "the web server")
            self._wait_for(
                processes, lambda: stop.asked or self._images_ready(project), IMAGES_SECONDS, "the images"
            )
            if not stop.asked:
                self._say(self._welcome(port, project, accounts, time.monotonic() - begun))
            problem = processes.watch(until=lambda: stop.asked)
        finally:
            processes.stop()
        if problem:
            raise CommandError(f"{problem} See {processes.log}")
        self._say("Stopped. `make demo` starts it again.")

    def _wait_for(self, processes: Processes, ready: Any, seconds: float, what: str) -> None:
        deadline = time.monotonic() + seconds
        problem = processes.watch(until=lambda: ready() or time.monotonic() > deadline, every=0.2)
        if problem:
            raise CommandError(f"{problem} See {processes.log}")
        if not ready():
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

    def _welcome(self, port: int, project: Project, accounts: list[Account], seconds: float) -> str:
        lines = [f"{a.username:<12} {a.password:<18} {a.purpose}" for a in accounts]
        return "\n".join(
            [
                "",
                f"Anatomark is ready ({seconds:.0f} s):  http://127.0.0.1:{port}/",
                "",
                "Sign in as   with the password",
                *(f"  {line}" for line in lines),
                "",
                *_projects(project),
                f"Stop with Ctrl+C; start again with `make demo{_study(project)}`.",
            ]
        )


class _Stopped(BaseException):
    """A stop was requested during the setup; a BaseException, so that it is not handled as an error."""


class _StopSignal:
    """Handle signals to stop, and acknowledge them immediately.

    While `at_once`, the current step is interrupted, because the setup can be repeated.
    """

    def __init__(self) -> None:
        self.asked, self.at_once = False, True
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, self._ask)

    def _ask(self, number: int, frame: FrameType | None) -> None:
        if not self.asked:
            self.asked = True
            # Not print, which may be writing another line.
            os.write(sys.__stdout__.fileno() if sys.__stdout__ else 1, b"\nStopping \xe2\x80\xa6\n")
            if self.at_once:
                raise _Stopped


def _begun() -> float:
    """Return the start time on the monotonic clock: that of make, if it passes one."""
    started = os.environ.get("DEMO_STARTED", "")
    waited = time.time() - int(started) if started.isascii() and started.isdigit() else 0.0
    return time.monotonic() - max(0.0, waited)


def _projects(project: Project) -> list[str]:
    practice = None if project.slug != STUDY else Project.objects.filter(slug=PRACTICE).first()
    if practice is None:
        # All that the lead leads, those made by hand since included.
        every = Project.objects.filter(
            goes_at=None, memberships__user__username=LEAD, memberships__role=Membership.Role.LEAD
        )
        others = every.exclude(pk=project.pk).exclude(slug__in=(STUDY, PRACTICE)).order_by("pk")
        names = [project.name, *others.values_list("name", flat=True)]
        return [f"Project: {names[0]}."] if len(names) == 1 else [f"Projects: {', '.join(names)}."]
    return [
        f"Projects: {project.name}, with the published annotations, and",
        f"          {practice.name}, with {practice.images.count()} of its images for practice.",
    ]


def _study(project: Project) -> str:
    return " STUDY=…" if project.slug == STUDY else ""


def _answers(port: int) -> bool:
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/accounts/login/", timeout=5) as answer:
            return bool(answer.status == 200)
    except (urllib.error.URLError, OSError):
        return False
