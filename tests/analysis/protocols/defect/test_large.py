"""Marks of many images: seconds of the report, memory of the COCO file.

300 images, or as many as the variable `IMAGES` says: the promise is about 10,000.
"""

from __future__ import annotations

import math
import os
import time
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any

import pytest
from django.utils import timezone

from analysis.exports.files import Export
from analysis.exports.formats import FORMATS
from analysis.exports.registry import layouts_of
from analysis.models import Report
from analysis.reports.lifecycle import request_report, run_report
from annotator.annotations.summaries import summarise
from annotator.models import Annotation, Assignment, Batch, Image, Project
from scoring.defect.marks import MARKS
from scoring.defect.masks import rectangle, union
from tests.annotator.protocols.defect.stages import MARKERS
from tests.factories import make_batch, make_member, make_project

pytestmark = [pytest.mark.django_db, pytest.mark.slow]
IMAGES = int(os.environ.get("IMAGES", "300"))
SIDE, SECONDS, GROWN = 1024, 30, 50


def megabytes() -> float:
    """The memory of this process now."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 2**20


def disc(chance: Random) -> dict[str, Any]:
    """A mask of the size of a hand somewhere on the image."""
    r = chance.randint(20, 60)
    x, y = (chance.randint(r, SIDE - r) for _ in range(2))
    half = ((at, math.isqrt(r * r - (at - x) ** 2)) for at in range(x - r, x + r))
    return union([rectangle(SIDE, SIDE, (at, y - tall, 1, 2 * tall)) for at, tall in half]).as_json()


@pytest.fixture
def project() -> Project:
    """Images that two people have marked, three defects each."""
    made, chance, now = make_project("large"), Random(7), timezone.now()
    batch: Batch = make_batch(made, protocol=MARKS.slug)
    people = [make_member(made, code=code) for code in MARKERS]
    shown = {"format": "PNG", "width": SIDE, "height": SIDE, "prompt": "a hand"}
    images = Image.objects.bulk_create(
        Image(
            **shown, project=made, sha256=f"{n:064}", source_name=f"{n}.png", generator=f"m{n % 5}", number=n
        )
        for n in range(IMAGES)
    )
    masks = [disc(chance) for _ in range(300)]
    for person in people:
        held = Assignment.objects.bulk_create(
            Assignment(batch=batch, image=image, annotator=person, position=at, status="done")
            for at, image in enumerate(images, 1)
        )
        rows = []
        for assignment in held:
            said = {"kind": "structural", "text": "Two hands are fused."}
            defects = [{"id": f"d{n}", "mask": chance.choice(masks), **said} for n in (1, 2, 3)]
            answer = MARKS.clean({"size": [SIDE, SIDE], "defects": defects, "effect": 1})
            rated = [[name, part, str(Fraction(value))] for name, part, value in MARKS.ratings(answer, {})]
            told = {"ratings": rated, "status": "submitted", "submitted_at": now, "saved_at": now}
            rows.append(Annotation(assignment=assignment, payload=answer.payload(), **told))
        Annotation.objects.bulk_create(rows, batch_size=500)
    summarise(made.pk, [image.pk for image in images], MARKS.slug)
    return made


def test_reports_and_the_coco_file_of_many_images(project: Project) -> None:
    begun, before, written, peak = time.process_time(), megabytes(), 0, 0.0
    made = Export(project, layouts_of(MARKS.slug)["defects"], FORMATS["coco"], protocol=MARKS.slug)
    for piece in made:
        written += len(piece)
        peak = max(peak, megabytes())
    found: dict[str, Any] = {"COCO": [time.process_time() - begun, written / 2**20, peak - before, peak]}
    for kind in ("agreement", "comparison"):
        begun = time.process_time()
        report = request_report(project=project, kind=kind, protocol=MARKS.slug, send=False)
        assert run_report(report.pk)
        assert Report.objects.get(pk=report.pk).result
        found[kind] = [time.process_time() - begun, megabytes()]
    print(IMAGES, {name: [round(each, 1) for each in own] for name, own in found.items()})
    assert found["agreement"][0] < SECONDS
    assert peak - before < GROWN, "it is not streamed"
