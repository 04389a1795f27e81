"""Uploads into a project, suggestions from outside, and API tokens."""

from __future__ import annotations

import uuid

from django.conf import settings
from django.db import models
from django.db.models import Q

from annotator.database.constraints import known
from annotator.models.images import Image
from annotator.models.jobs import Job
from annotator.models.projects import Project
from annotator.models.prompts import KEY
from scoring.prompts import LONGEST_PROMPT


class Upload(models.Model):
    """Files that a lead uploads: received one by one, read, checked, and only then stored.

    `pattern` defines how file names are read, `choices` holds the lead's other settings; `job` is the latest
    reading or storing.
    """

    class Status(models.TextChoices):
        """The progress of the upload."""

        RECEIVING = "receiving", "Receiving"
        READING = "reading", "Reading"
        READY = "ready", "Ready to store"
        STORING = "storing", "Storing"
        STORED = "stored", "Stored"
        DISCARDED = "discarded", "Discarded"

    project = models.ForeignKey(Project, models.CASCADE, related_name="uploads")
    public_id = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    status = models.CharField(max_length=9, choices=Status, default=Status.RECEIVING)
    pattern = models.CharField(max_length=400, blank=True)
    choices = models.JSONField(default=dict, blank=True)
    job = models.ForeignKey(Job, models.SET_NULL, null=True, related_name="+")
    made_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    touched_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-pk"]
        constraints = [
            known("status", "receiving reading ready storing stored discarded", name="known_upload_status"),
        ]
        indexes = [models.Index(fields=["status", "touched_at"], name="upload_sweep")]

    def __str__(self) -> str:
        return f"Images for {self.project} ({self.get_status_display()})"


class UploadedFile(models.Model):
    """One complete file of an upload, or one entry of an archive in it, and the result of reading it.

    `name` is the original path, `size` its bytes and `sha256` their digest, which an entry gets when it is
    read. An entry has its `archive` and its index there, `entry`. `width` and `height` are known after
    reading, `generator` to `attributes` after parsing the name; `problem` is the message if it is not ready.
    """

    class State(models.TextChoices):
        """The state of the file."""

        RECEIVED = "received", "Received"
        READY = "ready", "Ready"
        UNCLEAR = "unclear", "Unclear"
        DUPLICATE = "duplicate", "Duplicate"
        REFUSED = "refused", "Rejected"
        IGNORED = "ignored", "Ignored"
        TABLE = "table", "Manifest"
        ARCHIVE = "archive", "Archive"
        STORED = "stored", "Stored"

    upload = models.ForeignKey(Upload, models.CASCADE, related_name="files")
    public_id = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    archive = models.ForeignKey("self", models.CASCADE, null=True, related_name="entries")
    entry = models.PositiveIntegerField(null=True)
    name = models.CharField(max_length=1000)
    size = models.PositiveBigIntegerField()
    state = models.CharField(max_length=9, choices=State, default=State.RECEIVED)
    problem = models.CharField(max_length=400, blank=True)
    sha256 = models.CharField(max_length=64, blank=True)
    pixels = models.CharField(max_length=64, blank=True)
    format = models.CharField(max_length=8, blank=True)
    width = models.PositiveIntegerField(null=True)
    height = models.PositiveIntegerField(null=True)
    generator = models.CharField(max_length=120, blank=True)
    prompt = models.CharField(max_length=LONGEST_PROMPT, blank=True)
    prompt_group = models.CharField(max_length=80, blank=True)
    number = models.PositiveIntegerField(null=True)
    attributes = models.JSONField(default=dict, blank=True)
    image = models.ForeignKey(Image, models.SET_NULL, null=True, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["upload", "name"], condition=Q(archive__isnull=True), name="one_file_per_name"
            ),
            models.UniqueConstraint(
                fields=["archive", "entry"], condition=Q(archive__isnull=False), name="one_row_per_entry"
            ),
            models.CheckConstraint(
                condition=Q(archive__isnull=True, entry__isnull=True)
                | Q(archive__isnull=False, entry__isnull=False),
                name="entries_belong_to_archives",
            ),
        ]
        indexes = [
            models.Index(fields=["upload", "state", "id"], name="uploaded_file_state"),
            models.Index(fields=["upload", "pixels"], name="uploaded_file_pixels"),
            models.Index("upload", "generator", KEY, "number", name="uploaded_file_place"),
        ]

    def __str__(self) -> str:
        return f"{self.name} ({self.get_state_display()})"


class ApiToken(models.Model):
    """A token with which a user's program reads what the user may read.

    Only the SHA-256 of the secret is stored; `hint` is its beginning, which identifies the token to people.
    """

    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="api_tokens")
    name = models.CharField(max_length=80)
    secret_sha256 = models.CharField(max_length=64, unique=True)
    hint = models.CharField(max_length=12)
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField()

    class Meta:
        ordering = ["-pk"]

    def __str__(self) -> str:
        return f"{self.name} ({self.hint}…)"


class SuggestionRun(models.Model):
    """The suggestions of one source in one version; `settings_text` says how it was run.

    A run is never edited. A withdrawn run is shown no more; what was shown stays on record. `sha256` is that
    of the file; empty for a run that came through the API.
    """

    class Kind(models.TextChoices):
        """What is suggested, and with it to whom."""

        COUNTS = "counts", "Counts"
        MASKS = "masks", "Masks"
        REFERENCE = "reference", "Reference descriptions"
        DESCRIPTION = "description", "Descriptions to rate"

    project = models.ForeignKey(Project, models.CASCADE, related_name="suggestion_runs")
    kind = models.CharField(max_length=11, choices=Kind, default=Kind.COUNTS)
    source = models.CharField(max_length=80)
    source_version = models.CharField(max_length=80, blank=True)
    settings_text = models.TextField(blank=True)
    sha256 = models.CharField(max_length=64, blank=True)
    made_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    made_at = models.DateTimeField(auto_now_add=True)
    withdrawn_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["project", "kind", "source", "source_version"], name="one_run_per_source_version"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.source} {self.source_version}".strip()


class Suggestion(models.Model):
    """What a run suggests of one image, as the `Suggested` of its kind reads it."""

    run = models.ForeignKey(SuggestionRun, models.CASCADE, related_name="suggestions", db_index=False)
    image = models.ForeignKey(Image, models.CASCADE, related_name="suggestions")
    payload = models.JSONField()

    class Meta:
        ordering = ["pk"]
        constraints = [models.UniqueConstraint(fields=["run", "image"], name="one_suggestion_per_run")]

    def __str__(self) -> str:
        return f"{self.run} for {self.image}"
