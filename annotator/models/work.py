"""Batches, the assignments in them, and the plans that assigned them."""

from __future__ import annotations

from typing import Final

from django.db import models

from annotator.database.constraints import known
from annotator.models.exchange import SuggestionRun
from annotator.models.images import Image
from annotator.models.people import Membership
from annotator.models.projects import Project

DEFAULT_PROTOCOL: Final = "anatomy"
"""The protocol of a batch that names none."""


class Batch(models.Model):
    """Images of a project released under one protocol to named annotators.

    `guided` leads the annotator through the cells in the prescribed order. A running score biases the
    judgement, so the lead may disable it. In a closed batch, annotations are locked.

    `settings` holds the protocol's settings without a column (see `annotator.protocols.page.BatchSetting`).

    A batch with `needs_standing` was assigned only to annotators who were qualified, or whom a lead exempted.

    `picture` is the copy of its images that annotators see; the same image can be in batches of both kinds.

    `suggestions` is the run that annotators see in the assignments whose `arm` says so.

    A batch that `follows` another takes its images from that one's annotations: the second stage of a study.

    `show_prompt` and `show_generator` apply to new annotations; `prompt_seen` and `generator_seen` record
    whether annotators saw them for the existing ones, which is unknown for imports.
    """

    class Status(models.TextChoices):
        """The status of the batch."""

        OPEN = "open", "Open"
        CLOSED = "closed", "Closed"

    class ScoreShown(models.TextChoices):
        """Whether annotators see a running score while they annotate."""

        NEVER = "never", "Never"
        CHOICE = "choice", "As each annotator chooses"

    class Seen(models.TextChoices):
        """Whether annotators saw something; all but the first and last value are for imported annotations."""

        AS_SET = "as_set", "As set"
        UNKNOWN = "unknown", "Unknown"
        SHOWN = "shown", "Shown"
        HIDDEN = "hidden", "Hidden"
        VARIED = "varied", "Shown part of the time"

    class Picture(models.TextChoices):
        """The copy of an image that annotators see."""

        DISPLAY = "display", "The whole image"
        FACES_BLURRED = "faces_blurred", "Faces blurred"

    project = models.ForeignKey(Project, models.CASCADE, related_name="batches")
    name = models.CharField(max_length=120)
    protocol = models.SlugField(max_length=40, default=DEFAULT_PROTOCOL)
    overlap = models.DecimalField(max_digits=5, decimal_places=4, default=0)
    per_image = models.PositiveSmallIntegerField(default=2)  # annotators of an overlap image
    seed = models.BigIntegerField(null=True, blank=True)
    status = models.CharField(max_length=10, choices=Status, default=Status.OPEN)
    show_prompt = models.BooleanField(default=False)
    show_generator = models.BooleanField(default=False)
    prompt_seen = models.CharField(
        max_length=8, choices=Seen, default=Seen.AS_SET, db_default=Seen.AS_SET.value
    )
    generator_seen = models.CharField(
        max_length=8, choices=Seen, default=Seen.AS_SET, db_default=Seen.AS_SET.value
    )
    guided = models.BooleanField(default=False)
    score_shown = models.CharField(max_length=8, choices=ScoreShown, default=ScoreShown.CHOICE)
    settings = models.JSONField(default=dict, db_default={}, blank=True)
    picture = models.CharField(
        max_length=13, choices=Picture, default=Picture.DISPLAY, db_default=Picture.DISPLAY.value
    )
    needs_standing = models.BooleanField(default=False, db_default=False)
    follows = models.ForeignKey("self", models.SET_NULL, null=True, blank=True, related_name="followed_by")
    suggestions = models.ForeignKey(
        SuggestionRun, models.SET_NULL, null=True, blank=True, related_name="batches"
    )
    created_at = models.DateTimeField(auto_now_add=True)
    adjudicators = models.ManyToManyField(Membership, related_name="adjudicates")
    codes_hidden = models.BooleanField(default=True)  # from its adjudicators

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(fields=["project", "name"], name="one_batch_per_name"),
            known("score_shown", "never choice", name="known_score_shown"),
            known("status", "open closed", name="known_batch_status"),
            known("picture", "display faces_blurred", name="known_picture"),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def is_blurred(self) -> bool:
        """Whether its annotators see the images with faces blurred."""
        return self.picture == self.Picture.FACES_BLURRED

    @property
    def is_imported(self) -> bool:
        """Whether its annotations were made elsewhere."""
        return self.prompt_seen not in (self.Seen.AS_SET, self.Seen.VARIED)

    @property
    def prompt_was(self) -> Seen:
        """Whether annotators saw the prompt; never AS_SET."""
        return self._was(self.prompt_seen, self.show_prompt)

    @property
    def generator_was(self) -> Seen:
        """Whether annotators saw the generator; never AS_SET."""
        return self._was(self.generator_seen, self.show_generator)

    def _was(self, seen: str, shown_now: bool) -> Seen:
        if seen == self.Seen.AS_SET:
            return self.Seen.SHOWN if shown_now else self.Seen.HIDDEN
        return self.Seen(seen)


class Assignment(models.Model):
    """One image assigned to one annotator. `position` orders an annotator's queue.

    A reassigned image leaves a withdrawn assignment, which has no position and keeps its draft.

    `purpose` is what the annotation is for: only work enters scores, agreement, progress and exports. `drawn`
    is why the image has several annotators: images annotated again because of a disagreement would bias
    estimates of agreement; for annotations made elsewhere it may be unknown. `pass_no` counts an annotator's
    passes over an image within a batch, from 0. `arm` is whether the plan drew that the annotator sees the
    suggestion for the image; empty where there is none to see. None of the four is ever sent to annotators.
    """

    class Status(models.TextChoices):
        """The status of the assignment."""

        OPEN = "open", "Open"
        DONE = "done", "Done"
        SKIPPED = "skipped", "Skipped"
        WITHDRAWN = "withdrawn", "Withdrawn"

    class Purpose(models.TextChoices):
        """The purpose of the annotation."""

        WORK = "work", "Work"
        TRAINING = "training", "Training"
        QUALIFICATION = "qualification", "Qualification"
        ANCHOR = "anchor", "Anchor"
        REPEAT = "repeat", "Repeat"
        NORMING = "norming", "Norming"

    class Arm(models.TextChoices):
        """Whether the annotator sees the suggestion for the image."""

        NONE = "", "No suggestion"
        WITH = "with", "With the suggestion"
        WITHOUT = "without", "Without it"

    class Drawn(models.TextChoices):
        """How the image was chosen for its number of annotators in the batch."""

        SINGLE = "single", "One annotator"
        RANDOM = "random", "Several annotators, at random"
        TARGETED = "targeted", "Targeted"
        UNKNOWN = "unknown", "Unknown"

    # Batch and annotator begin other indexes.
    batch = models.ForeignKey(Batch, models.CASCADE, related_name="assignments", db_index=False)
    image = models.ForeignKey(Image, models.PROTECT, related_name="assignments")
    annotator = models.ForeignKey(Membership, models.PROTECT, related_name="assignments", db_index=False)
    position = models.PositiveIntegerField(null=True)
    status = models.CharField(max_length=9, choices=Status, default=Status.OPEN)
    purpose = models.CharField(
        max_length=13, choices=Purpose, default=Purpose.WORK, db_default=Purpose.WORK.value
    )
    drawn = models.CharField(max_length=8, choices=Drawn, default=Drawn.SINGLE, db_default=Drawn.SINGLE.value)
    pass_no = models.PositiveSmallIntegerField(default=0, db_default=0)
    arm = models.CharField(max_length=7, choices=Arm, blank=True, default=Arm.NONE, db_default="")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["batch", "image", "annotator", "pass_no"], name="one_assignment_per_pass"
            ),
            # In queue order, so that this index alone yields neighbours.
            models.UniqueConstraint(fields=["annotator", "batch", "position"], name="one_place_in_the_queue"),
            known("status", "open done skipped withdrawn", name="known_assignment_status"),
            known("purpose", "work training qualification anchor repeat norming", name="known_purpose"),
            known("drawn", "single random targeted unknown", name="known_drawn"),
            models.CheckConstraint(
                condition=models.Q(status="withdrawn", position__isnull=True)
                | (~models.Q(status="withdrawn") & models.Q(position__isnull=False)),
                name="withdrawn_has_no_place",
            ),
        ]
        indexes = [
            # Includes the purpose, so that the index alone yields counts.
            models.Index(
                fields=["annotator", "status", "batch", "position", "purpose"],
                name="assignment_queue_purpose",
            ),
            models.Index(fields=["batch", "purpose"], name="assignment_purpose"),
        ]

    def __str__(self) -> str:
        return f"{self.annotator} · {self.image}"


class Plan(models.Model):
    """A plan of a batch: one from its release, and one for each change of its annotators.

    `annotators` are the codes and image limits of those who annotate from then on. `design` is the input of a
    release as compressed JSON (`annotator/batches/planning/document.py`), null for a change: a change starts
    from the release and the current assignments. The output are the assignments.
    """

    class Kind(models.TextChoices):
        """The purpose of the plan."""

        RELEASE = "release", "Release"
        CHANGE = "change", "Change of annotators"

    batch = models.ForeignKey(Batch, models.CASCADE, related_name="plans")
    kind = models.CharField(max_length=8, choices=Kind)
    algorithm = models.CharField(max_length=40)
    annotators = models.JSONField()
    design = models.BinaryField(null=True)
    reason = models.CharField(max_length=400, blank=True)
    request_key = models.UUIDField(null=True, unique=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["pk"]
        constraints = [known("kind", "release change", name="known_plan_kind")]

    def __str__(self) -> str:
        return f"{self.get_kind_display()} of {self.batch}"
