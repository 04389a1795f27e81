"""What an assignment is for, how its image was drawn, and which batch a batch follows."""

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
        migrations.AddConstraint(
            model_name="assignment",
            constraint=models.UniqueConstraint(
                fields=("batch", "image", "annotator", "pass_no"), name="one_assignment_per_pass"
            ),
        ),
        # After the wider one is there, so that no row is ever without a rule.
        migrations.RemoveConstraint(
            model_name="assignment",
            name="one_assignment_per_image_and_annotator",
        ),
        migrations.AddConstraint(
            model_name="assignment",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("purpose__in", ["work", "training", "qualification", "anchor", "repeat", "norming"])
                ),
                name="known_purpose",
            ),
        ),
        migrations.AddConstraint(
            model_name="assignment",
            constraint=models.CheckConstraint(
                condition=models.Q(("drawn__in", ["single", "random", "targeted"])), name="known_drawn"
            ),
        ),
    ]
