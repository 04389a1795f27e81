"""Let an assignment say that nobody knows why its image has several annotators.

Nobody waits: on PostgreSQL the wider rule is checked while others write, as in 0018.
"""

from __future__ import annotations

from importlib import import_module

from django.db import migrations, models

_earlier = import_module("annotator.migrations.0018_drawn")


class Migration(migrations.Migration):
    atomic = False

    dependencies = [("annotator", "0035_faces")]

    operations = [
        migrations.AlterField(
            model_name="assignment",
            name="drawn",
            field=models.CharField(
                choices=[
                    ("single", "One annotator"),
                    ("random", "Several annotators, at random"),
                    ("targeted", "Targeted"),
                    ("unknown", "Unknown"),
                ],
                db_default="single",
                default="single",
                max_length=8,
            ),
        ),
        _earlier._RemoveRule(model_name="assignment", name="known_drawn"),
        _earlier._AddRule(
            model_name="assignment",
            constraint=models.CheckConstraint(
                condition=models.Q(("drawn__in", ["single", "random", "targeted", "unknown"])),
                name="known_drawn",
            ),
        ),
    ]
