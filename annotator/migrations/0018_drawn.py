"""Mark what several people judge in a batch as drawn at random, and keep counting of work off indexes.

In pieces, each of its own transaction, so that nobody waits; whoever is stopped begins again. On PostgreSQL
indexes are built while others write.
"""

from __future__ import annotations

from typing import Any

from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import StateApps
from django.db.models import Exists, OuterRef

ROWS = 5000


def fill(apps: StateApps, _: BaseDatabaseSchemaEditor) -> None:
    """Look at ROWS assignments at a time, in the order of their keys; they may be filled twice."""
    assignments = apps.get_model("annotator", "Assignment").objects
    placed = assignments.filter(position__isnull=False)
    same_image = placed.filter(batch=OuterRef("batch"), image=OuterRef("image"))
    shared = Exists(same_image.exclude(annotator=OuterRef("annotator")))
    last = 0
    while keys := list(assignments.filter(pk__gt=last).order_by("pk").values_list("pk", flat=True)[:ROWS]):
        first, last = keys[0], keys[-1]
        placed.filter(shared, pk__range=(first, last), drawn="single").update(drawn="random")


class _AddIndex(migrations.AddIndex):
    """Adds an index while others write, where the database can; one that is half built is built anew."""

    def database_forwards(
        self, app_label: str, schema_editor: BaseDatabaseSchemaEditor, from_state: Any, to_state: Any
    ) -> None:
        model = to_state.apps.get_model(app_label, self.model_name)
        concurrently = schema_editor.connection.vendor == "postgresql"
        _drop(schema_editor, self.index.name)
        schema_editor.add_index(model, self.index, **({"concurrently": True} if concurrently else {}))


class _RemoveIndex(migrations.RemoveIndex):
    """Removes an index without waiting for those who read."""

    def database_forwards(
        self, app_label: str, schema_editor: BaseDatabaseSchemaEditor, from_state: Any, to_state: Any
    ) -> None:
        _drop(schema_editor, self.name)


def _drop(schema_editor: BaseDatabaseSchemaEditor, index: str) -> None:
    concurrently = "CONCURRENTLY" if schema_editor.connection.vendor == "postgresql" else ""
    schema_editor.execute(f"DROP INDEX {concurrently} IF EXISTS {schema_editor.quote_name(index)}")


class Migration(migrations.Migration):
    atomic = False

    dependencies = [("annotator", "0017_purpose")]

    operations = [
        migrations.RunPython(fill, migrations.RunPython.noop),
        _AddIndex(
            model_name="assignment",
            index=models.Index(
                fields=["annotator", "status", "batch", "position", "purpose"], name="assignment_queue_purpose"
            ),
        ),
        _AddIndex(
            model_name="assignment",
            index=models.Index(fields=["batch", "purpose"], name="assignment_purpose"),
        ),
        _RemoveIndex(model_name="assignment", name="assignment_queue"),
    ]
