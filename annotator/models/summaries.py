"""Summaries of images, by which galleries are filtered and sorted."""

from __future__ import annotations

from django.db import models

from annotator.models.images import Image
from annotator.models.projects import Project


class ImageSummary(models.Model):
    """What the counted annotations say of one image under one protocol: a row per annotator, and one for all.

    Derived by `annotator.annotations.summaries` in the transaction of each change. `code` is the annotator's,
    empty in the row for all; a code never changes. `answers` counts submitted annotations. `score` is the
    mean of the headline, for all annotators the adjudicated value if there is one, or the consolidated score
    if the protocol consolidates; None without one, and if nothing could be read. In the row for all, `spread`
    is the largest difference between two annotators, None for fewer than two, `apart` tells whether two
    annotators differ in any rating, `adjudicated` whether the image is adjudicated.
    `marked` has a bit for each marked cell (`annotator.annotations.summary_values.mask_of`); `mild`,
    `moderate` and `severe` have those with that severity. `people` is the median of the annotators' counts of
    the people, None without one; `tags` has the bits of the tags ticked (`scoring.payloads.bits_of`). `notes`
    are casefolded for searching.
    """

    image = models.ForeignKey(Image, models.CASCADE, related_name="summaries", db_index=False)
    # Indexed below. The image's project, so that one index yields a gallery in order.
    project = models.ForeignKey(Project, models.CASCADE, related_name="summaries", db_index=False)
    protocol = models.SlugField(max_length=40, db_index=False)
    code = models.CharField(max_length=80, blank=True)
    answers = models.PositiveSmallIntegerField()
    mean = models.FloatField(null=True)
    score = models.FloatField(null=True)
    spread = models.FloatField(null=True)
    apart = models.BooleanField()
    flagged = models.BooleanField()
    adjudicated = models.BooleanField()
    marked = models.IntegerField()
    mild = models.IntegerField()
    moderate = models.IntegerField()
    severe = models.IntegerField()
    people = models.PositiveSmallIntegerField(null=True)
    tags = models.IntegerField(db_default=0)
    notes = models.TextField(blank=True)

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(fields=["image", "protocol", "code"], name="one_summary_per_annotator")
        ]
        indexes = [
            # With the marks, so that filters by cell read this index alone.
            models.Index(
                fields=[
                    *("project", "protocol", "code", "score", "image"),
                    *("marked", "mild", "moderate", "severe"),
                ],
                name="summary_score",
            ),
            models.Index(
                fields=["project", "protocol", "code", "spread", "image"],
                name="summary_spread",
                condition=models.Q(spread__isnull=False),
            ),
            # Partial: few images match these filters, which then read those alone.
            *(
                models.Index(
                    fields=["project", "protocol", "code", "image"],
                    name=f"summary_{name}",
                    condition=models.Q((name, True)),
                )
                for name in ("flagged", "adjudicated", "apart")
            ),
        ]

    def __str__(self) -> str:
        return f"{self.image} · {self.protocol} · {self.code or 'all'}"
