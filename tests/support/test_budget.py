"""The cost of a case, and the kinds that follow from its folder."""

from __future__ import annotations

import inspect
import re

import pytest
from django.conf import settings

from tests.conftest import ITEMS
from tests.support.budget import LIMIT, Cost, over_budget

THREADS = re.compile(r"\b(race|Thread|ThreadPoolExecutor)\(")


def test_only_unmarked_cases_have_a_budget() -> None:
    costs = {
        "slow": Cost(1.1, 1.1),
        "slower": Cost(2.0, 9.0),
        "waits": Cost(0.1, 5.0),
        "marked": Cost(3.0, 3.0, "worker"),
    }
    assert over_budget(costs) == ["slower", "slow"]
    assert over_budget(costs, 2 * LIMIT) == []


@pytest.mark.thorough
def test_what_is_shared_is_nobodys_cost(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(settings.BASE_DIR))
    monkeypatch.delenv("DJANGO_SETTINGS_MODULE")
    pytester.makeconftest(
        """
        import gc
        import time
        import pytest

        pytest_plugins = ["tests.support.budget"]

        def busy(seconds, does=lambda: None):
            ends = time.process_time() + seconds
            while time.process_time() < ends:
                does()

        @pytest.fixture(scope="session")
        def shared():
            busy(0.4)
            busy(0.4, gc.collect)

        @pytest.fixture
        def own(shared):
            busy(0.2)

        @pytest.fixture
        def searched():
            busy(0.4, gc.collect)

        def pytest_terminal_summary(config):
            from tests.support.budget import _COSTS
            for name, cost in config.stash[_COSTS].items():
                print("COST", name.split("::")[1], 0.2 <= cost.processor < 0.4, cost.kinds)
        """
    )
    pytester.makepyfile(
        """
        import pytest

        def test_first(own):
            pass

        @pytest.mark.worker
        def test_second(own):
            pass

        def test_third(own, searched):
            pass
        """
    )
    said = pytester.runpytest_subprocess("-p", "no:django", "-p", "no:xdist", "-s").stdout.str()
    assert "COST test_first True" in said
    assert "COST test_second True worker" in said
    assert "COST test_third True" in said


def test_few_of_many_cases_are_left_evenly_spread(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPATH", str(settings.BASE_DIR))
    pytester.makeini("[pytest]\nmarkers =\n few\n thorough\n slow\n stores\n")
    pytester.makeconftest("from tests.conftest import pytest_collection_modifyitems")
    pytester.makepyfile(
        """
        import pytest

        @pytest.mark.few(3)
        @pytest.mark.parametrize("number", range(10))
        def test_many(number):
            pass

        @pytest.mark.parametrize("number", range(2))
        def test_all(number):
            pass
        """
    )
    ran = pytester.runpytest_inprocess("-p", "no:django", "-p", "no:xdist", "-v", "-m", "not thorough")
    ran.assert_outcomes(passed=5, deselected=7)
    assert re.findall(r"test_many\[(\d)\] PASSED", ran.stdout.str()) == ["0", "4", "8"]


@pytest.mark.slow  # reads the source of every case
def test_what_uses_threads_on_the_database_runs_on_both(request: pytest.FixtureRequest) -> None:
    """Commits are marked in conftest; threads are found in the source."""
    both = {"databases", "browser", "process_set"}
    forgotten = {
        item.nodeid
        for item in request.config.stash[ITEMS]
        if isinstance(item, pytest.Function)
        and item.get_closest_marker("stores")
        and not any(item.get_closest_marker(kind) for kind in both)
        and THREADS.search(inspect.getsource(item.function))
    }
    assert forgotten == set()
