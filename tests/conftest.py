"""Shared by all tests."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

# Playwright's synchronous interface keeps an event loop on the main thread; the ORM would refuse to work.
os.environ.setdefault("DJANGO_ALLOW_ASYNC_UNSAFE", "true")


@pytest.fixture(scope="session", autouse=True)
def unwaiting() -> Iterator[None]:
    """Nothing waits for a disk that no test takes the power from; who asks for it is tested with fakes."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(os, "fsync", lambda _: None)
        yield


@pytest.fixture(scope="session")
def study_data() -> Path:
    """The published study's folder; skips, by name, where it is not at hand."""
    folder = os.environ.get("STUDY_DATA", "")
    if not folder or not Path(folder, "data", "annotations.csv").is_file():
        pytest.skip("the published study is not at hand: set STUDY_DATA to its folder")
    return Path(folder)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Where everything is meant to be at hand (NOTHING_SKIPPED), a skipped test is a failure."""
    skipped = terminalreporter.stats.get("skipped", [])
    if skipped and os.environ.get("NOTHING_SKIPPED"):
        terminalreporter.write_line(
            f"NOTHING_SKIPPED is set, but {len(skipped)} tests were skipped.", red=True
        )


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Turn skipped tests into a failed run where NOTHING_SKIPPED is set."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if os.environ.get("NOTHING_SKIPPED") and reporter is not None and reporter.stats.get("skipped"):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
