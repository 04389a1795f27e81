import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("annotator", "0022_guideline"),
    ]

    operations = [
        migrations.AddField(
            model_name="invitation",
            name="email",
            field=models.EmailField(blank=True, db_default="", default="", max_length=254),
        ),
        migrations.AddField(
            model_name="invitation",
            name="made_place",
            field=models.BooleanField(db_default=False, default=False),
        ),
        migrations.AddField(
            model_name="invitation",
            name="mail",
            field=models.CharField(
                blank=True,
                choices=[("waiting", "Mail waits"), ("sent", "Mail sent"), ("failed", "Mail failed")],
                db_default="",
                default="",
                max_length=7,
            ),
        ),
        migrations.AddField(
            model_name="invitation",
            name="mail_error",
            field=models.CharField(blank=True, db_default="", default="", max_length=200),
        ),
        migrations.CreateModel(
            name="Recruitment",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("secret_sha256", models.CharField(max_length=64, unique=True)),
                ("completion_code", models.CharField(blank=True, max_length=80)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("closes_at", models.DateTimeField()),
                ("closed_at", models.DateTimeField(null=True)),
                (
                    "made_by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "project",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="recruitments",
                        to="annotator.project",
                    ),
                ),
            ],
            options={
                "ordering": ["-pk"],
            },
        ),
        migrations.AddField(
            model_name="membership",
            name="recruitment",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="places",
                to="annotator.recruitment",
            ),
        ),
    ]
