"""Columns for what annotators saw when they answered: an import cannot tell unless somebody does."""

from __future__ import annotations

from django.db import migrations, models

SEEN = [
    ("as_set", "As the settings say"),
    ("unknown", "Not known"),
    ("shown", "Shown"),
    ("hidden", "Hidden"),
    ("varied", "Shown for part of the time"),
]


class Migration(migrations.Migration):
    dependencies = [("annotator", "0011_fill_unread_terms")]

    operations = [
        migrations.AddField(
            model_name="batch",
            name=name,
            field=models.CharField(choices=SEEN, db_default="as_set", default="as_set", max_length=8),
        )
        for name in ("prompt_seen", "generator_seen")
    ]
