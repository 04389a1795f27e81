"""Shared by all tests."""

from __future__ import annotations

import gc
import os
import random
from collections import defaultdict
from collections.abc import Iterator
from itertools import groupby, pairwise
from pathlib import Path

import pytest
from django.conf import settings as site
from hypothesis import HealthCheck, settings
from pytest_django.fixtures import Settings

from tests.support.emptying import emptied_by_deleting
from tests.support.examples import examples
from tests.support.loopback import only_loopback

# Playwright's synchronous interface keeps an event loop on the main thread; the ORM would refuse to work.
os.environ.setdefault("DJANGO_ALLOW_ASYNC_UNSAFE", "true")
# Pictures of a few pixels make fast tests, here and in processes that are started.
os.environ.setdefault("MIN_IMAGE_SIDE", "1")


SETS = "/tests/config/deploy/"
"""Cases that start a team's whole set of processes, which those of a module share."""
STORES = frozenset({"db", "transactional_db", "django_db_reset_sequences", "live_server"})

# Collected cases stay, so garbage collection would search them in vain.
gc.disable()
LOOKED_THROUGH = (50_000, 20, 20)

# Time depends on what else the machine does: it belongs in benchmarks, not in the outcome of a test.
settings.register_profile(
    "ours", max_examples=examples(50), deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("ours")


@pytest.fixture
def media(tmp_path: Path, settings: Settings) -> Path:
    """A storage of the test's own."""
    settings.MEDIA_ROOT = tmp_path / "media"
    return tmp_path / "media"


def pytest_configure() -> None:
    """Choose the order of the tests, in `make test-all` a new one; processes that share them inherit it."""
    os.environ.setdefault("ORDER", str(random.randrange(10**6)) if os.environ.get("THOROUGH") else "1")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Give each case the kinds that follow from its folder and fixtures."""
    for item in items:
        path = item.path.as_posix()
        if "/tests/browser/" in path:
            item.add_marker("browser")
        database = item.get_closest_marker("django_db")
        fixtures = frozenset(getattr(item, "fixturenames", ()))
        if database or fixtures & STORES:
            item.add_marker("stores")
        kinds = {marker.name for marker in item.iter_markers()}
        if ("browser" in kinds or SETS in path) and "main_path" not in kinds:
            item.add_marker("thorough")
        if "browser" not in kinds and (
            (database and database.kwargs.get("transaction")) or "transactional_db" in fixtures
        ):
            item.add_marker("databases")
    _thin_out(items)
    items[:] = _shuffled(items)
    # Long cases first, or one worker would wait for another at the end.
    items.sort(key=lambda item: item.get_closest_marker("slow") is None)


def _shuffled(items: list[pytest.Item]) -> list[pytest.Item]:
    """Return modules, and the cases of each, in random order; those that share processes keep theirs."""
    draw = random.Random(int(os.environ["ORDER"]))
    modules = [list(cases) for _, cases in groupby(items, key=lambda item: item.path)]
    draw.shuffle(modules)
    for cases in modules:
        if SETS not in cases[0].path.as_posix():
            draw.shuffle(cases)
    return [item for cases in modules for item in cases]


def _thin_out(items: list[pytest.Item]) -> None:
    """Select as many cases of a test for `make test` as its mark `few` says, evenly spread."""
    told: dict[str, list[pytest.Item]] = defaultdict(list)
    for item in items:
        if item.get_closest_marker("few"):
            told[item.nodeid.partition("[")[0]].append(item)
    for cases in told.values():
        mark = cases[0].get_closest_marker("few")
        assert mark is not None
        ends = [place * len(cases) // mark.args[0] for place in range(mark.args[0] + 1)]
        # A different one of each part, because alternating parameters would always meet the same partner.
        left = {start + part % (end - start) for part, (start, end) in enumerate(pairwise(ends))}
        for place, item in enumerate(cases):
            if place not in left:
                item.add_marker("thorough")


def pytest_collection_finish() -> None:
    """Freeze collected cases and modules, so that garbage collection skips them."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(*LOOKED_THROUGH)
    gc.enable()


@pytest.fixture(autouse=True)
def alone() -> Iterator[None]:
    """Fail a test that reaches for another machine."""
    with only_loopback() as refused:
        yield
    assert refused == []


@pytest.fixture(scope="session", autouse=True)
def unwaiting() -> Iterator[None]:
    """Skip flushing to disk, because no test cuts the power; flushing itself is tested with fakes."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(os, "fsync", lambda _: None)
        yield


@pytest.fixture(scope="session", autouse=True)
def emptying() -> Iterator[None]:
    """Empty PostgreSQL between cases quickly."""
    with emptied_by_deleting():
        yield


@pytest.fixture(scope="session", autouse=True)
def signing_in() -> Iterator[None]:
    """Sign test clients in quickly."""
    from tests.support.signing_in import signed_in_quickly

    with signed_in_quickly():
        yield


@pytest.fixture(scope="session", autouse=True)
def small_pictures() -> None:
    """Accept pictures of a few pixels: the settings are read before this file is."""
    site.MIN_IMAGE_SIDE = 1


@pytest.fixture(scope="session", autouse=True)
def reading() -> Iterator[None]:
    """Read uploaded files in the test's process in `make test`, and as the site does in `make test-all`."""
    if os.environ.get("THOROUGH"):
        yield
        return
    from tests.annotator.uploads.bringing import reading_here

    with reading_here():
        yield


@pytest.fixture
def apart(monkeypatch: pytest.MonkeyPatch) -> None:
    """Start a reading process in `make test` too, for tests about that process."""
    from tests.annotator.uploads.bringing import PLACES

    for module, name, real in PLACES:
        monkeypatch.setattr(module, name, real)
    monkeypatch.setattr("annotator.images.drawing._IDLE", {})


@pytest.fixture(scope="session")
def study_data() -> Path:
    """Return the published study's folder; skip if it is missing."""
    folder = os.environ.get("STUDY_DATA", "")
    if not folder or not Path(folder, "data", "annotations.csv").is_file():
        pytest.skip("the published study is not at hand: set STUDY_DATA to its folder")
    return Path(folder)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print the order, and skipped tests, which are failures if NOTHING_SKIPPED is set."""
    terminalreporter.write_line(f"Random order: ORDER={os.environ['ORDER']} repeats it.")
    skipped = terminalreporter.stats.get("skipped", [])
    if skipped and os.environ.get("NOTHING_SKIPPED"):
        terminalreporter.write_line(
            f"NOTHING_SKIPPED is set, but {len(skipped)} tests were skipped.", red=True
        )


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Fail the run because of skipped tests if NOTHING_SKIPPED is set."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if os.environ.get("NOTHING_SKIPPED") and reporter is not None and reporter.stats.get("skipped"):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
