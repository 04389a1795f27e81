"""Background jobs."""

from __future__ import annotations

from django.conf import settings
from django.db import models

from annotator.database.constraints import known
from annotator.models.projects import Project


class LeasedWork(models.Model):
    """Work for a worker: requested, running or ended.

    The row is authoritative; a message in the queue only wakes a worker. `lease_until` is how long a worker
    may stay silent before another takes over; `attempts` limits work that kills its workers.
    """

    class Status(models.TextChoices):
        """The status of the work."""

        QUEUED = "queued", "Queued"
        RUNNING = "running", "Running"
        DONE = "done", "Done"
        FAILED = "failed", "Failed"
        CANCELLED = "cancelled", "Cancelled"

    status = models.CharField(max_length=9, choices=Status, default=Status.QUEUED)
    progress = models.PositiveSmallIntegerField(default=0)
    attempts = models.PositiveSmallIntegerField(default=0)
    lease_until = models.DateTimeField(null=True)
    error = models.TextField(blank=True)
    requested_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    started_at = models.DateTimeField(null=True)
    finished_at = models.DateTimeField(null=True)

    class Meta:
        abstract = True

    @property
    def seconds(self) -> float | None:
        """The duration of the last attempt; None unless it has ended."""
        if self.started_at is None or self.finished_at is None:
            return None
        return max(0.0, (self.finished_at - self.started_at).total_seconds())


class Job(LeasedWork):
    """A task of a project that takes too long for a request: an import, an export.

    `kind` names its function (see `annotator.work.kinds`), `data` its input, `result` its output.
    `request_key` is the idempotency key from the page.
    """

    project = models.ForeignKey(Project, models.CASCADE, related_name="jobs")
    kind = models.CharField(max_length=40)
    data = models.JSONField(default=dict)
    result = models.JSONField(null=True)
    request_key = models.UUIDField(null=True, unique=True)

    class Meta:
        ordering = ["-pk"]
        constraints = [
            known("status", "queued running done failed cancelled", name="known_job_status"),
            models.CheckConstraint(
                condition=~models.Q(status="done") | models.Q(result__isnull=False),
                name="done_jobs_have_a_result",
            ),
        ]
        indexes = [
            models.Index(fields=["project", "kind", "status"], name="job_lookup"),
            models.Index(fields=["status", "lease_until"], name="job_sweep"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} of {self.project} ({self.get_status_display()})"


class WorkerSeen(models.Model):
    """When a worker of any machine was last alive: one row, which they renew."""

    at = models.DateTimeField()

    def __str__(self) -> str:
        return f"A worker at {self.at}"
