"""The protocol that a report is about: until now there was one."""

from __future__ import annotations

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("analysis", "0004_snapshots")]

    operations = [
        migrations.AddField(
            model_name="report",
            name="protocol",
            field=models.SlugField(db_default="anatomy", db_index=False, default="anatomy", max_length=40),
        ),
        migrations.RemoveConstraint(model_name="report", name="one_report_under_way"),
        migrations.AddConstraint(
            model_name="report",
            constraint=models.UniqueConstraint(
                condition=models.Q(("status__in", ["queued", "running"])),
                fields=("project", "protocol", "kind"),
                name="one_report_under_way",
            ),
        ),
    ]
