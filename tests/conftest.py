"""Shared by all tests."""

from __future__ import annotations

import gc
import os
from collections import defaultdict
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import settings

from tests.support.examples import examples

pytest_plugins = ["tests.support.budget", "pytester"]

# Playwright's synchronous interface keeps an event loop on the main thread; the ORM would refuse to work.
os.environ.setdefault("DJANGO_ALLOW_ASYNC_UNSAFE", "true")


STARTS = frozenset({"browser", "worker", "process_set"})
"""Kinds that start something heavy: `make test` runs those of them that are marked `main_path`."""
STORES = frozenset({"db", "transactional_db", "django_db_reset_sequences", "live_server"})
ITEMS = pytest.StashKey[list[pytest.Item]]()
"""All cases, before any is left out."""

# Whatever is collected stays, so that nothing is looked through for what may go; afterwards, seldom.
gc.disable()
LOOKED_THROUGH = (50_000, 20, 20)

settings.register_profile("ours", max_examples=examples(50))
settings.load_profile("ours")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Give each case the kinds that follow from where it lies and what it asks for."""
    for item in items:
        for folder, kind in (("/tests/browser/", "browser"), ("/tests/config/deploy/", "process_set")):
            if folder in item.path.as_posix():
                item.add_marker(kind)
        database = item.get_closest_marker("django_db")
        fixtures = frozenset(getattr(item, "fixturenames", ()))
        if database or fixtures & STORES:
            item.add_marker("stores")
        kinds = {marker.name for marker in item.iter_markers()}
        if STARTS & kinds and "main_path" not in kinds:
            item.add_marker("thorough")
        if "browser" not in kinds and (
            (database and database.kwargs.get("transaction")) or "transactional_db" in fixtures
        ):
            item.add_marker("databases")
    _thin_out(items)
    # What takes long goes first: at the end one worker would wait for the other.
    items.sort(key=lambda item: item.get_closest_marker("slow") is None)
    config.stash[ITEMS] = list(items)


def _thin_out(items: list[pytest.Item]) -> None:
    """Leave `make test` as many cases of a test as its mark `few` says, spread evenly over all of them."""
    told: dict[str, list[pytest.Item]] = defaultdict(list)
    for item in items:
        if item.get_closest_marker("few"):
            told[item.nodeid.partition("[")[0]].append(item)
    for cases in told.values():
        mark = cases[0].get_closest_marker("few")
        assert mark is not None
        ends = [place * len(cases) // mark.args[0] for place in range(mark.args[0] + 1)]
        # Of each part another one: parameters that take turns would meet always the same partner.
        left = {start + part % (end - start) for part, (start, end) in enumerate(pairwise(ends))}
        for place, item in enumerate(cases):
            if place not in left:
                item.add_marker("thorough")


def pytest_collection_finish() -> None:
    """Thousands of cases and their modules stay: nothing looks through them again for what may go."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(*LOOKED_THROUGH)
    gc.enable()


@pytest.fixture(scope="session", autouse=True)
def unwaiting() -> Iterator[None]:
    """Nothing waits for a disk that no test takes the power from; who asks for it is tested with fakes."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(os, "fsync", lambda _: None)
        yield


@pytest.fixture(scope="session", autouse=True)
def reading() -> Iterator[None]:
    """`make test` reads people's files in its own process; `make test-all` as the site does."""
    if os.environ.get("THOROUGH"):
        yield
        return
    from tests.annotator.uploads.bringing import reading_here

    with reading_here():
        yield


@pytest.fixture
def apart(monkeypatch: pytest.MonkeyPatch) -> None:
    """For tests of what becomes of a process that reads: there is one, in `make test` too."""
    from tests.annotator.uploads.bringing import PLACES

    for module, name, real in PLACES:
        monkeypatch.setattr(module, name, real)


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
