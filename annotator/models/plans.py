"""Plans: how the images of a batch were assigned."""

from __future__ import annotations

from django.conf import settings
from django.db import models

from annotator.models.work import Batch


class Plan(models.Model):
    """A plan: its input, its output, and the certificate over both.

    A batch has one plan from its release and one for each change of its people. `document` is the canonical
    JSON of design and placements, compressed with zlib; it never changes, so that the plan can be recomputed
    years later.
    """

    class Kind(models.TextChoices):
        """The purpose of the plan."""

        RELEASE = "release", "Release"
        CHANGE = "change", "Change of annotators"

    batch = models.ForeignKey(Batch, models.CASCADE, related_name="plans")
    kind = models.CharField(max_length=8, choices=Kind)
    seed = models.BigIntegerField()
    algorithm = models.CharField(max_length=40)
    certificate = models.CharField(max_length=64)
    document = models.BinaryField()
    reason = models.CharField(max_length=400, blank=True)
    made_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    request_key = models.UUIDField(null=True, unique=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.CheckConstraint(condition=models.Q(kind__in=["release", "change"]), name="known_plan_kind")
        ]

    def __str__(self) -> str:
        return f"{self.get_kind_display()} of {self.batch} ({self.certificate[:12]})"
