"""Shared by the tests of reports and exports."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from analysis import reports
from annotator.imports.study import import_study
from annotator.models import Project
from tests.analysis.factories import make_small_study
from tests.factories import make_project


@pytest.fixture
def project(db: None) -> Project:
    """Seven answers by two annotators on four images of two generators."""
    project = make_project("study", name="The study")
    make_small_study(project)
    return project


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Ids of the reports whose wake-up left."""
    from analysis.tasks import run_report as task

    ids: list[int] = []
    monkeypatch.setattr(task, "delay", ids.append)
    return ids


@pytest.fixture
def computed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Kinds computed, in order; the computations are the real ones."""
    kinds: list[str] = []
    real = reports.computation

    def counting(kind: str) -> Callable[[Any, Any], Any]:
        def compute(frame: Any, steps: Any) -> Any:
            kinds.append(kind)
            return real(kind)(frame, steps)

        return compute

    monkeypatch.setattr(reports, "computation", counting)
    return kinds


@pytest.fixture
def published(db: None, study_data: Path, sent: list[int]) -> Project:
    """The published study, imported."""
    project = make_project("published")
    import_study(study_data, project=project)
    return project
