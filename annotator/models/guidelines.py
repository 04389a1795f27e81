"""A project's guidelines: one draft per protocol, and the published versions."""

from __future__ import annotations

from django.db import models

from annotator.models.people import Membership
from annotator.models.projects import Project


class Guideline(models.Model):
    """The draft of a project's guideline under one protocol; only leads see it.

    `content` is what `annotator.guidelines.content.Content` reads. `revision` increases by one with every
    change, which names the revision it replaces.
    """

    project = models.ForeignKey(Project, models.CASCADE, related_name="guidelines")
    protocol = models.SlugField(max_length=40)
    content = models.JSONField()
    revision = models.PositiveIntegerField(default=1)
    edited_by = models.ForeignKey(Membership, models.SET_NULL, null=True, related_name="+")
    edited_at = models.DateTimeField()

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(fields=["project", "protocol"], name="one_guideline_per_protocol"),
            models.CheckConstraint(
                condition=models.Q(revision__gte=1), name="guideline_revisions_begin_at_one"
            ),
        ]

    def __str__(self) -> str:
        return f"Guideline for {self.protocol}, draft {self.revision}"


class GuidelineVersion(models.Model):
    """A published version of a guideline; it never changes.

    `content` also holds the marks of its examples as they were adjudicated. After a major version, earlier
    annotations may no longer follow the guideline. `summary` says what has changed.
    """

    guideline = models.ForeignKey(Guideline, models.CASCADE, related_name="versions")
    major = models.PositiveIntegerField()
    minor = models.PositiveIntegerField()
    content = models.JSONField()
    summary = models.CharField(max_length=400, blank=True)
    published_by = models.ForeignKey(Membership, models.SET_NULL, null=True, related_name="+")
    published_at = models.DateTimeField()

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(fields=["guideline", "major", "minor"], name="one_version_per_number"),
        ]

    def __str__(self) -> str:
        return self.number

    @property
    def number(self) -> str:
        """The version as annotations store it: `1.2`."""
        return f"{self.major}.{self.minor}"
