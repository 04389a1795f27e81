"""Every example of docs/reference/api.md, run unchanged against a running server."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from django.utils import timezone
from pytest_django.live_server_helper import LiveServer

from analysis.api.refusals import CONFLICTS, TOLD
from analysis.models import Report
from annotator.models import Annotation, Job
from annotator.web.views.json_endpoint import LARGEST_BODY
from tests.analysis.api.conftest import Study, study  # noqa: F401  a fixture

TEXT = (Path(__file__).resolve().parents[2] / "docs" / "reference" / "api.md").read_text(encoding="utf-8")
Run = Callable[..., str]
"""(example, whose token it is) -> what it prints."""
EXAMPLES = re.findall(r"^```(sh|python)\n(.*?)^```", TEXT, re.MULTILINE | re.DOTALL)


def example(language: str, about: str) -> str:
    """The one example in a language that mentions something."""
    found: str
    [found] = [text for kind, text in EXAMPLES if kind == language and about in text]
    return found


@pytest.fixture
def run(transactional_db: None, live_server: LiveServer, study: Study) -> Run:  # noqa: F811
    """Run an example with somebody's token; what it prints."""

    def run_one(text: str, who: str = "lee") -> str:
        environment = {
            **os.environ,
            "ANATOMARK": live_server.url,
            "ANATOMARK_TOKEN": study.caller(who).secret,
        }
        is_shell = "curl" in text
        command = ["sh", "-ec", text] if is_shell else [sys.executable, "-c", text]
        done = subprocess.run(
            command, env=environment, capture_output=True, text=True, check=False, timeout=120
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run_one


def test_no_example_is_left_out() -> None:
    assert len(EXAMPLES) == 7


@pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not installed")
def test_the_first_request(run: Run) -> None:
    assert '"slug": "pilot"' in run(example("sh", "/api/v1/projects\n"))


@pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not installed")
def test_asking_for_a_large_file(run: Run) -> None:
    assert '"status": "queued"' in run(example("sh", "parquet"))
    assert Job.objects.get().data["request"]["format"] == "parquet"


def test_into_pandas(run: Run) -> None:
    assert "secret-generator    0.25" in run(example("python", "import pandas"))


def test_lists(run: Run) -> None:
    lines = run(example("python", "def every")).splitlines()
    assert [line.split()[:2] for line in lines] == [["secret-generator", str(number)] for number in (1, 2, 3)]


def test_reports(run: Run, study: Study) -> None:  # noqa: F811
    report = Report.objects.create(
        project=study.project,
        kind="agreement",
        status="done",
        annotations=2,
        result={"alpha": 1},
        finished_at=timezone.now(),
    )
    assert run(example("python", "reports/agreement")) == f"{report.pk} 2 ['alpha']\n"


def test_writing_answers(run: Run, study: Study) -> None:  # noqa: F811
    assert run(example("python", "def ask"), "ada") == "draft 1\n"
    stored = Annotation.objects.get(assignment=study.queue[1])
    assert (stored.payload["note"], stored.payload["no_errors"]) == ("Looked at twice.", True)


def test_every_code_is_listed() -> None:
    codes = set(re.findall(r"`([a-z_]+)`", TEXT.rpartition("## When")[2]))
    named = {code for code, _ in TOLD.values()} | set(CONFLICTS) | {"read_only"}
    # What no operation says by itself: a 403 is always `read_only`, a 409 always one of the others.
    assert named - {"forbidden", "conflict"} <= codes
    assert LARGEST_BODY == 512 * 1024
