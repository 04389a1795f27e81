"""Stored results of computations."""

from __future__ import annotations

from typing import Final

from django.db import models

from annotator.models import Image, LeasedWork, Project
from annotator.models.work import DEFAULT_PROTOCOL


class Report(LeasedWork):
    """One computation over a project's annotations under a protocol, with its result.

    For execution see `LeasedWork`.

    The result of a finished report never changes; once a newer one is finished, it is deleted
    (`analysis.reports.lifecycle`). `checked_at` is when its input was last read. `settings` are a lead's
    choices. `excerpt` is what other pages show of its result (`analysis.reports.stored`).
    """

    class Kind(models.TextChoices):
        """The kind of report."""

        AGREEMENT = "agreement", "Agreement"
        COMPARISON = "comparison", "Comparison"
        STAGES = "stages", "Two stages"
        QUALITY = "quality", "Quality"
        ACROSS = "across", "Across protocols"
        DATA_SET = "data_set", "Data set"
        SUGGESTIONS = "suggestions", "Suggestions"

    project = models.ForeignKey(Project, models.CASCADE, related_name="reports")
    kind = models.CharField(max_length=20, choices=Kind)
    protocol = models.SlugField(
        max_length=40, default=DEFAULT_PROTOCOL, db_default=DEFAULT_PROTOCOL, db_index=False
    )
    input_digest = models.CharField(max_length=64, blank=True)
    annotations = models.PositiveIntegerField(default=0)
    code_version = models.CharField(max_length=40, blank=True)
    checked_at = models.DateTimeField(null=True)
    result = models.JSONField(null=True)
    excerpt = models.JSONField(null=True, editable=False)
    settings = models.JSONField(default=dict, db_default={}, blank=True)

    class Meta:
        ordering = ["-pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["project", "protocol", "kind"],
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


KEPT_UP_TO_DATE: Final = (Report.Kind.AGREEMENT.value, Report.Kind.COMPARISON.value)
"""Kinds that are computed automatically for every project, and published with it."""

EXPECTED: Final = (*KEPT_UP_TO_DATE, Report.Kind.QUALITY.value)
"""Kinds that are requested whenever annotations change; quality is for leads alone and is in no bundle."""


class ImageMetric(models.Model):
    """The value of an outside metric for an image, such as a model's score, for comparison with people's."""

    project = models.ForeignKey(Project, models.CASCADE, related_name="metrics", db_index=False)
    image = models.ForeignKey(Image, models.CASCADE, related_name="metrics", db_index=False)
    metric = models.CharField(max_length=80)
    value = models.FloatField()

    class Meta:
        ordering = ["pk"]
        constraints = [models.UniqueConstraint(fields=["image", "metric"], name="one_value_per_metric")]
        indexes = [models.Index(fields=["project", "metric", "image"], name="metric_of_project")]

    def __str__(self) -> str:
        return f"{self.metric} of {self.image}"
