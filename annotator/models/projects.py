"""Projects."""

from __future__ import annotations

from fractions import Fraction

from django.db import models

from scoring.grid.scores import weights_from


def default_weights() -> dict[str, str]:
    """Return the published severity weights; decimal text, because scores are exact."""
    return {"a": "0.2", "b": "0.5", "c": "1"}


class Project(models.Model):
    """What a lead owns: images, people with roles, settings.

    `goes_at` is when everything of it is removed for good, None unless a lead has asked for that: until then
    it is nobody's to open, and can be taken back. `retention` says after how many days what is removed (see
    `annotator.records.retention`).
    """

    slug = models.SlugField(max_length=60, unique=True)
    name = models.CharField(max_length=120)
    weights = models.JSONField(default=default_weights)
    retention = models.JSONField(default=dict, blank=True, editable=False)
    goes_at = models.DateTimeField(null=True, editable=False)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["name"]

    def __str__(self) -> str:
        return self.name

    @property
    def exact_weights(self) -> dict[str, Fraction]:
        """Severity weights as exact fractions; raises ValueError naming the severity that is wrong."""
        return dict(weights_from(self.weights))
