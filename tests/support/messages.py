"""Messages to the workers, intercepted before the broker."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from annotator.work.sending import TaskName
from config.celery import app


def ids_sent_to(monkeypatch: pytest.MonkeyPatch, *tasks: TaskName) -> list[int]:
    """Return the ids sent to these tasks from now on; no worker receives them."""
    ids: list[int] = []
    _catch(monkeypatch, tasks, ids.extend)
    return ids


def break_broker(monkeypatch: pytest.MonkeyPatch, error: Exception) -> list[int]:
    """Refuse every message from now on with this error; return the ids."""
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
