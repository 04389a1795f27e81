"""Say the states of invitations, norming sessions and standings as the pages do; no column changes."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("annotator", "0039_consolidated_scores"),
    ]

    operations = [
        migrations.AlterField(
            model_name="invitation",
            name="mail",
            field=models.CharField(
                blank=True,
                choices=[("waiting", "Email waiting"), ("sent", "Email sent"), ("failed", "Email failed")],
                db_default="",
                default="",
                max_length=7,
            ),
        ),
        migrations.AlterField(
            model_name="normingsession",
            name="state",
            field=models.CharField(
                choices=[
                    ("answering", "Annotating"),
                    ("revealed", "Revealed"),
                    ("discussing", "Discussing"),
                    ("closed", "Closed"),
                ],
                default="answering",
                max_length=10,
            ),
        ),
        migrations.AlterField(
            model_name="standing",
            name="state",
            field=models.CharField(
                choices=[
                    ("none", "Not qualified"),
                    ("training", "In training"),
                    ("lapsed", "Lapsed"),
                    ("qualified", "Qualified"),
                    ("waived", "Exempt"),
                ],
                default="none",
                max_length=9,
            ),
        ),
    ]
