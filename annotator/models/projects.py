"""Projects."""

from __future__ import annotations

from fractions import Fraction
from functools import cached_property

from django.core.exceptions import ValidationError
from django.db import models

from scoring.grid.severity_weights import PUBLISHED, weights_from
from scoring.protocol import PREFIX


def default_weights() -> dict[str, str]:
    """Return the published severity weights, as decimal text for exact scores."""
    return dict(PUBLISHED)


class Project(models.Model):
    """A project: images, members with roles, and settings.

    `protocols` holds the slugs of the protocols chosen for it, without those of its rating forms; None if
    nobody was asked, as in projects made by a command, which offer all (see `annotator.projects.protocols`).
    `goes_at` is when a soft-deleted project is purged, otherwise None; until then nobody can open it, and
    leads can cancel the deletion. `guideline_versions` holds the version in force of each protocol's
    guideline, `{"anatomy": "1.2"}`, so that a submission reads it with its assignment. `tags` holds the names
    of the tags that annotators can tick, by number from 1; a removed one is empty (see
    `annotator.projects.tags`).
    """

    slug = models.SlugField(max_length=60, unique=True)
    name = models.CharField(max_length=120)
    protocols = models.JSONField(null=True, editable=False)
    weights = models.JSONField(default=default_weights)
    guideline_versions = models.JSONField(default=dict, db_default={}, blank=True, editable=False)
    tags = models.JSONField(default=list, db_default=[], blank=True, editable=False)
    goes_at = models.DateTimeField(null=True, editable=False)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["name"]

    def __str__(self) -> str:
        return self.name

    def clean(self) -> None:
        """Refuse invalid weights, as the scores would."""
        if not isinstance(self.weights, dict):
            expected = 'Enter the weights as an object such as {"a": "0.2", "b": "0.5", "c": "1"}.'
            raise ValidationError({"weights": expected})
        try:
            weights_from(self.weights)
        except ValueError as error:
            raise ValidationError({"weights": str(error)}) from error

    @classmethod
    def locked(cls, pk: int) -> Project:
        """Return the project, its row locked until the end of the transaction.

        Changes of its people, settings, images and batches follow one another by it. Without the key, so
        that rows which refer to the project are stored meanwhile. Raises Project.DoesNotExist.
        """
        return cls.objects.select_for_update(no_key=True).get(pk=pk)

    @cached_property
    def blurs_faces(self) -> bool:
        """Whether a batch shows faces blurred, so that only blurred copies leave the project."""
        return self.batches.filter(picture="faces_blurred").exists()

    def may_use(self, protocol: str) -> bool:
        """Return whether a protocol is one of the product's own or of the project's forms."""
        return not protocol.startswith(PREFIX) or self.rating_forms.filter(slug=protocol).exists()

    def shows_suggestions(self, protocol: str) -> bool:
        """Return whether a batch under a protocol shows suggestions."""
        return self.batches.filter(protocol=protocol, suggestions__isnull=False).exists()

    @property
    def exact_weights(self) -> dict[str, Fraction]:
        """Severity weights as exact fractions; raises ValueError naming an invalid severity."""
        return dict(weights_from(self.weights))
