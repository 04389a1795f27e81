"""10,000 images, marked by two people with three masks each: COCO within 300 MB, the report within 30 s."""

from __future__ import annotations

import random
import resource
import time

import pytest
from django.utils import timezone

from analysis.exports.files import Export
from analysis.exports.formats import COCO, FORMATS
from analysis.exports.registry import layouts_of
from analysis.reports.lifecycle import request_report, run_report
from annotator.annotations.saving import checked_annotation
from annotator.models import Annotation, Assignment
from benchmarks.synthetic import add_images
from scoring.defect.marks import MARKS
from scoring.defect.masks import Mask, rectangle, union
from tests.factories import make_batch, make_member, make_project

pytestmark = [pytest.mark.django_db, pytest.mark.thorough, pytest.mark.slow]
IMAGES, SIDE = 10_000, 1024


def outlined(chance: random.Random) -> Mask:
    """Return a mask as ragged as a traced hand: three quarters of a kilobyte of text."""
    left, top, high = chance.randrange(600), chance.randrange(200, 400), 120
    bars = []
    for x in range(left, left + 320):
        top, high = top + chance.randint(-2, 2), max(40, high + chance.randint(-3, 3))
        bars.append(rectangle(SIDE, SIDE, (x, top, 1, high)))
    return union(bars)


def test_ten_thousand_images_with_three_masks_by_two_people() -> None:
    chance, project = random.Random(7), make_project("large")
    batch = make_batch(project, name="Marks", protocol=MARKS.slug)
    people = [make_member(project, code=f"ann{number}") for number in (1, 2)]
    add_images(project, IMAGES, width=SIDE, height=SIDE)
    masks = [outlined(chance).as_json() for _ in range(60)]
    assert 500 < sum(len(str(mask["counts"])) for mask in masks) / len(masks) < 1500
    said = [
        checked_annotation({"defects": defects, "effect": 1}, MARKS, {})
        for defects in (
            [
                {"id": f"d{number}", "mask": mask, "kind": "structural", "text": "Two hands are fused."}
                for number, mask in enumerate(chance.sample(masks, 3), 1)
            ]
            for _ in range(200)
        )
    ]
    moments = dict.fromkeys(("saved_at", "submitted_at"), timezone.now())
    Assignment.objects.bulk_create(
        (
            Assignment(batch=batch, image_id=image, annotator=person, position=image, status="done")
            for image in project.images.values_list("pk", flat=True)
            for person in people
        ),
        batch_size=2_000,
    )
    Annotation.objects.bulk_create(
        (
            Annotation(assignment=each, payload=payload, ratings=ratings, status="submitted", **moments)
            for each in batch.assignments.all()
            for payload, ratings in [chance.choice(said)]
        ),
        batch_size=2_000,
    )
    held, begun = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.process_time()
    layout = layouts_of(MARKS.slug)["defects"]
    written = sum(map(len, Export(project, layout, FORMATS[COCO], protocol=MARKS.slug)))
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - held) // 1024
    print(f"COCO: {written >> 20} MB in {time.process_time() - begun:.1f} s with {grown} MB")
    assert grown < 300
    begun = time.process_time()
    report = request_report(project=project, kind="agreement", protocol=MARKS.slug, send=False)
    assert run_report(report.pk)
    taken = time.process_time() - begun
    print(f"report: {taken:.1f} s")
    report.refresh_from_db()
    assert report.result is not None
    assert taken < 30
