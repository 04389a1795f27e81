"""Messages to the workers: names that are tasks, and a broker that is down."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from django.conf import settings
from kombu.exceptions import OperationalError

from annotator.work.jobs import RUN_JOB
from annotator.work.sending import send
from config.celery import app
from tests.support.messages import break_broker, ids_sent_to
from tests.support.syntax import parsed

ROOT = Path(settings.BASE_DIR)


def registered() -> set[str]:
    """The tasks that a worker knows."""
    app.loader.import_default_modules()
    return set(app.tasks)


def names_sent() -> list[str]:
    """Every name that the program sends a task by, as written; what is no text alone stands as code."""
    return [
        ast.literal_eval(node.args[0]) if isinstance(node.args[0], ast.Constant) else ast.unparse(node)
        for package in ("annotator", "analysis", "config")
        for path in (ROOT / package).rglob("*.py")
        if "TaskName(" in (text := path.read_text(encoding="utf-8"))
        for node in ast.walk(parsed(text))
        if isinstance(node, ast.Call) and ast.unparse(node.func).split(".")[-1] == "TaskName"
    ]


def test_every_name_that_is_sent_is_a_registered_task() -> None:
    names = names_sent()
    assert len(names) >= 4
    assert set(names) - registered() == set()


def test_every_task_of_the_schedule_is_registered() -> None:
    assert {entry["task"] for entry in settings.CELERY_BEAT_SCHEDULE.values()} - registered() == set()


def test_a_task_is_sent_with_its_ids(monkeypatch: pytest.MonkeyPatch) -> None:
    ids = ids_sent_to(monkeypatch, RUN_JOB)
    assert send(RUN_JOB, 7)
    assert ids == [7]


@pytest.mark.parametrize("error", [OperationalError("no broker"), OSError("no folder")])
def test_a_broker_that_is_down_is_no_error(monkeypatch: pytest.MonkeyPatch, error: Exception) -> None:
    break_broker(monkeypatch, error)
    assert not send(RUN_JOB, 7)
