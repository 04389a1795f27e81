"""Create the questions of the flags that annotations already have, so that leads find them in their list.

Those of imported annotations are left out: they belong to work done elsewhere.
"""

from __future__ import annotations

from typing import Any

from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import StateApps

ROWS = 500
FIELDS = (
    *("pk", "payload", "saved_at", "assignment_id"),
    *("assignment__annotator_id", "assignment__batch__project_id"),
)


def fill(apps: StateApps, _: BaseDatabaseSchemaEditor) -> None:
    """Read them from the annotations, which stay as they are; may run twice."""
    annotation, question = apps.get_model("annotator", "Annotation"), apps.get_model("annotator", "Question")
    last = 0
    while rows := _next(annotation, last):
        last = rows[-1][0]
        made = []
        for _pk, payload, saved_at, assignment, annotator, project in rows:
            flag = payload.get("flag") or {}
            made.append(
                question(
                    project_id=project,
                    assignment_id=assignment,
                    annotator_id=annotator,
                    kind="flag",
                    reason=str(flag.get("reason") or ""),
                    text=str(flag.get("note") or ""),
                    asked_at=saved_at,
                    open_since=saved_at,
                )
            )
        question.objects.bulk_create(made, ignore_conflicts=True)


def _next(annotation: Any, after: int) -> list[Any]:
    flagged = annotation.objects.filter(flagged=True, source__isnull=True, pk__gt=after)
    return list(flagged.order_by("pk").values_list(*FIELDS)[:ROWS])


class Migration(migrations.Migration):
    dependencies = [("annotator", "0020_questions")]

    operations = [migrations.RunPython(fill, migrations.RunPython.noop)]
