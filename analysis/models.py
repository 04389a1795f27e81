"""Stored results of computations."""

from __future__ import annotations

from django.conf import settings
from django.db import models

from annotator.models import Project


class Report(models.Model):
    """One computation over a project: asked for, running, done or failed, and what came out.

    The row is the truth; a message in the queue is only a wake-up. `lease_until` says how long a worker
    may stay silent before another takes over; `attempts` ends a computation that kills its workers.
    """

    class Kind(models.TextChoices):
        """What is computed."""

        AGREEMENT = "agreement", "Agreement"
        COMPARISON = "comparison", "Comparison"

    class Status(models.TextChoices):
        """Where the computation stands."""

        QUEUED = "queued", "Queued"
        RUNNING = "running", "Running"
        DONE = "done", "Done"
        FAILED = "failed", "Failed"

    project = models.ForeignKey(Project, models.CASCADE, related_name="reports")
    kind = models.CharField(max_length=20, choices=Kind)
    status = models.CharField(max_length=8, choices=Status, default=Status.QUEUED)
    progress = models.PositiveSmallIntegerField(default=0)
    attempts = models.PositiveSmallIntegerField(default=0)
    lease_until = models.DateTimeField(null=True)
    input_digest = models.CharField(max_length=64, blank=True)
    annotations = models.PositiveIntegerField(default=0)
    code_version = models.CharField(max_length=40, blank=True)
    result = models.JSONField(null=True)
    error = models.TextField(blank=True)
    requested_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    started_at = models.DateTimeField(null=True)
    finished_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["-pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["project", "kind"],
                condition=models.Q(status__in=["queued", "running"]),
                name="one_report_under_way",
            ),
            models.CheckConstraint(
                condition=~models.Q(status="done") | models.Q(result__isnull=False),
                name="done_reports_have_a_result",
            ),
        ]
        indexes = [models.Index(fields=["project", "kind", "status"], name="report_lookup")]

    def __str__(self) -> str:
        return f"{self.get_kind_display()} of {self.project} ({self.get_status_display()})"
