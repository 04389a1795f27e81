"""Mark the imported answers some of whose terms could not be read, so that none of the others is looked at."""

from __future__ import annotations

from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import StateApps

ROWS = 1000


def fill(apps: StateApps, _: BaseDatabaseSchemaEditor) -> None:
    """Read it from the sources; rows are otherwise left as they are, and may be filled twice."""
    annotation = apps.get_model("annotator", "Annotation")
    imported = annotation.objects.filter(source__isnull=False).order_by("pk").values_list("pk", "source")
    unread = [pk for pk, source in imported.iterator(chunk_size=ROWS) if source.get("problems")]
    for start in range(0, len(unread), ROWS):
        annotation.objects.filter(pk__in=unread[start : start + ROWS]).update(has_unread_terms=True)


class Migration(migrations.Migration):
    dependencies = [("annotator", "0010_unread_terms")]

    operations = [migrations.RunPython(fill, migrations.RunPython.noop)]
