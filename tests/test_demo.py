"""`manage.py demo` with real processes and HTTP, stopped and restarted."""

from __future__ import annotations

import http.cookiejar
import os
import re
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

# Minutes of two processors; `make test` builds the same projects in tests/golden.
pytestmark = pytest.mark.thorough
ROOT = Path(__file__).resolve().parent.parent
START_SECONDS = 300
EARLIER_SECONDS = 5000  # make began so long before the command

KINDS = ("agreement", "comparison", "quality")
REPORTS = {"demo": KINDS, "realism": (*KINDS, "data_set"), "defects": ("agreement", "comparison")}


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class Demo:
    """One run of the command, its output, and a browser-like client."""

    def __init__(self, home: Path, port: int) -> None:
        self.port = port
        kept = {k: v for k, v in os.environ.items() if k not in {"DATABASE_URL", "REDIS_URL", "SECRET_KEY"}}
        kept |= {"VAR_DIR": str(home / "var"), "MEDIA_ROOT": str(home / "media"), "PORT": str(port)}
        kept["DJANGO_SETTINGS_MODULE"] = "config.settings"
        kept["DEMO_STARTED"] = str(int(time.time()) - EARLIER_SECONDS)
        self.output = home / f"out-{time.monotonic_ns()}.txt"
        with self.output.open("wb") as out:
            command = [sys.executable, "manage.py", "demo"]
            self.process = subprocess.Popen(command, cwd=ROOT, env=kept, stdout=out, stderr=out)
        self.cookies = http.cookiejar.CookieJar()
        self.client = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(self.cookies))

    def said(self) -> str:
        return self.output.read_text(encoding="utf-8")

    def wait(self) -> None:
        """Wait until the welcome is printed."""
        begun = time.monotonic()
        while "Anatomark is ready" not in self.said():
            assert self.process.poll() is None, self.said()
            assert time.monotonic() - begun < START_SECONDS, self.said()
            time.sleep(0.1)

    def get(self, path: str) -> str:
        with self.client.open(f"http://127.0.0.1:{self.port}{path}", timeout=20) as answer:
            return str(answer.read().decode())

    def post(self, path: str, **fields: str) -> str:
        token = next(cookie.value for cookie in self.cookies if cookie.name == "anatomark_csrf")
        data = urllib.parse.urlencode({**fields, "csrfmiddlewaretoken": token or ""}).encode()
        with self.client.open(f"http://127.0.0.1:{self.port}{path}", data, timeout=20) as answer:
            return str(answer.read().decode())

    def sign_in(self, username: str) -> str:
        match = re.search(rf"^\s+{username}\s+(\S+)", self.said(), re.M)
        assert match, self.said()
        self.cookies.clear()
        self.get("/accounts/login/")
        return self.post("/accounts/login/", username=username, password=match[1])

    def has_report(self, project: str, kind: str) -> bool:
        """Return whether a worker has finished the report, without which its JSON does not exist."""
        try:
            return bool(self.get(f"/projects/{project}/reports/{kind}.json"))
        except urllib.error.HTTPError as error:
            if error.code != 404:
                raise
            return False

    def stop(self) -> int:
        self.process.send_signal(signal.SIGINT)
        return self.process.wait(30)


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("demo")


@pytest.fixture(scope="module")
def demo(home: Path) -> Iterator[Demo]:
    running = Demo(home, free_port())
    try:
        running.wait()
        yield running
    finally:
        if running.process.poll() is None:
            running.stop()


def test_it_says_where_to_look_how_to_sign_in_and_what_each_project_shows(demo: Demo) -> None:
    said = demo.said()
    assert f"http://127.0.0.1:{demo.port}/" in said
    accounts = re.findall(r"^  (\w+) +(?:[0-9a-f]{4}-?){3} +\w", said, re.M)
    assert accounts == ["lead", "annotator1", "annotator2", "newcomer"]
    assert re.findall(r"^  (\S.*?) {2,}\S.*review", said, re.M) == ["lead", "Drawn figures"]
    assert re.findall(r"^Importing (.+)$", said, re.M) == [
        "Drawn figures 60/60",
        "Realism of drawn figures 94/94",
        "Defects of drawn figures 36/36",
    ]


def test_the_lead_finds_numbers_on_every_page_and_a_scored_csv(demo: Demo) -> None:
    assert "Drawn figures" in demo.sign_in("lead")
    deadline = time.monotonic() + 60
    for project, kinds in REPORTS.items():
        for kind in kinds:
            while not demo.has_report(project, kind):
                assert time.monotonic() < deadline, demo.get(f"/projects/{project}/reports/{kind}/")
                time.sleep(0.5)
            assert "no-numbers" not in demo.get(f"/projects/{project}/reports/{kind}/")
    header, *rows = demo.post("/projects/demo/exports/", layout="scores", format="csv").splitlines()
    assert "cumulative" in header.lower()
    assert len(rows) == 136


def test_somebody_new_trains_before_the_first_image(demo: Demo) -> None:
    demo.cookies.clear()
    page = demo.sign_in("newcomer")
    assert "Getting started" in page
    assert "0 of 8" in page
    first = re.search(r'href="(/assignments/\d+/)">Start training', page)
    assert first, page
    assert "Start annotating" not in page
    assert "12 images" in page


def test_a_taken_port_is_named(demo: Demo, tmp_path: Path) -> None:
    second = Demo(tmp_path, demo.port)
    assert second.process.wait(60) == 1
    assert f"Port {demo.port} is in use" in second.said()
    assert "Traceback" not in second.said()


@pytest.mark.thorough
def test_it_stops_when_asked_and_starts_again_where_it_was(tmp_path: Path) -> None:
    first = Demo(tmp_path, free_port())
    first.wait()
    before = re.findall(r"^\s+(?:lead|annotator\d)\s+\S+", first.said(), re.M)
    assert first.stop() == 0
    assert first.said().index("Stopping") < first.said().index("Stopped.")
    # The worker ends its own children, and does not wait for ended ones until it is killed.
    assert "SIGTERM" not in (tmp_path / "var" / "demo.log").read_text(encoding="utf-8")
    with pytest.raises(urllib.error.URLError):
        first.get("/")
    again = Demo(tmp_path, first.port)
    try:
        again.wait()
        assert re.findall(r"^\s+(?:lead|annotator\d)\s+\S+", again.said(), re.M) == before
        assert "Importing" not in again.said()
    finally:
        again.stop()


@pytest.mark.thorough
def test_a_killed_launcher_leaves_nothing_behind(tmp_path: Path) -> None:
    if sys.platform != "linux":
        pytest.skip("only Linux ends children with their parent")
    running = Demo(tmp_path, free_port())
    running.wait()
    running.process.kill()
    running.process.wait(10)
    deadline = time.monotonic() + 20
    while True:
        try:
            running.get("/accounts/login/")
        except urllib.error.URLError:
            break
        assert time.monotonic() < deadline
        time.sleep(0.2)
