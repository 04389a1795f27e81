"""Images to annotate."""

from __future__ import annotations

import uuid
from pathlib import PurePath
from typing import Any, Final

from django.db import models

from annotator.models.projects import Project
from annotator.models.prompts import KEY
from scoring.prompts import LONGEST_PROMPT

LESSONS: Final = "Training drawings"
"""The generator of the drawn images that only train: no study is made of them."""
IS_STUDIED: Final = ~models.Q(generator=LESSONS)
"""The condition for images of the study: all but the drawings."""


def composed_id(generator: str, prompt: str, number: int | None, file_name: str) -> str:
    """Return an Id such as `dall-e3_couple hugging_01`; without a number, the file name supplies it."""
    last = f"{number:02d}" if number is not None else PurePath(file_name).stem
    return f"{generator}_{prompt}_{last}"


class AttributeText(models.Func):
    """An attribute of an image as text, NULL without it, whatever its name: one of digits is no index."""

    function = "jsonb_extract_path_text"
    output_field = models.TextField()

    def __init__(self, field: str, name: str) -> None:
        super().__init__(models.F(field), models.Value(name))

    def as_sqlite(self, compiler: Any, connection: Any, **_: Any) -> Any:
        """Return the SQL for SQLite, whose paths cannot name a key with quotation marks in every version."""
        template = "(SELECT value FROM json_each(%(expressions)s)"
        return self.as_sql(compiler, connection, template=template, arg_joiner=") WHERE key = ")


class Image(models.Model):
    """One image. An annotator's browser learns only its `public_id`.

    `file` is the original, named by its content; `display` is the copy shown to everyone, made by a worker.
    `faces` is the key of the current decision on its faces, None without one. `unique_id` is its Image Id as
    `annotator.exchange.which_image` has stored it, so that a page of images needs no others.
    """

    class DisplayState(models.TextChoices):
        """The state of the display copy."""

        PENDING = "pending", "Pending"
        READY = "ready", "Ready"
        FAILED = "failed", "Failed"

    project = models.ForeignKey(Project, models.CASCADE, related_name="images")
    public_id = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    file = models.FileField(upload_to="", max_length=200)
    sha256 = models.CharField(max_length=64)
    pixels = models.CharField(max_length=64, blank=True)
    source_name = models.CharField(max_length=400)
    format = models.CharField(max_length=8)
    width = models.PositiveIntegerField()
    height = models.PositiveIntegerField()
    generator = models.CharField(max_length=120)
    prompt = models.CharField(max_length=LONGEST_PROMPT)
    prompt_group = models.CharField(max_length=80, blank=True)
    number = models.PositiveIntegerField(null=True, blank=True)
    unique_id = models.TextField(blank=True, editable=False)
    attributes = models.JSONField(default=dict, blank=True)
    display = models.FileField(upload_to="", max_length=200, blank=True)
    display_state = models.CharField(max_length=8, choices=DisplayState, default=DisplayState.PENDING)
    display_error = models.CharField(max_length=400, blank=True)
    faces = models.UUIDField(null=True, editable=False)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["generator", "prompt", "number", "pk"]
        constraints = [
            models.UniqueConstraint(fields=["project", "sha256"], name="one_image_per_content"),
            models.UniqueConstraint("project", "generator", KEY, "number", name="one_image_per_number"),
        ]
        indexes = [
            models.Index(fields=["display_state"], name="image_display_state"),
            models.Index(fields=["project", "pixels"], name="image_pixels"),
            # The generators of one prompt, and the prompts beside it.
            models.Index("project", KEY, "generator", name="image_prompt"),
        ]

    def __str__(self) -> str:
        return f"{self.generator} · {self.prompt} · {self.number if self.number is not None else '–'}"
