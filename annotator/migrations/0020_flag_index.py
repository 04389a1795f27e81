"""An index of the few flagged annotations, which leads see counted."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("annotator", "0019_labels"),
    ]

    operations = [
        migrations.AddIndex(
            model_name="annotation",
            index=models.Index(
                condition=models.Q(("flagged", True)), fields=["assignment"], name="answer_flagged"
            ),
        ),
    ]
