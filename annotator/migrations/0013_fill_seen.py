"""Of answers that were imported before it could be said, what their annotators saw is not known."""

from __future__ import annotations

from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import StateApps

IMPORTED = {"assignments__annotation__source__isnull": False, "prompt_seen": "as_set"}


def fill(apps: StateApps, _: BaseDatabaseSchemaEditor) -> None:
    """Mark the batches that hold imported answers; may be done twice."""
    batch = apps.get_model("annotator", "Batch")
    imported = list(batch.objects.filter(**IMPORTED).order_by().values_list("pk", flat=True).distinct())
    batch.objects.filter(pk__in=imported).update(prompt_seen="unknown", generator_seen="unknown")


class Migration(migrations.Migration):
    dependencies = [("annotator", "0012_seen")]

    operations = [migrations.RunPython(fill, migrations.RunPython.noop)]
