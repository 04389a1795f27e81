"""References: the annotations that others are compared with."""

from __future__ import annotations

from django.db import models

from annotator.database.constraints import known
from annotator.models.images import Image
from annotator.models.people import Membership


class Reference(models.Model):
    """The annotation of an image that others are compared with, in training for example.

    `payload` and `ratings` are as in a submitted Annotation. `rationales` explains components, by key. A
    changed payload is a new row with the next `version`, and the previous one is retired: what was compared
    stays on record.
    """

    class Origin(models.TextChoices):
        """Where the values come from."""

        ADJUDICATED = "adjudicated", "Adjudicated"
        IMPORTED = "imported", "Imported"
        PLANTED = "planted", "Planted"
        NORMED = "normed", "Norming session"

    class Status(models.TextChoices):
        """Whether annotations are compared with it."""

        ACTIVE = "active", "Active"
        RETIRED = "retired", "Retired"

    image = models.ForeignKey(Image, models.CASCADE, related_name="references")
    protocol = models.SlugField(max_length=40)
    version = models.PositiveIntegerField(default=1)
    status = models.CharField(max_length=7, choices=Status, default=Status.ACTIVE)
    origin = models.CharField(max_length=11, choices=Origin)
    payload = models.JSONField()
    ratings = models.JSONField()
    rationales = models.JSONField(default=dict, blank=True)
    made_by = models.ForeignKey(Membership, models.SET_NULL, null=True, related_name="+")
    made_at = models.DateTimeField()

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["image", "protocol", "version"], name="one_reference_per_version"
            ),
            models.UniqueConstraint(
                fields=["image", "protocol"],
                condition=models.Q(status="active"),
                name="one_active_reference",
            ),
            known("status", "active retired", name="known_reference_status"),
            known("origin", "adjudicated imported planted normed", name="known_reference_origin"),
        ]

    def __str__(self) -> str:
        return f"Reference {self.version} of {self.image}"
