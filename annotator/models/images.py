"""Images to be judged."""

from __future__ import annotations

import uuid
from typing import ClassVar

from django.db import models

from annotator.models.projects import Project


class PresentImages(models.Manager["Image"]):
    """Images that nobody has asked to delete."""

    def get_queryset(self) -> models.QuerySet[Image]:
        """Leave out what is being deleted."""
        return super().get_queryset().filter(goes_at=None)


class Image(models.Model):
    """One picture. `public_id` is all that an annotator's browser learns about it.

    `file` is the original as it came, named by its content; `display` the copy that everybody is
    shown, made by a worker. `goes_at` is when it is removed for good, None unless a lead has asked for
    that; until then it keeps its place and content, but `objects` and a project's `images` leave it out.
    Whoever asks what is stored, or whether a place is taken, asks `everything`.
    """

    class DisplayState(models.TextChoices):
        """How far the copy for display is."""

        PENDING = "pending", "Pending"
        READY = "ready", "Ready"
        FAILED = "failed", "Failed"

    project = models.ForeignKey(Project, models.CASCADE, related_name="images")
    public_id = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    file = models.FileField(upload_to="", max_length=200)
    sha256 = models.CharField(max_length=64)
    source_name = models.CharField(max_length=400)
    format = models.CharField(max_length=8)
    width = models.PositiveIntegerField()
    height = models.PositiveIntegerField()
    generator = models.CharField(max_length=120)
    prompt = models.CharField(max_length=400)
    prompt_group = models.CharField(max_length=80, blank=True)
    number = models.PositiveIntegerField(null=True, blank=True)
    attributes = models.JSONField(default=dict, blank=True)
    display = models.FileField(upload_to="", max_length=200, blank=True)
    display_state = models.CharField(max_length=8, choices=DisplayState, default=DisplayState.PENDING)
    display_error = models.CharField(max_length=400, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    goes_at = models.DateTimeField(null=True, editable=False)

    objects: ClassVar[PresentImages] = PresentImages()
    everything: ClassVar[models.Manager[Image]] = models.Manager()

    class Meta:
        ordering = ["generator", "prompt", "number", "pk"]
        constraints = [
            models.UniqueConstraint(fields=["project", "sha256"], name="one_image_per_content"),
            models.UniqueConstraint(
                fields=["project", "generator", "prompt", "number"], name="one_image_per_number"
            ),
        ]
        indexes = [
            models.Index(fields=["display_state"], name="image_display_state"),
            # Few are being deleted at any time; the sweep asks for them every hour.
            models.Index(fields=["goes_at"], name="image_goes_at", condition=models.Q(goes_at__isnull=False)),
        ]

    def __str__(self) -> str:
        return f"{self.generator} · {self.prompt} · {self.number if self.number is not None else '–'}"
