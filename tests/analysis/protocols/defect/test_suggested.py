"""Suggested masks in the report: taken over, corrected, ignored, and judged by what the checks keep."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from analysis.protocols.defect.suggested import CORRECTED, likeness
from analysis.reports.suggestions import suggestions_digest
from analysis.stats.generic.tables import rows_of
from analysis.stats.suggestions import LACKING, WRONG
from annotator.annotations.reopening import reopen_for_annotator
from annotator.exchange.suggestion_rows import check_suggestions
from annotator.models import Annotation, Assignment, Project
from annotator.suggestions.runs import store_run
from scoring.defect.masks import rectangle
from scoring.protocol import Payload
from tests.analysis.bundles.making import unpacked
from tests.analysis.wider_study import report_of
from tests.annotator.protocols.defect.stages import (
    HEIGHT,
    MARKERS,
    REVIEWERS,
    WIDTH,
    judge,
    lead_of,
    make_people,
    marks,
    released,
    votes,
)

RIGHT, WRONG_ONE, OTHER = (0, 0, 20, 20), (40, 0, 20, 20), (40, 30, 20, 20)
"""A true suggestion, a wrong one, and a defect that the run has not found."""


def mask(box: tuple[int, int, int, int]) -> Any:
    return rectangle(HEIGHT, WIDTH, box)


@pytest.mark.parametrize(
    ("box", "expected"),
    [((0, 0, 20, 20), 1), ((0, 0, 20, 18), 1), ((0, 0, 20, 17), CORRECTED), ((0, 0, 20, 9), 0), (OTHER, 0)],
)
def test_a_mask_is_taken_over_from_nine_tenths_and_corrected_from_a_half(
    box: tuple[int, int, int, int], expected: float
) -> None:
    assert likeness(mask(RIGHT), [mask(OTHER), mask(box)]) == expected


@pytest.fixture
def project() -> Project:
    """Four images with two suggestions each: one marker sees them, and the reviewers keep what is right."""
    project = make_people(4)
    masks = [{"mask": mask(box).as_json(), "kind": "structural"} for box in (RIGHT, WRONG_ONE)]
    suggested = {image.pk: {"masks": masks} for image in project.images.all()}
    told: dict[str, Any] = {"source": "segmenter", "source_version": "1", "kind": "masks"}
    run, _ = store_run(project=project, suggested=suggested, actor=None, **told)
    batch = released(project, "defect-marks", MARKERS)
    batch.suggestions, batch.settings = run, {**batch.settings, "suggestions": 50}
    batch.save()
    for code, arm in zip(MARKERS, ("with", "without"), strict=True):
        batch.assignments.filter(annotator__code=code).update(arm=arm)

    def answer(assignment: Assignment, _: Payload) -> Payload:
        # Who sees both takes the wrong one over, corrects the other, and misses what is not suggested.
        seen = assignment.annotator.code == MARKERS[0]
        return marks((0, 0, 20, 15), WRONG_ONE) if seen else marks(RIGHT, OTHER)

    judge(batch, answer)
    for row in batch.assignments.filter(arm="with"):
        row.annotation.capture = {"suggestion": run.pk, "shown_ms": 3000}
        row.annotation.save()
    check = released(project, "defect-check", REVIEWERS, batch)
    judge(check, lambda _, given: votes(given, lambda item: "at 40" not in item["text"] or _is_true(item)))
    return project


def _is_true(item: Payload) -> bool:
    return bool(item["mask"] == mask(OTHER).as_json())


@pytest.mark.django_db
def test_the_report_says_what_became_of_masks(project: Project) -> None:
    report = report_of(project, "suggestions", "defect-marks")
    found = dict(report.result or {})
    use = rows_of(found, "use")[0]
    assert [use[name] for name in ("shown", "items", "taken", "changed", "ignored")] == [4, 8, 4, 4, 0]
    (quality,) = rows_of(found, "quality")
    names = ("over", "numbers", "adjudicated", "equal", "within", "error")
    assert [quality[name] for name in names] == ["All masks", 8, 8, 0.5, None, None]
    effect = {row["measure"]: row for row in rows_of(found, "effect")}
    assert (effect[WRONG]["with"], effect[WRONG]["without"]) == (1.0, 0.0)
    assert (effect[LACKING]["with"], effect[LACKING]["without"]) == (0.0, 1.0)
    assert (effect["Equal to the decided value"]["with"], effect["Defects marked"]["with"]) == (1 / 3, 2)
    assert effect[WRONG]["difference"]["refused"] == "too few: 4 of 20 wrong suggestions without"
    assert {each["code"] for each in found["findings"]} == {"adopted", "omitted", "right"}
    # What the checks keep belongs to the report.
    assert report.input_digest == suggestions_digest(report)
    vote = Annotation.objects.filter(assignment__batch__protocol="defect-check").earliest("pk")
    reopen_for_annotator(annotation=vote, actor=lead_of(project), reason="Look again.", request_key=uuid4())
    assert report.input_digest != suggestions_digest(report)


@pytest.mark.django_db
def test_masks_leave_in_a_bundle_as_they_are_imported(project: Project, tmp_path: Path) -> None:
    files = unpacked(project, tmp_path)
    (tmp_path / "1.jsonl").write_bytes(files["suggestions/1.jsonl"])
    (told,) = json.loads(files["suggestions.json"])["runs"]
    assert (told["kind"], told["source"]) == ("masks", "segmenter")
    found = check_suggestions(tmp_path / "1.jsonl", project, what="masks")
    run = project.suggestion_runs.get()
    assert found.found["suggested"] == dict(run.suggestions.values_list("image", "payload"))
