"""Why the participants of a norming session differed."""

from __future__ import annotations

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("annotator", "0037_flags_of_galleries")]

    operations = [
        migrations.AddField(model_name="normedimage", name="causes", field=models.JSONField(null=True)),
    ]
