"""Adjudicated values."""

from __future__ import annotations

from fractions import Fraction

from django.db import models

from annotator.models.images import Image
from annotator.models.people import Membership
from scoring.service import get_protocol


class Adjudication(models.Model):
    """A lead's adjudicated value for one image under one protocol; the annotations are not changed.

    `payload` is authoritative; `ratings` are derived from it as for a submitted Annotation. `settled_from`
    names the annotations adjudicated: a list of `[id, version]`. A withdrawn adjudication is not counted but
    keeps its row, so that `version` never restarts. `request_key` is the idempotency key of the last action.
    """

    class Status(models.TextChoices):
        """Whether the value counts."""

        SETTLED = "settled", "Adjudicated"
        WITHDRAWN = "withdrawn", "Withdrawn"

    image = models.ForeignKey(Image, models.CASCADE, related_name="adjudications")
    protocol = models.SlugField(max_length=40)
    payload = models.JSONField()
    ratings = models.JSONField()
    status = models.CharField(max_length=9, choices=Status, default=Status.SETTLED)
    version = models.PositiveIntegerField(default=1)
    settled_from = models.JSONField()
    note = models.TextField(blank=True)
    decided_by = models.ForeignKey(Membership, models.PROTECT, related_name="adjudications")
    decided_at = models.DateTimeField()
    request_key = models.UUIDField(null=True)

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(fields=["image", "protocol"], name="one_adjudication_per_protocol"),
            models.CheckConstraint(
                condition=models.Q(status__in=["settled", "withdrawn"]), name="known_adjudication_status"
            ),
            models.CheckConstraint(
                condition=models.Q(version__gte=1), name="adjudication_versions_begin_at_one"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.image} ({self.get_status_display()})"

    @property
    def score(self) -> str:
        """The protocol's headline as an exact fraction, such as the cumulative score."""
        value = get_protocol(self.protocol).headline_of(self.ratings)
        return f"{value.numerator}/{value.denominator}"

    @property
    def number(self) -> float:
        """The headline as the nearest float."""
        return float(Fraction(self.score))

    @property
    def is_settled(self) -> bool:
        """Whether the value counts."""
        return self.status == self.Status.SETTLED
