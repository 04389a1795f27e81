"""Summaries of images, by which galleries are filtered and sorted, and an index of prompts."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("annotator", "0025_primary_analysis"),
    ]

    operations = [
        migrations.CreateModel(
            name="ImageSummary",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("protocol", models.SlugField(db_index=False, max_length=40)),
                ("code", models.CharField(blank=True, max_length=80)),
                ("answers", models.PositiveSmallIntegerField()),
                ("mean", models.FloatField(null=True)),
                ("score", models.FloatField(null=True)),
                ("spread", models.FloatField(null=True)),
                ("apart", models.BooleanField()),
                ("flagged", models.BooleanField()),
                ("adjudicated", models.BooleanField()),
                ("marked", models.IntegerField()),
                ("mild", models.IntegerField()),
                ("moderate", models.IntegerField()),
                ("severe", models.IntegerField()),
                ("notes", models.TextField(blank=True)),
            ],
            options={
                "ordering": ["pk"],
            },
        ),
        migrations.AddIndex(
            model_name="image",
            index=models.Index(fields=["project", "prompt", "generator"], name="image_prompt"),
        ),
        migrations.AddField(
            model_name="imagesummary",
            name="image",
            field=models.ForeignKey(
                db_index=False,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="summaries",
                to="annotator.image",
            ),
        ),
        migrations.AddField(
            model_name="imagesummary",
            name="project",
            field=models.ForeignKey(
                db_index=False,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="summaries",
                to="annotator.project",
            ),
        ),
        migrations.AddIndex(
            model_name="imagesummary",
            index=models.Index(
                fields=[
                    "project",
                    "protocol",
                    "code",
                    "score",
                    "image",
                    "marked",
                    "mild",
                    "moderate",
                    "severe",
                ],
                name="summary_score",
            ),
        ),
        migrations.AddIndex(
            model_name="imagesummary",
            index=models.Index(
                condition=models.Q(("spread__isnull", False)),
                fields=["project", "protocol", "code", "spread", "image"],
                name="summary_spread",
            ),
        ),
        migrations.AddConstraint(
            model_name="imagesummary",
            constraint=models.UniqueConstraint(
                fields=("image", "protocol", "code"), name="one_summary_per_annotator"
            ),
        ),
    ]
