"""Suggestions and dots in bundles: not a byte without them, and there and back with them."""

from __future__ import annotations

import json
from pathlib import Path
from zipfile import ZipFile

import pytest

from annotator.exchange.suggestion_rows import check_suggestions, store_suggestions
from annotator.models import Annotation, Assignment, Batch, Project, Suggestion
from annotator.suggestions.runs import store_run
from tests.analysis.bundles.making import bundle_of, exports_of, make_rich
from tests.analysis.reports.test_suggestions import decide, make_seen
from tests.factories import make_image, make_project

pytestmark = [pytest.mark.django_db, pytest.mark.slow]


def parts_of(project: Project, path: Path, *, reports: bool = False, **more: bool) -> dict[str, bytes]:
    bundle_of(project, path, reports=reports, **more)
    with ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def test_a_run_that_no_batch_shows_adds_its_own_files_alone(tmp_path: Path) -> None:
    project = make_rich()
    exports, parts = exports_of(project), parts_of(project, tmp_path / "before.zip")
    images = project.images.values_list("pk", flat=True)
    run, _ = store_run(
        project=project, suggested={pk: {"people": 2, "visible": {}} for pk in images}, actor=None, source="c"
    )
    again = parts_of(project, tmp_path / "with.zip")
    assert exports_of(project) == exports
    assert set(again) - set(parts) == {"suggestions.json", "suggestions/1.jsonl"}
    changed = {name for name in parts if again[name] != parts[name]}
    assert changed <= {"README.txt", "sha256sums.txt", "project.json", "datapackage.json"}
    run.delete()
    assert parts_of(project, tmp_path / "after.zip") == parts


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


def test_runs_come_back_as_they_went(tmp_path: Path) -> None:
    project = make_seen().project
    with ZipFile(tmp_path / "b.zip", "w") as archive:
        for name, data in parts_of(project, tmp_path / "a.zip").items():
            archive.writestr(name, data)
    with ZipFile(tmp_path / "b.zip") as archive:
        archive.extract("suggestions/1.jsonl", tmp_path)
        told = json.loads(archive.read("suggestions.json"))["runs"][0]
    other = make_project("other")
    for image in project.images.all():
        make_image(other, sha256=image.sha256, source_name=image.source_name, generator=image.generator)
    found = check_suggestions(tmp_path / "suggestions" / "1.jsonl", other)
    store_suggestions(found, other, source=told["source"], source_version=told["source_version"])
    rows = {
        slug: sorted(
            (sha256, json.dumps(payload, sort_keys=True))
            for sha256, payload in Suggestion.objects.filter(run__project__slug=slug).values_list(
                "image__sha256", "payload"
            )
        )
        for slug in ("pilot", "other")
    }
    assert rows["pilot"] == rows["other"]
    assert len(rows["other"]) == 48


def test_the_report_is_in_the_bundle_without_codes(tmp_path: Path) -> None:
    batch = make_seen()
    decide(batch)
    parts = parts_of(batch.project, tmp_path / "b.zip", reports=True, hidden=True)
    use = parts["reports/suggestions/tables/use.csv"].decode().splitlines()
    assert use[1].split(",")[1] == "All annotators"
    assert "Newcombe" in parts["methods.txt"].decode()
    assert {line.split(",")[1] for line in use[2:]}.isdisjoint({"A", "B", "C", "D"})
