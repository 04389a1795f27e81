"""Qualification batches, the attempts at them, and people's standings."""

from __future__ import annotations

from typing import Final

from django.db import models

from annotator.database.constraints import known
from annotator.models.people import Membership
from annotator.models.work import Batch


class Qualification(models.Model):
    """What a qualification batch asks of its annotators.

    `rule` maps terms (`scoring.qualification_rules`) to thresholds as decimal text: `{"recall": "0.7"}`.
    `pool` holds the ids of the images that attempts are drawn from, in the order of the batch's seed; each
    attempt has `images` of them.
    """

    batch = models.OneToOneField(Batch, models.CASCADE, related_name="qualification")
    rule = models.JSONField()
    pool = models.JSONField()
    images = models.PositiveSmallIntegerField()
    attempts = models.PositiveSmallIntegerField(default=2)

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.CheckConstraint(
                condition=models.Q(images__gte=1, attempts__gte=1), name="qualification_asks_something"
            ),
        ]

    def __str__(self) -> str:
        return f"Qualification {self.batch}"


class Attempt(models.Model):
    """One annotator's attempt at a qualification: the assignments of its batch with `pass_no` number - 1.

    `references` maps images (ids as text) to the versions of their references when the attempt began; later
    versions do not change it. `result` is written once, at the end.
    """

    qualification = models.ForeignKey(Qualification, models.CASCADE, related_name="made")
    annotator = models.ForeignKey(Membership, models.CASCADE, related_name="attempts")
    number = models.PositiveSmallIntegerField()
    references = models.JSONField()
    began_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True)
    passed = models.BooleanField(null=True)
    result = models.JSONField(default=dict)

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["qualification", "annotator", "number"], name="one_attempt_per_number"
            ),
            models.CheckConstraint(condition=models.Q(number__gte=1), name="attempts_begin_at_one"),
            models.CheckConstraint(
                condition=models.Q(ended_at__isnull=True, passed__isnull=True)
                | models.Q(ended_at__isnull=False, passed__isnull=False),
                name="ended_attempts_have_results",
            ),
        ]

    def __str__(self) -> str:
        return f"Attempt {self.number} of {self.annotator}"

    @property
    def may_follow(self) -> bool:
        """Whether another attempt may begin: after one that was failed, if it was not the last."""
        asked = self.qualification
        is_open = asked.batch.status == Batch.Status.OPEN
        return self.passed is False and self.number < asked.attempts and is_open


class Standing(models.Model):
    """Whether a member may be given work that needs a qualification, under one protocol.

    A member without a row has none. `guideline` is the version in force at the change, empty for none.
    `evidence` holds the ids of the annotations that the state rests on; an image purged since takes its
    annotation with it. `reason` is that of a waiver or of a lapse. Each change is an Event with the state it
    replaced.
    """

    class State(models.TextChoices):
        """The state; only qualified and waived permit work."""

        NONE = "none", "Not qualified"
        TRAINING = "training", "In training"
        LAPSED = "lapsed", "Lapsed"
        QUALIFIED = "qualified", "Qualified"
        WAIVED = "waived", "Exempt"

    membership = models.ForeignKey(Membership, models.CASCADE, related_name="standings")
    protocol = models.SlugField(max_length=40)
    state = models.CharField(max_length=9, choices=State, default=State.NONE)
    guideline = models.CharField(max_length=20, blank=True)
    evidence = models.JSONField(default=list)
    reason = models.CharField(max_length=400, blank=True)
    changed_at = models.DateTimeField()
    changed_by = models.ForeignKey(Membership, models.SET_NULL, null=True, related_name="+")

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(fields=["membership", "protocol"], name="one_standing_per_protocol"),
            known("state", "none training lapsed qualified waived", name="known_standing"),
        ]

    def __str__(self) -> str:
        return f"{self.membership}: {self.get_state_display()}"

    @property
    def permits_work(self) -> bool:
        """Whether the member may be given work that needs a qualification."""
        return self.state in PERMITTING


PERMITTING: Final = frozenset({Standing.State.QUALIFIED, Standing.State.WAIVED})
"""The states with which a member may be given work that needs a qualification."""
