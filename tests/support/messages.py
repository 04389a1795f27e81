"""Messages to the workers, caught on their way to the broker."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from annotator.work.sending import TaskName
from config.celery import app


def ids_sent_to(monkeypatch: pytest.MonkeyPatch, *tasks: TaskName) -> list[int]:
    """Ids sent to these tasks from now on; no worker hears of them."""
    ids: list[int] = []
    _catch(monkeypatch, tasks, ids.extend)
    return ids


def times_sent(monkeypatch: pytest.MonkeyPatch, task: TaskName) -> list[TaskName]:
    """One entry a message to this task from now on; no worker hears of it."""
    times: list[TaskName] = []
    _catch(monkeypatch, [task], lambda _: times.append(task))
    return times


def break_broker(monkeypatch: pytest.MonkeyPatch, error: Exception) -> list[int]:
    """Refuse every message from now on with this error; returns the ids somebody tried to send."""
    tried: list[int] = []

    def refuse(name: str, args: Sequence[int] = (), **options: Any) -> None:
        tried.extend(args)
        raise error

    monkeypatch.setattr(app, "send_task", refuse)
    return tried


def _catch(monkeypatch: pytest.MonkeyPatch, tasks: Sequence[TaskName], note: Any) -> None:
    others = app.send_task

    def send_task(name: str, args: Sequence[int] = (), **options: Any) -> Any:
        return note(args) if name in tasks else others(name, args=args, **options)

    monkeypatch.setattr(app, "send_task", send_task)
