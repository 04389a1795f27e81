"""The steps of `make test` and `make test-all`, and their progress."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from tests.conftest import ITEMS
from tests.run import Step, about_databases, how_far, run_all, steps_of

SERVER = {"DATABASE_URL": "postgresql://db", "REDIS_URL": "redis://r", "PYTHONDONTWRITEBYTECODE": "1"}


def commands(everything: bool, *skipped: str) -> dict[str, tuple[str, bool, bool]]:
    """Return step → marker expression, and whether it gets PostgreSQL and Redis."""
    steps = steps_of(everything=everything, skipped=frozenset(skipped), server=dict(SERVER))
    assert all("PYTHONDONTWRITEBYTECODE" not in step.environment for step in steps)
    return {
        step.name: (
            step.command[-1] if "-m" in step.command[3:] else "",
            "DATABASE_URL" in step.environment,
            "REDIS_URL" in step.environment,
        )
        for step in steps
        if "tests" in step.name
    }


def test_the_quick_run_has_one_database_for_all_and_the_other_for_what_differs() -> None:
    assert commands(False) == {
        "tests on PostgreSQL": ("not thorough", True, True),
        "tests on SQLite": (
            "databases and not (thorough or slow) and not postgres and not redis",
            False,
            False,
        ),
    }


def test_the_thorough_run_leaves_out_what_stores_nothing_the_second_time() -> None:
    assert commands(True) == {
        "tests on PostgreSQL": ("", True, True),
        "tests on SQLite": (
            "(databases or stores and not thorough) and (main_path or not browser)"
            " and not postgres and not redis",
            False,
            False,
        ),
    }


def order(everything: bool) -> list[str]:
    return [step.name for step in steps_of(everything=everything, skipped=frozenset(), server=dict(SERVER))]


def test_the_quick_tests_start_once_they_are_compiled() -> None:
    # Those before take a second or fill the other place.
    assert order(False) == [
        "types",
        "style",
        "format",
        "bytecode",
        "tests on PostgreSQL",
        "runtime environment",
        "tests on SQLite",
    ]


def test_no_browser_runs_beside_containers() -> None:
    steps = steps_of(everything=True, skipped=frozenset(), server=dict(SERVER))
    names = [step.name for step in steps]
    waiting = {step.name: step.after for step in steps if step.after}
    assert waiting == {"tests on PostgreSQL": "containers", "tests on SQLite": "containers"}
    # Steps start in this order, so nobody waits for one that cannot start.
    assert all(names.index(after) < names.index(name) for name, after in waiting.items())
    assert names.index("bytecode") < names.index("tests on PostgreSQL") < names.index("tests on SQLite")
    assert {"races on PostgreSQL", "races on SQLite", "runtime environment"} < set(names)


def test_a_step_starts_after_the_one_it_waits_for(capfd: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    note = tmp_path / "note"
    slow = f"import time; time.sleep(0.5); open({str(note)!r}, 'w').write('ended')"
    steps = [
        Step("slow", [sys.executable, "-c", slow], os.environ),
        Step("waits", ["cat", str(note)], os.environ, after="slow"),
        Step("wrong", ["false"], os.environ),
    ]
    assert run_all(steps, at_a_time=3) == ["wrong"]
    assert "ended── waits: passed" in capfd.readouterr().out.replace("\n", "")


def test_without_postgresql_everything_runs_on_sqlite_once() -> None:
    assert commands(False, "PostgreSQL") == {"tests on SQLite": ("not thorough", False, True)}
    assert commands(False, "PostgreSQL", "Redis") == {"tests on SQLite": ("not thorough", False, False)}


def test_the_quick_run_imports_all_modules_with_cases_for_both_databases(
    request: pytest.FixtureRequest,
) -> None:
    root = Path(__file__).parent.parent
    needed = {
        str(item.path.relative_to(root))
        for item in request.config.stash[ITEMS]
        if item.get_closest_marker("databases") and not item.get_closest_marker("thorough")
    }
    assert needed - set(about_databases()) == set()


@pytest.mark.parametrize(
    ("said", "told"),
    [
        (b"", "running"),
        (b"bringing up nodes...\n", "running"),
        (b"..s." + b" " * 68 + b"[  7%]\n....", "7%"),
        (b"..F." + b" " * 68 + b"[  7%]\n.E.." + b" " * 68 + b"[100%]\nERROR x", "100%, 2 failed"),
    ],
)
def test_how_far_a_run_is(said: bytes, told: str) -> None:
    assert how_far(said) == told
