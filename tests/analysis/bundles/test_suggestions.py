"""Suggestions and dots in bundles: not a byte without them, and there and back with them."""

from __future__ import annotations

from pathlib import Path
from zipfile import ZipFile

import pytest

from annotator.models import Annotation, Assignment, Batch, Project
from annotator.suggestions.runs import store_run
from tests.analysis.bundles.making import bundle_of, exports_of, make_rich
from tests.analysis.reports.test_suggestions import decide, make_seen

pytestmark = [pytest.mark.django_db, pytest.mark.slow]


def parts_of(project: Project, path: Path, *, reports: bool = False, **more: bool) -> dict[str, bytes]:
    bundle_of(project, path, reports=reports, **more)
    with ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def test_arms_and_captures_are_in_no_export(tmp_path: Path) -> None:
    project = make_rich()
    exports = exports_of(project)
    run, _ = store_run(
        project=project,
        suggested={pk: {"people": 2, "visible": {}} for pk in project.images.values_list("pk", flat=True)},
        actor=None,
        source="c",
    )
    Batch.objects.filter(project=project).update(suggestions=run)
    Assignment.objects.filter(batch__project=project).update(arm="with")
    Annotation.objects.filter(assignment__batch__project=project).update(
        capture={"suggestion": run.pk, "shown_ms": 5}
    )
    assert exports_of(project) == exports


def test_the_report_is_in_the_bundle_without_codes(tmp_path: Path) -> None:
    batch = make_seen()
    decide(batch)
    parts = parts_of(batch.project, tmp_path / "b.zip", reports=True, hidden=True)
    use = parts["reports/suggestions/tables/use.csv"].decode().splitlines()
    assert use[1].split(",")[1] == "All annotators"
    assert "Newcombe" in parts["methods.txt"].decode()
    assert {line.split(",")[1] for line in use[2:]}.isdisjoint({"A", "B", "C", "D"})
