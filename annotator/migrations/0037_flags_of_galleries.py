"""Index the few images that are flagged, adjudicated or disagreed on, for the filters of galleries.

Nobody waits: on PostgreSQL the indexes are built while others write, as in 0018.
"""

from __future__ import annotations

from importlib import import_module

from django.db import migrations, models

_earlier = import_module("annotator.migrations.0018_drawn")


class Migration(migrations.Migration):
    atomic = False

    dependencies = [("annotator", "0036_drawn_unknown")]

    operations = [
        _earlier._AddIndex(
            model_name="imagesummary",
            index=models.Index(
                condition=models.Q((name, True)),
                fields=["project", "protocol", "code", "image"],
                name=f"summary_{name}",
            ),
        )
        for name in ("flagged", "adjudicated", "apart")
    ]
