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
from pytest_django.live_server_helper import LiveServer

from analysis.api.refusals import TOLD
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
    assert len(EXAMPLES) == 2


@pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not installed")
def test_the_first_request(run: Run) -> None:
    text = example("sh", "/api/v1/projects\n")
    assert '"slug": "pilot"' in run(re.sub(r"^export .*\n", "", text, flags=re.MULTILINE))


def test_a_notebook(run: Run) -> None:
    lines = run(example("python", "import pandas")).splitlines()
    assert "secret-generator    0.25" in lines
    shown = [line.split()[:2] for line in lines if "/picture" in line]
    assert shown == [["secret-generator", str(number)] for number in (1, 2, 3)]


def test_every_code_is_listed() -> None:
    codes = set(re.findall(r"`([a-z_]+)`", TEXT.rpartition("Every refusal")[2]))
    assert {code for code, _ in TOLD.values()} <= codes
