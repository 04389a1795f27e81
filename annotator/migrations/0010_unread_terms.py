"""A column for whether some of an imported answer could not be read, and an index of those alone."""

from __future__ import annotations

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("annotator", "0009_adjudication")]

    operations = [
        migrations.AddField(
            model_name="annotation",
            name="has_unread_terms",
            field=models.BooleanField(db_default=False, default=False),
        ),
        migrations.AddIndex(
            model_name="annotation",
            index=models.Index(
                condition=models.Q(("has_unread_terms", True)), fields=["assignment"], name="answer_unread"
            ),
        ),
    ]
