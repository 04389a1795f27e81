"""Annotations and adjudicated values."""

from __future__ import annotations

from fractions import Fraction

from django.db import models

from annotator.database.constraints import known
from annotator.models.images import Image
from annotator.models.people import Membership
from annotator.models.work import Assignment
from scoring.service import get_protocol


class Annotation(models.Model):
    """The annotation of one assignment.

    `payload` is authoritative; `ratings` are derived from it on submission: a list of exact
    `[variable, component, "numerator/denominator"]`. `version` increases by one with every change, which
    names the version it replaces. `source` keeps an imported row as written, including unreadable terms.
    `flagged`, `active_ms` and `has_unread_terms` duplicate facts of payload, capture and source for lists and
    medians: whether the image is flagged, the active time, and whether parts of an imported row were
    unreadable. `guideline` is the version of the project's guideline in force at submission, `1.2`; None if
    there was none, and for imports.
    """

    class Status(models.TextChoices):
        """The status of the annotation."""

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
    # Text rather than a foreign key, which would cost an index of every annotation and a query per
    # submission; null rather than empty, so that SQLite adds the column without rewriting the table.
    guideline = models.CharField(max_length=21, null=True)  # noqa: DJ001
    created_at = models.DateTimeField(auto_now_add=True)
    saved_at = models.DateTimeField()
    submitted_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["pk"]
        constraints = [
            known("status", "draft submitted reopened", name="known_answer_status"),
            models.CheckConstraint(
                condition=~models.Q(status="submitted")
                | models.Q(submitted_at__isnull=False, ratings__isnull=False),
                name="submitted_answers_are_rated",
            ),
            models.CheckConstraint(condition=models.Q(version__gte=1), name="versions_begin_at_one"),
        ]
        indexes = [
            models.Index(fields=["status", "assignment"], name="answer_status"),
            # Partial, because there are few and every page of a report counts them.
            models.Index(
                fields=["assignment"], name="answer_unread", condition=models.Q(has_unread_terms=True)
            ),
        ]

    def __str__(self) -> str:
        return f"{self.assignment} ({self.get_status_display()})"


class Adjudication(models.Model):
    """The adjudicated value of one image under one protocol; the annotations are not changed.

    `payload` is authoritative; `ratings` are derived from it as for a submitted Annotation. The
    field `adjudicated_from` names the annotations adjudicated: a list of `[id, version]`. A withdrawn
    adjudication is not counted but keeps its row, so that `version` never restarts. `request_key` is the
    idempotency key of the last action.

    `causes` are those of each component on which the annotations differed: `{component: {"causes": [...],
    "proposed": [...], "note": "..."}}`, the note only if there is one. None: not recorded.
    """

    class Status(models.TextChoices):
        """Whether the value counts."""

        ADJUDICATED = "adjudicated", "Adjudicated"
        WITHDRAWN = "withdrawn", "Withdrawn"

    image = models.ForeignKey(Image, models.CASCADE, related_name="adjudications")
    protocol = models.SlugField(max_length=40)
    payload = models.JSONField()
    ratings = models.JSONField()
    status = models.CharField(max_length=11, choices=Status, default=Status.ADJUDICATED)
    version = models.PositiveIntegerField(default=1)
    adjudicated_from = models.JSONField()
    causes = models.JSONField(null=True)
    note = models.TextField(blank=True)
    decided_by = models.ForeignKey(Membership, models.PROTECT, related_name="adjudications")
    decided_at = models.DateTimeField()
    request_key = models.UUIDField(null=True)

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(fields=["image", "protocol"], name="one_adjudication_per_protocol"),
            known("status", "adjudicated withdrawn", name="known_adjudication_status"),
            models.CheckConstraint(
                condition=models.Q(version__gte=1), name="adjudication_versions_begin_at_one"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.image} ({self.get_status_display()})"

    @property
    def score(self) -> str:
        """The protocol's headline as an exact fraction, such as the cumulative score; empty without one."""
        value = get_protocol(self.protocol).headline_of(self.ratings)
        return "" if value is None else f"{value.numerator}/{value.denominator}"

    @property
    def number(self) -> float:
        """The headline as the nearest float."""
        return float(Fraction(self.score))

    @property
    def is_adjudicated(self) -> bool:
        """Whether the value counts."""
        return self.status == self.Status.ADJUDICATED
