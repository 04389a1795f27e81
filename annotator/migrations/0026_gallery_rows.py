"""Write the summaries of the images annotated so far."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from django.db import migrations, transaction
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import StateApps

from annotator.annotations.summary_values import CountedAnnotation, summary_values
from scoring import service

IMAGES = 500
FIELDS = (
    *("assignment__image", "assignment__batch__protocol", "assignment__annotator__code"),
    *("ratings", "payload", "flagged", "has_unread_terms"),
)


def fill(apps: StateApps, _: BaseDatabaseSchemaEditor) -> None:
    """Compute them from the annotations, which stay as they are; may run twice, and resumes if interrupted."""
    image, summary = apps.get_model("annotator", "Image"), apps.get_model("annotator", "ImageSummary")
    last = 0
    while rows := list(
        image._base_manager.filter(pk__gt=last).order_by("pk").values_list("pk", "project")[:IMAGES]
    ):
        last = rows[-1][0]
        with transaction.atomic():
            summary.objects.bulk_create(_summaries(apps, dict(rows)), ignore_conflicts=True)


def _summaries(apps: StateApps, projects: dict[int, int]) -> list[Any]:
    """Return the missing summaries of these images; the present rules are right in later versions too."""
    annotation, summary = (
        apps.get_model("annotator", "Annotation"),
        apps.get_model("annotator", "ImageSummary"),
    )
    columns = {field.name for field in summary._meta.concrete_fields}
    counted = annotation.objects.filter(
        assignment__image__in=projects, assignment__purpose="work", status="submitted"
    )
    annotations: dict[tuple[int, str], list[CountedAnnotation]] = defaultdict(list)
    for pk, protocol, *values in counted.order_by("pk").values_list(*FIELDS):
        annotations[pk, protocol].append(CountedAnnotation(*values))
    settled = apps.get_model("annotator", "Adjudication").objects.filter(image__in=projects, status="settled")
    adjudicated = {(pk, slug): own for pk, slug, own in settled.values_list("image", "protocol", "ratings")}
    return [
        summary(
            image_id=pk,
            project_id=projects[pk],
            protocol=protocol,
            code=code,
            **{name: value for name, value in found.items() if name in columns},
        )
        for (pk, protocol), own in annotations.items()
        if protocol in service.PROTOCOLS
        for code, found in summary_values(
            own, service.PROTOCOLS[protocol], adjudicated.get((pk, protocol))
        ).items()
    ]


class Migration(migrations.Migration):
    atomic = False

    dependencies = [("annotator", "0026_gallery")]

    operations = [migrations.RunPython(fill, migrations.RunPython.noop)]
