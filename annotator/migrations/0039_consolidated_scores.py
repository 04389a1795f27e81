"""Write the consolidated scores into the summaries of images; until now they were means."""

from __future__ import annotations

from collections import defaultdict

from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import StateApps

from annotator.annotations.summary_values import CountedAnnotation, summary_values
from scoring import service
from scoring.protocol import INVALID_FROM

IMAGES = 500
FIELDS = ("assignment__annotator__code", "ratings", "payload", "flagged", "has_unread_terms")


def consolidate(apps: StateApps, _: BaseDatabaseSchemaEditor) -> None:
    """Compute them from the annotations, which stay as they are; may run twice."""
    summary, data_set = (apps.get_model("annotator", name) for name in ("ImageSummary", "DataSet"))
    annotation = apps.get_model("annotator", "Annotation")
    told = dict(data_set.objects.values_list("project", "settings"))
    for slug, protocol in service.PROTOCOLS.items():
        rows, last = summary.objects.filter(protocol=slug, code="").order_by("pk"), 0
        while protocol.outcome and (chunk := list(rows.filter(pk__gt=last).select_related("image")[:IMAGES])):
            last = chunk[-1].pk
            counted = annotation.objects.filter(
                assignment__image__in=[row.image_id for row in chunk],
                assignment__batch__protocol=slug,
                assignment__purpose="work",
                status="submitted",
            ).order_by("submitted_at", "pk")
            found: dict[int, list[CountedAnnotation]] = defaultdict(list)
            for image, *said in counted.values_list("assignment__image", *FIELDS):
                found[image].append(CountedAnnotation(*said))
            for row in chunk:
                values = summary_values(
                    found[row.image_id],
                    protocol,
                    None,
                    invalid_from=told.get(row.project_id, {}).get("invalid_from", INVALID_FROM),
                    real=row.image.attributes.get("source") == "real",
                )
                row.score = values[""]["score"] if values else None
            summary.objects.bulk_update(chunk, ["score"])


class Migration(migrations.Migration):
    atomic = False

    dependencies = [("annotator", "0038_causes_of_norming")]

    operations = [migrations.RunPython(consolidate, migrations.RunPython.noop)]
