"""Fill `flagged` and `active_ms` of answers that were stored before these columns were."""

from __future__ import annotations

from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import StateApps


def fill(apps: StateApps, _: BaseDatabaseSchemaEditor) -> None:
    """Read both from payload and capture; the row is otherwise left as it is, and may be filled twice."""
    annotation = apps.get_model("annotator", "Annotation")
    rows = annotation.objects.only("pk", "payload", "capture").order_by("pk")
    for row in rows.iterator(chunk_size=1000):
        spent = row.capture.get("active_ms")
        flagged = bool(row.payload.get("flag"))
        if flagged or spent is not None:
            annotation.objects.filter(pk=row.pk).update(
                flagged=flagged, active_ms=None if spent is None else round(spent)
            )


class Migration(migrations.Migration):
    dependencies = [("annotator", "0003_planning")]

    operations = [migrations.RunPython(fill, migrations.RunPython.noop)]
