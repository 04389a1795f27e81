"""What happens to computations in tests."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from analysis.models import Report
from analysis.reports import lifecycle


def counting(frame: Any) -> dict[str, Any]:
    """Return a result that counts the annotations."""
    return {"rows": len(frame), "tables": []}


def compute_with(monkeypatch: pytest.MonkeyPatch, act: Callable[[], object]) -> None:
    """Let `act` happen in the middle of every computation."""

    def compute(frame: Any, steps: Any) -> dict[str, Any]:
        act()
        return counting(frame)

    monkeypatch.setattr(lifecycle, "computation", lambda *_: compute)


def expire(report: Report) -> None:
    Report.objects.filter(pk=report.pk).update(lease_until=timezone.now() - timedelta(seconds=1))
