"""A report on two stages, and what a lead chose for a report."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("analysis", "0005_report_protocol"),
    ]

    operations = [
        migrations.AddField(
            model_name="report",
            name="settings",
            field=models.JSONField(blank=True, db_default={}, default=dict),
        ),
        migrations.AlterField(
            model_name="report",
            name="kind",
            field=models.CharField(
                choices=[
                    ("agreement", "Agreement"),
                    ("comparison", "Comparison"),
                    ("annotators", "Annotators"),
                    ("stages", "Two stages"),
                ],
                max_length=20,
            ),
        ),
    ]
