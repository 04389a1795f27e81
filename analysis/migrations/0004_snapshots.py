from django.db import migrations, models


def keep_what_is_there(apps, _):
    """Finished reports were never removed: links to them may be about."""
    apps.get_model("analysis", "Report").objects.filter(status="done").update(kept=True)


class Migration(migrations.Migration):

    dependencies = [
        ("analysis", "0003_planning"),
    ]

    operations = [
        migrations.AddField("report", "due_at", models.DateTimeField(null=True)),
        migrations.AddField("report", "kept", models.BooleanField(default=False)),
        migrations.AddField("report", "checked_at", models.DateTimeField(null=True)),
        migrations.AlterField(
            "report",
            "kind",
            models.CharField(
                choices=[
                    ("agreement", "Agreement"),
                    ("comparison", "Comparison"),
                    ("annotators", "Annotators"),
                ],
                max_length=20,
            ),
        ),
        migrations.RunPython(keep_what_is_there, migrations.RunPython.noop),
    ]
