"""Norming sessions: annotators judge the same images blind, compare what they said, and agree."""

from __future__ import annotations

from typing import Final

from django.db import models
from django.utils import timezone

from annotator.database.constraints import known
from annotator.models.images import Image
from annotator.models.people import Membership
from annotator.models.projects import Project
from annotator.models.work import Batch

LONGEST_COMMENT: Final = 2000


class NormingSession(models.Model):
    """A norming session: one round of blind annotations in a batch of its own, then their discussion.

    While *answering*, nobody learns what others say. Answers are *revealed* once: the batch is closed in the
    same transaction, so later ones are refused. Then they are discussed. A *closed* session never changes;
    without `revealed_at` it ended before anything was shown.

    A second round `follows` the first on other images; `effect` then compares the two (`analysis.norming`),
    None until it is computed.
    """

    class State(models.TextChoices):
        """What participants do, and what they see."""

        ANSWERING = "answering", "Annotating"
        REVEALED = "revealed", "Revealed"
        CLOSED = "closed", "Closed"

    project = models.ForeignKey(Project, models.CASCADE, related_name="norming_sessions")
    batch = models.OneToOneField(Batch, models.CASCADE, related_name="norming")
    state = models.CharField(max_length=10, choices=State, default=State.ANSWERING)
    follows = models.OneToOneField("self", models.SET_NULL, null=True, related_name="second_round")
    made_at = models.DateTimeField(default=timezone.now)
    revealed_at = models.DateTimeField(null=True)
    effect = models.JSONField(null=True)

    class Meta:
        ordering = ["pk"]
        constraints = [
            known("state", "answering revealed closed", name="known_norming_state"),
            models.CheckConstraint(
                condition=models.Q(state="answering", revealed_at=None)
                | models.Q(state="revealed", revealed_at__isnull=False)
                | models.Q(state="closed"),
                name="revealed_with_a_time",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.batch} ({self.get_state_display()})"

    @property
    def is_revealed(self) -> bool:
        """Whether the participants may see each other's annotations."""
        return self.revealed_at is not None

    @property
    def is_open(self) -> bool:
        """Whether comments and values can be added."""
        return self.state == self.State.REVEALED


class NormedImage(models.Model):
    """One image of a norming session, in the order `place` from 1.

    `agreed` is the value that the participants agreed on, a complete payload, None before. `version`
    increases by one with every change of it.
    """

    session = models.ForeignKey(NormingSession, models.CASCADE, related_name="images")
    image = models.ForeignKey(Image, models.CASCADE, related_name="normed")
    place = models.PositiveSmallIntegerField()
    version = models.PositiveIntegerField(default=0)
    agreed = models.JSONField(null=True)
    decided_by = models.ForeignKey(Membership, models.SET_NULL, null=True, related_name="+")

    class Meta:
        ordering = ["place"]
        constraints = [
            models.UniqueConstraint(fields=["session", "image"], name="one_image_per_session"),
            models.UniqueConstraint(fields=["session", "place"], name="one_image_per_place"),
        ]

    def __str__(self) -> str:
        return f"{self.session_id} · {self.place}"


class NormingComment(models.Model):
    """What a participant or lead says about an image of a session, or about one `component` of it."""

    normed = models.ForeignKey(NormedImage, models.CASCADE, related_name="comments")
    author = models.ForeignKey(Membership, models.PROTECT, related_name="norming_comments")
    component = models.CharField(max_length=80, blank=True)
    text = models.TextField(max_length=LONGEST_COMMENT)
    created_at = models.DateTimeField(default=timezone.now)
    request_key = models.UUIDField(null=True)

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(fields=["normed", "request_key"], name="one_comment_per_request")
        ]

    def __str__(self) -> str:
        return self.text[:60]
