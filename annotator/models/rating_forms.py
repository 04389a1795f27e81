"""The rating forms of a project."""

from __future__ import annotations

from django.db import models

from annotator.models.people import Membership
from annotator.models.projects import Project


class RatingForm(models.Model):
    """A form of a lead's own questions; its `slug` digests the `definition`, which never changes.

    `definition` is what `scoring.rating_form.definition` reads. A `retired` form is not offered for batches.
    """

    project = models.ForeignKey(Project, models.CASCADE, related_name="rating_forms")
    slug = models.SlugField(max_length=40)
    definition = models.JSONField()
    retired = models.BooleanField(default=False)
    made_by = models.ForeignKey(Membership, models.SET_NULL, null=True, related_name="+")
    made_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(fields=["project", "slug"], name="one_rating_form_per_slug"),
        ]

    def __str__(self) -> str:
        return self.slug
