"""Reports on quality while a project runs, and on the same images under several protocols."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("analysis", "0007_project_days"),
    ]

    operations = [
        migrations.AlterField(
            model_name="report",
            name="kind",
            field=models.CharField(
                choices=[
                    ("agreement", "Agreement"),
                    ("comparison", "Comparison"),
                    ("annotators", "Annotators"),
                    ("stages", "Two stages"),
                    ("quality", "Quality"),
                    ("across", "Across protocols"),
                ],
                max_length=20,
            ),
        ),
    ]
