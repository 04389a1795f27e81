"""One adjudication for each image and protocol: an image may be judged under several."""

from __future__ import annotations

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("annotator", "0014_commas_lose_nothing")]

    operations = [
        # Before the image alone may stand twice, so that no row is ever without a rule.
        migrations.AddConstraint(
            model_name="adjudication",
            constraint=models.UniqueConstraint(
                fields=("image", "protocol"), name="one_adjudication_per_protocol"
            ),
        ),
        migrations.AlterField(
            model_name="adjudication",
            name="image",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE,
                related_name="adjudications",
                to="annotator.image",
            ),
        ),
    ]
