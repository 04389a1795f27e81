"""Request jobs that read an upload, by another pattern, too, and store it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final
from uuid import UUID

from django.db.models import Count

from annotator.database.transactions import write_transaction
from annotator.exchange.formats.archives import CODE_PAGES
from annotator.exchange.formats.names import normal_form, storable
from annotator.exchange.formats.sheet import LONGEST_GENERATOR
from annotator.inputs.plain_text import TURNED, turns_text_round
from annotator.models import Event, Job, Upload, UploadedFile, User
from annotator.uploads.path_patterns import MOST_GENERATORS, parse_pattern
from annotator.uploads.reading import ENCODING, run_reading
from annotator.uploads.receiving import ZIP, UploadRefused
from annotator.uploads.status import hold, start
from annotator.uploads.storing import run_storing
from annotator.work.jobs import earlier_job
from annotator.work.kinds import runs
from scoring.prompts import LONGEST_PROMPT

READ: Final = "read_upload"
STORE: Final = "store_upload"
DEFAULTS: Final = {"generator": LONGEST_GENERATOR, "prompt": LONGEST_PROMPT}
"""What a lead may give for all files, whatever their names say, with the greatest lengths."""
State: Final = UploadedFile.State

runs(READ, title="Image check", reads_files=True)(run_reading)
runs(STORE, title="Image storage", reads_files=True)(run_storing)


def request_reading(
    *,
    upload: Upload,
    actor: User | None,
    encoding: str = "",
    request_key: UUID | None = None,
    send: bool = True,
) -> Job:
    """Request a job that reads the received files; the same idempotency key returns the first job.

    `encoding`, a code page, is that of names in archives that say none. Raises UploadRefused.
    """
    if encoding and encoding not in CODE_PAGES:
        raise UploadRefused("Choose one of the code pages.", "no-code-page")
    with write_transaction():
        if (earlier := _earlier(upload, READ, actor, request_key)) is not None:
            return earlier
        current = hold(upload, [Upload.Status.RECEIVING, Upload.Status.READY])
        if encoding:
            Upload.objects.filter(pk=upload.pk).update(choices={**current.choices, ENCODING: encoding})
            asked = current.files.filter(state=State.UNCLEAR, format=ZIP)
            asked.update(state=State.RECEIVED, problem="", attributes={})
        if not current.files.exclude(state=State.IGNORED).exists():
            raise UploadRefused("There is no image yet. Choose a folder, files or a zip.", "no-files")
        return start(current, READ, Upload.Status.READING, actor=actor, request_key=request_key, send=send)


def request_naming(
    *,
    upload: Upload,
    pattern: str,
    defaults: Mapping[str, str],
    actor: User | None,
    request_key: UUID | None = None,
    send: bool = True,
) -> Job:
    """Request a reading of all names anew; the same idempotency key returns the first job.

    Without a pattern one is chosen. `defaults`, keyed as DEFAULTS, are for all files.
    Raises PatternRefused, UploadRefused.
    """
    names = {"pattern": parse_pattern(pattern).text if pattern.strip() else "", "defaults": checked(defaults)}
    with write_transaction():
        if (earlier := _earlier(upload, READ, actor, request_key)) is not None:
            return earlier
        current = hold(upload, [Upload.Status.READY])
        old = {"pattern": current.pattern, "defaults": current.choices.get("defaults", {})}
        choices = {**current.choices, "defaults": names["defaults"]}
        Upload.objects.filter(pk=upload.pk).update(pattern=names["pattern"], choices=choices)
        data = {"upload": str(upload.public_id), "old": old, "new": names}
        Event.objects.create(project=current.project, actor=actor, verb="upload_pattern_set", data=data)
        return start(current, READ, Upload.Status.READING, actor=actor, request_key=request_key, send=send)


def request_storing(
    *,
    upload: Upload,
    actor: User | None,
    sure: bool = False,
    request_key: UUID | None = None,
    send: bool = True,
) -> Job:
    """Request a job that stores ready files; the same key returns the first job.

    `sure`: the lead has confirmed a number of generators that is unlikely. Raises UploadRefused.
    """
    with write_transaction():
        if (earlier := _earlier(upload, STORE, actor, request_key)) is not None:
            return earlier
        current = hold(upload, [Upload.Status.READY])
        if not current.files.filter(state=State.READY).exists():
            raise UploadRefused("No file is ready. Say how the names are read first.", "nothing-ready")
        if not sure and (doubt := doubt_of(current)):
            raise UploadRefused(f"{doubt} Confirm that, or give one generator for all files.", "doubtful")
        return start(current, STORE, Upload.Status.STORING, actor=actor, request_key=request_key, send=send)


def doubt_of(upload: Upload) -> str:
    """Return why the generators of the ready files are unlikely; empty if they are not."""
    ready = upload.files.filter(state=State.READY)
    count = ready.aggregate(images=Count("pk"), generators=Count("generator", distinct=True))
    images, generators = count["images"], count["generators"]
    if 1 < images == generators:
        return f"The names give as many generators as images: {images:,}."
    if generators > MOST_GENERATORS:
        return f"The names give {generators:,} generators."
    return ""


def checked(defaults: Mapping[str, str]) -> dict[str, Any]:
    """Return texts for all files, without surplus spaces and without empty ones. Raises UploadRefused."""
    plain = {name: " ".join(storable(defaults.get(name, "")).split()) for name in DEFAULTS}
    for name, text in plain.items():
        what = f"The {name} for all files"
        if turns_text_round(text):
            raise UploadRefused(f"{what}: {TURNED}", f"{name}-turned")
        if len(text) > DEFAULTS[name]:
            raise UploadRefused(f"{what}: enter at most {DEFAULTS[name]} characters.", f"{name}-long")
        if text and not normal_form(text):
            raise UploadRefused(f"{what}: enter at least one letter or digit.", f"{name}-no-letter")
    return {name: text for name, text in plain.items() if text}


def _earlier(upload: Upload, kind: str, actor: User | None, request_key: UUID | None) -> Job | None:
    return earlier_job(upload.project_id, kind, actor, request_key, {"upload": upload.pk})
