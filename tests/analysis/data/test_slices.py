"""What divides the images of a comparison: attributes, people counted and tags, in every protocol."""

from __future__ import annotations

from typing import Any

import pytest

from analysis.data.ratings_table import input_digests
from analysis.data.slices import load_slices
from analysis.models import KEPT_UP_TO_DATE, Report
from analysis.reports.lifecycle import request_report, run_report
from annotator.annotations.summaries import summarise
from annotator.models import Project
from tests.analysis.factories import make_submitted
from tests.analysis.stats.generic.making import rows_of
from tests.annotator.batches.second_stage.making import images_of, make_first
from tests.factories import make_batch, make_image, make_member, make_payload, make_project

pytestmark = pytest.mark.django_db


def compared(project: Project, protocol: str) -> dict[str, Any]:
    run_report(request_report(project=project, kind="comparison", protocol=protocol, send=False).pk)
    result = Report.objects.get(project=project, kind="comparison", protocol=protocol).result
    assert result is not None
    return {"tables": result.get("tables", result.get("outside"))}


@pytest.mark.thorough
def test_attributes_enter_the_comparison_alone() -> None:
    # 18 images with one marked cell, by two people each.
    batch = make_first(each=1)
    project, images = batch.project, images_of(batch)
    before = input_digests(project, "presence")
    for place, image in enumerate(images):
        sampler = {"sampler": "xy"[place % 3 == 0]} if place else {}
        image.attributes = {"seed": str(place), "lens": "wide", **sampler}
        image.save()
    after = input_digests(project, "presence")
    assert [kind for kind in KEPT_UP_TO_DATE if before.of(kind) != after.of(kind)] == ["comparison"]
    columns = ("attribute", "attribute_value", "generators", "annotations", "images")
    rows = [
        (*(row[name] for name in columns), row["mean"]["value"])
        for row in rows_of(compared(project, "presence"), "slices")
    ]
    # There are too many seeds, and only one lens.
    assert rows == [("sampler", "x", 3, 24, 12, 1.0), ("sampler", "y", 3, 10, 5, 1.0)]


def test_people_and_tags_of_anatomy() -> None:
    project = make_project(tags=["twinning", "", "stereotype"])
    batch, annotators = make_batch(project), [make_member(project, code=code) for code in "AB"]
    counts = [(1, 2), (2, 2), (3, None), (5, 9), (None, None)]
    images = [make_image(project, generator=f"g{place % 2}") for place in range(5)]
    for image, people in zip(images, counts, strict=True):
        for annotator, count in zip(annotators, people, strict=True):
            payload = make_payload(people=count) | ({"tags": [1, 2]} if count == 9 else {})
            make_submitted(annotator, payload=payload, image=image, batch=batch)
    summarise(project.pk, [image.pk for image in images], "anatomy")
    first, second, third, fourth, _ = (image.pk for image in images)
    assert load_slices(project, "anatomy") == {
        "attributes": {"People counted": {first: "2", second: "2", third: "3–4", fourth: "5+"}},
        "tags": {"twinning": {fourth}, "stereotype": set()},
    }
    result = compared(project, "anatomy")
    columns = ("attribute_value", "annotations", "images")
    assert [tuple(row[name] for name in columns) for row in rows_of(result, "slices")] == [
        ("2", 4, 2),
        ("3–4", 2, 1),
        ("5+", 2, 1),
    ]
    words = {made["name"]: made["words"] for made in result["tables"]}
    assert words["slices"].endswith(" People counted: 1 image has no value.")
    by_generator = ("tag", "generator", "ticked", "images", "share")
    assert [tuple(row[name] for name in by_generator) for row in rows_of(result, "tags")] == [
        ("stereotype", "g0", 0, 3, 0.0),
        ("stereotype", "g1", 0, 2, 0.0),
        ("twinning", "g0", 0, 3, 0.0),
        ("twinning", "g1", 1, 2, 0.5),
    ]
    before = input_digests(project)
    project.tags = ["twins", "", "stereotype"]
    assert before.of("comparison") != input_digests(project).of("comparison")
    assert before.of("agreement") == input_digests(project).of("agreement")
