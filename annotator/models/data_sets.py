"""What a project's data set is made from: its settings, and what was detected in its images."""

from __future__ import annotations

from typing import Final

from django.db import models
from django.db.models import Exists, OuterRef, Q

from annotator.models.images import Image
from annotator.models.projects import Project
from scoring.data_sets.filters import Detected
from scoring.protocol import INVALID_FROM

REAL: Final = "real"


def is_real(image: str = "") -> Q:
    """Return the condition for a real image: the column `source` of its manifest is `real`.

    `image` is the way from the rows asked to the image, such as `assignment__image__`.
    """
    return Q(**{f"{image}attributes__source": REAL})


def is_generated(image: str = "") -> Q:
    """Return the condition for an image that is not real; see `is_real`."""
    # A missing key compares as NULL, whose negation is NULL, too.
    return Q(**{f"{image}attributes__source__isnull": True}) | ~is_real(image)


IS_REAL: Final = is_real()
IS_GENERATED: Final = is_generated()


class DataSet(models.Model):
    """The settings of a project's data set, as `annotator.data_sets.settings` reads them."""

    project = models.OneToOneField(Project, models.CASCADE, related_name="data_set")
    settings = models.JSONField(default=dict, blank=True)

    def __str__(self) -> str:
        return f"Data set of {self.project}"


def invalid_from_in(project_id: int) -> int:
    """Return from how many invalid votes an image of a project has no score."""
    found = DataSet.objects.filter(project=project_id).values_list("settings__invalid_from", flat=True)
    return found.first() or INVALID_FROM


class Screening(models.Model):
    """What a detector found in an image, and the filters that leave it out.

    `reasons` are keys of `scoring.data_sets.filters.REASONS`, joined by spaces. `kept` says that a lead has
    taken the image back, whatever the reasons.
    """

    image = models.OneToOneField(Image, models.CASCADE, related_name="screening")
    persons = models.PositiveIntegerField(null=True)
    classes = models.PositiveIntegerField(null=True)
    person_confidence = models.FloatField(null=True)
    moderation = models.FloatField(null=True)
    reasons = models.CharField(max_length=80, blank=True, db_index=True)
    kept = models.BooleanField(default=False)

    def __str__(self) -> str:
        return f"Screening of {self.image}"

    @property
    def detected(self) -> Detected:
        """What the detector found."""
        return Detected(self.persons, self.classes, self.person_confidence, self.moderation)


def is_excluded(image: str = "pk") -> Exists:
    """Return the condition for an image that the filters leave out; `image` is the column that names it."""
    held = Screening.objects.filter(image=OuterRef(image), kept=False)
    return Exists(held.exclude(reasons=""))
