"""Questions on images, and the replies to them."""

from __future__ import annotations

from django.db import models
from django.utils import timezone

from annotator.database.constraints import known
from annotator.models.people import Membership
from annotator.models.projects import Project
from annotator.models.work import Assignment


class Question(models.Model):
    """A question or a flag of an annotator on one assigned image, which opens a thread with the leads.

    `text` is the question, or the note of a flag; `reason` is the reason of a flag. `version` increases by
    one with every change, and a lead's change names the version it replaces. `open_since` is when it last
    became open, `answered_at` when a lead last replied, `read_at` when the annotator last read the thread.
    `project` and `annotator` are those of the assignment, kept here so that lists are read from one index.
    """

    class Kind(models.TextChoices):
        """What opened the thread."""

        QUESTION = "question", "Question"
        FLAG = "flag", "Flag"

    class State(models.TextChoices):
        """Who has to act: the leads, the annotator, or nobody."""

        OPEN = "open", "Open"
        ANSWERED = "answered", "Answered"
        RESOLVED = "resolved", "Resolved"

    project = models.ForeignKey(Project, models.CASCADE, related_name="questions", db_index=False)
    assignment = models.ForeignKey(Assignment, models.CASCADE, related_name="questions")
    annotator = models.ForeignKey(Membership, models.PROTECT, related_name="questions", db_index=False)
    kind = models.CharField(max_length=8, choices=Kind, default=Kind.QUESTION)
    reason = models.CharField(max_length=40, blank=True)
    text = models.TextField(blank=True)
    state = models.CharField(max_length=8, choices=State, default=State.OPEN)
    version = models.PositiveIntegerField(default=1)
    asked_at = models.DateTimeField(default=timezone.now)
    open_since = models.DateTimeField(default=timezone.now)
    answered_at = models.DateTimeField(null=True)
    read_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["assignment"], condition=models.Q(kind="flag"), name="one_flag_per_assignment"
            ),
            known("kind", "question flag", name="known_question_kind"),
            known("state", "open answered resolved", name="known_question_state"),
        ]
        indexes = [
            models.Index(fields=["project", "state", "open_since"], name="question_by_state"),
            models.Index(fields=["project", "id"], name="question_by_project"),
            models.Index(fields=["annotator", "answered_at"], name="question_by_annotator"),
        ]

    def __str__(self) -> str:
        return f"{self.assignment} ({self.get_state_display()})"

    @property
    def is_unread(self) -> bool:
        """Whether a lead has replied since the annotator last read the thread."""
        return self.answered_at is not None and (self.read_at is None or self.read_at < self.answered_at)


class Reply(models.Model):
    """One message in the thread of a question; `by_lead` is an answer, whatever its author's role is now."""

    question = models.ForeignKey(Question, models.CASCADE, related_name="replies")
    author = models.ForeignKey(Membership, models.PROTECT, related_name="replies")
    by_lead = models.BooleanField()
    text = models.TextField()
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["pk"]
        verbose_name_plural = "replies"

    def __str__(self) -> str:
        return self.text[:60]
