"""What an assignment is for, how its image was drawn, and which batch a batch follows.

The rules over the new columns come with the next one, which nobody has to wait for.
"""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("annotator", "0016_batch_settings"),
    ]

    operations = [
        migrations.AddField(
            model_name="assignment",
            name="drawn",
            field=models.CharField(
                choices=[
                    ("single", "By one person"),
                    ("random", "At random, by several"),
                    ("targeted", "For what was said of it"),
                ],
                db_default="single",
                default="single",
                max_length=8,
            ),
        ),
        migrations.AddField(
            model_name="assignment",
            name="pass_no",
            field=models.PositiveSmallIntegerField(db_default=0, default=0),
        ),
        migrations.AddField(
            model_name="assignment",
            name="purpose",
            field=models.CharField(
                choices=[
                    ("work", "Work"),
                    ("training", "Training"),
                    ("qualification", "Qualification"),
                    ("anchor", "Anchor"),
                    ("repeat", "Repeat"),
                    ("norming", "Norming"),
                ],
                db_default="work",
                default="work",
                max_length=13,
            ),
        ),
        migrations.AddField(
            model_name="batch",
            name="follows",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="followed_by",
                to="annotator.batch",
            ),
        ),
    ]
