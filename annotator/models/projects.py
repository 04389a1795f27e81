"""Projects."""

from __future__ import annotations

from fractions import Fraction

from django.db import models

from scoring.anatomy.scores import weights_from


def default_weights() -> dict[str, str]:
    """Return the published severity weights; decimal text, because scores are exact."""
    return {"a": "0.2", "b": "0.5", "c": "1"}


class Project(models.Model):
    """What a lead owns: images, people with roles, settings."""

    slug = models.SlugField(max_length=60, unique=True)
    name = models.CharField(max_length=120)
    weights = models.JSONField(default=default_weights)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["name"]

    def __str__(self) -> str:
        return self.name

    @property
    def exact_weights(self) -> dict[str, Fraction]:
        """Severity weights as exact fractions; raises ValueError naming the severity that is wrong."""
        return dict(weights_from(self.weights))
