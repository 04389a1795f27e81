"""Answers."""

from __future__ import annotations

from django.db import models

from annotator.models.work import Assignment


class Annotation(models.Model):
    """One annotator's answer to one assignment.

    `payload` is the truth; `ratings` are derived from it at submit: a list of
    `[variable, component, "numerator/denominator"]`, exact. `version` rises by one at every change, and
    a change names the version it replaces. `source` keeps an imported row as it was written, its
    unreadable terms included. `flagged`, `active_ms` and `has_unread_terms` repeat what the payload, the
    capture and the source say, for lists and medians: whether the annotator doubts the image, how long they
    were at it, and whether some of the imported row could not be read.
    """

    class Status(models.TextChoices):
        """How far the answer is."""

        DRAFT = "draft", "Draft"
        SUBMITTED = "submitted", "Submitted"
        REOPENED = "reopened", "Reopened"

    assignment = models.OneToOneField(Assignment, models.PROTECT, related_name="annotation")
    payload = models.JSONField()
    status = models.CharField(max_length=10, choices=Status, default=Status.DRAFT)
    version = models.PositiveIntegerField(default=1)
    warnings = models.JSONField(default=list)
    ratings = models.JSONField(null=True)
    source = models.JSONField(null=True)
    has_unread_terms = models.BooleanField(default=False, db_default=False)
    capture = models.JSONField(default=dict)
    flagged = models.BooleanField(default=False)
    active_ms = models.PositiveBigIntegerField(null=True)
    created_at = models.DateTimeField(auto_now_add=True)
    saved_at = models.DateTimeField()
    submitted_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.CheckConstraint(
                condition=models.Q(status__in=["draft", "submitted", "reopened"]), name="known_answer_status"
            ),
            models.CheckConstraint(
                condition=~models.Q(status="submitted")
                | models.Q(submitted_at__isnull=False, ratings__isnull=False),
                name="submitted_answers_are_rated",
            ),
            models.CheckConstraint(condition=models.Q(version__gte=1), name="versions_begin_at_one"),
        ]
        indexes = [
            models.Index(fields=["status", "assignment"], name="answer_status"),
            # They are few, and every page of a report counts them.
            models.Index(
                fields=["assignment"], name="answer_unread", condition=models.Q(has_unread_terms=True)
            ),
        ]

    def __str__(self) -> str:
        return f"{self.assignment} ({self.get_status_display()})"
