"""One row per day of a project, for the home of its leads."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("analysis", "0006_stages"),
        ("annotator", "0019_labels"),
    ]

    operations = [
        migrations.CreateModel(
            name="ProjectDay",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("protocol", models.SlugField(db_index=False, max_length=40)),
                ("day", models.DateField()),
                ("labelled", models.PositiveIntegerField(default=0)),
                ("imported", models.PositiveIntegerField(default=0)),
                ("agreement", models.JSONField(null=True)),
                ("score", models.JSONField(null=True)),
                (
                    "project",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="days",
                        to="annotator.project",
                    ),
                ),
            ],
            options={
                "ordering": ["day"],
                "constraints": [
                    models.UniqueConstraint(fields=("project", "day", "protocol"), name="one_row_per_day")
                ],
            },
        ),
    ]
