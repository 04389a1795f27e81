"""Where the faces of an image are, as decided by a file or a person."""

from __future__ import annotations

import uuid

from django.db import models

from annotator.database.constraints import known
from annotator.models.images import Image
from annotator.models.people import Membership


class FaceDecision(models.Model):
    """The faces of one image, or that it shows none: an empty list of `rectangles`.

    A rectangle is `[x, y, width, height]` in pixels of the upright original, from its upper left corner. A
    new decision replaces the current one, which stays as a row, because it tells who has seen the faces; only
    the current one has no `replaced_at`. `key` names its blurred copy, in storage and in addresses; `state`
    and `error` tell what became of that copy. `looked_at` is None for the rectangles that a detector proposes
    until somebody has looked at them; that person is then `decided_by`.
    """

    class Source(models.TextChoices):
        """Where the rectangles come from."""

        FILE = "file", "File"
        DRAWN = "drawn", "Drawn"
        SEEN = "seen", "From a file, looked at"

    class State(models.TextChoices):
        """The state of the blurred copy."""

        PENDING = "pending", "Pending"
        READY = "ready", "Ready"
        FAILED = "failed", "Failed"

    image = models.ForeignKey(Image, models.CASCADE, related_name="face_decisions")
    key = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    rectangles = models.JSONField(default=list)
    source = models.CharField(max_length=5, choices=Source)
    decided_by = models.ForeignKey(Membership, models.SET_NULL, null=True, related_name="face_decisions")
    decided_at = models.DateTimeField(auto_now_add=True)
    looked_at = models.DateTimeField(null=True)
    replaced_at = models.DateTimeField(null=True)
    state = models.CharField(max_length=7, choices=State, default=State.PENDING)
    error = models.CharField(max_length=400, blank=True)

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["image"],
                name="one_current_face_decision",
                condition=models.Q(replaced_at__isnull=True),
            ),
            known("source", "file drawn seen", name="known_face_source"),
            known("state", "pending ready failed", name="known_face_state"),
        ]
        indexes = [
            # Partial: the sweep looks for the few copies that are to be made.
            models.Index(fields=["id"], name="face_pending", condition=models.Q(state="pending")),
        ]

    def __str__(self) -> str:
        return f"{len(self.rectangles)} faces of {self.image}"
