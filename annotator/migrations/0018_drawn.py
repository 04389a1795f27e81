"""Mark what several people judge in a batch as drawn at random; rules and indexes over the new columns.

Nobody waits: rows are looked at in pieces, each of its own transaction, and on PostgreSQL indexes are built and
rules checked while others write. Whoever is stopped begins again.
"""

from __future__ import annotations

from typing import Any

from django.db import migrations, models, transaction
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


class _AddRule(migrations.AddConstraint):
    """Adds a rule that every row is held against while others write, where the database can."""

    def database_forwards(
        self, app_label: str, schema_editor: BaseDatabaseSchemaEditor, from_state: Any, to_state: Any
    ) -> None:
        if schema_editor.connection.vendor != "postgresql":
            # The table is copied: all of it or nothing.
            with transaction.atomic(schema_editor.connection.alias):
                super().database_forwards(app_label, schema_editor, from_state, to_state)
            return
        model = to_state.apps.get_model(app_label, self.model_name)
        quote = schema_editor.quote_name
        table, name = quote(model._meta.db_table), quote(self.constraint.name)
        schema_editor.execute(f"ALTER TABLE {table} DROP CONSTRAINT IF EXISTS {name}")
        if isinstance(self.constraint, models.UniqueConstraint):
            columns = (model._meta.get_field(field).column for field in self.constraint.fields)
            _drop(schema_editor, self.constraint.name)
            schema_editor.execute(
                f"CREATE UNIQUE INDEX CONCURRENTLY {name} ON {table} ({', '.join(map(quote, columns))})"
            )
            schema_editor.execute(f"ALTER TABLE {table} ADD CONSTRAINT {name} UNIQUE USING INDEX {name}")
            return
        schema_editor.execute(f"{self.constraint.create_sql(model, schema_editor)} NOT VALID")
        schema_editor.execute(f"ALTER TABLE {table} VALIDATE CONSTRAINT {name}")


class _RemoveRule(migrations.RemoveConstraint):
    """Removes a rule, if it is still there."""

    def database_forwards(
        self, app_label: str, schema_editor: BaseDatabaseSchemaEditor, from_state: Any, to_state: Any
    ) -> None:
        if schema_editor.connection.vendor != "postgresql":
            with transaction.atomic(schema_editor.connection.alias):
                super().database_forwards(app_label, schema_editor, from_state, to_state)
            return
        table = to_state.apps.get_model(app_label, self.model_name)._meta.db_table
        quote = schema_editor.quote_name
        schema_editor.execute(f"ALTER TABLE {quote(table)} DROP CONSTRAINT IF EXISTS {quote(self.name)}")


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
    """Removes an index, if it is still there, without waiting for those who read."""

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
        _AddRule(
            model_name="assignment",
            constraint=models.UniqueConstraint(
                fields=("batch", "image", "annotator", "pass_no"), name="one_assignment_per_pass"
            ),
        ),
        # After the wider one is there, so that no row is ever without a rule.
        _RemoveRule(model_name="assignment", name="one_assignment_per_image_and_annotator"),
        _AddRule(
            model_name="assignment",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("purpose__in", ["work", "training", "qualification", "anchor", "repeat", "norming"])
                ),
                name="known_purpose",
            ),
        ),
        _AddRule(
            model_name="assignment",
            constraint=models.CheckConstraint(
                condition=models.Q(("drawn__in", ["single", "random", "targeted"])), name="known_drawn"
            ),
        ),
        _AddIndex(
            model_name="assignment",
            index=models.Index(
                fields=["annotator", "status", "batch", "position", "purpose"],
                name="assignment_queue_purpose",
            ),
        ),
        _AddIndex(
            model_name="assignment",
            index=models.Index(fields=["batch", "purpose"], name="assignment_purpose"),
        ),
        _RemoveIndex(model_name="assignment", name="assignment_queue"),
    ]
