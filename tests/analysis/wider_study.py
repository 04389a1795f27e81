"""A study with enough images for numbers: two generators, three prompts, everything judged twice."""

from __future__ import annotations

from typing import Any

from analysis.models import Report
from analysis.reports.lifecycle import request_report, run_report
from annotator.models import Image, Membership, Project
from tests.analysis.factories import EARLIER, Marks, make_submitted
from tests.factories import make_batch, make_image, make_member

CELLS = ("missing.limbs", "extra.hands", "proportion.face", "configuration.feet", "orientation.torso")


def marks_of(number: int, stricter: bool) -> Marks:
    """Up to three marks that depend on the image; the stricter annotator sees one more."""
    severities = "abc"
    several = number % 3 + (1 if stricter else 0)
    return [
        (CELLS[(number + place) % 5], f"1/{number % 4 + 1}{severities[(number + place) % 3]}")
        for place in range(several)
    ]


def make_wider_study(
    project: Project, images: list[Image] | None = None
) -> tuple[Membership, Membership, list[Image]]:
    """Twelve images, each judged by anno1 and, more strictly, by anno2."""
    first, second = make_member(project, code="anno1"), make_member(project, code="anno2")
    batch = make_batch(project, name="wide")
    if images is None:
        images = [make_image(project, number=number + 1) for number in range(12)]
    for number, image in enumerate(images):
        generator, prompt = ("alpha", "beta")[number % 2], ("hugging", "jogging", "pizza")[number % 3]
        Image.objects.filter(pk=image.pk).update(generator=generator, prompt=prompt)
        for annotator, stricter in ((first, False), (second, True)):
            make_submitted(
                annotator,
                marks_of(number + 2 * (number % 2), stricter),
                image=image,
                batch=batch,
                submitted_at=EARLIER,
                saved_at=EARLIER,
            )
    return first, second, images


def report_of(project: Project, kind: str, protocol: str = "anatomy", **options: Any) -> Report:
    """A finished report."""
    report = request_report(project=project, kind=kind, protocol=protocol, **options)
    run_report(report.pk)
    report.refresh_from_db()
    assert report.status == "done", report.error
    return report


def error_of(project: Project, kind: str, protocol: str = "anatomy") -> str:
    """The error of a new report that fails."""
    report = request_report(project=project, kind=kind, protocol=protocol, send=False)
    run_report(report.pk)
    report.refresh_from_db()
    assert report.status == "failed"
    return report.error


def result_of(project: Project, kind: str, protocol: str = "anatomy", **options: Any) -> dict[str, Any]:
    """The result of a new report."""
    return dict(report_of(project, kind, protocol, **options).result or {})
