"""Take the mark of unread terms from imported answers in which only a comma was too many."""

from __future__ import annotations

from typing import Any

from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import StateApps

ROWS = 1000
COMMA = "is empty: a comma too many"


def unmark(apps: StateApps, _: BaseDatabaseSchemaEditor) -> None:
    """Read it from the sources; rows are otherwise left as they are, and may be looked at twice."""
    annotation = apps.get_model("annotator", "Annotation")
    marked = annotation.objects.filter(has_unread_terms=True).order_by("pk")
    # The payload has marks: something of the cell was read beside the comma.
    kept = marked.values_list("pk", "source", "payload").iterator(chunk_size=ROWS)
    whole = [pk for pk, source, payload in kept if payload["marks"] and _commas_only(source)]
    for start in range(0, len(whole), ROWS):
        annotation.objects.filter(pk__in=whole[start : start + ROWS]).update(has_unread_terms=False)


def _commas_only(source: dict[str, Any]) -> bool:
    problems = (source or {}).get("problems", ())
    return all(each["reason"].endswith(COMMA) and each["text"].strip(" \t,") for each in problems)


class Migration(migrations.Migration):
    dependencies = [("annotator", "0013_fill_seen")]

    operations = [migrations.RunPython(unmark, migrations.RunPython.noop)]
