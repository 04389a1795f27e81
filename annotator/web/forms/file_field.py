"""The field of a single file, for every form that takes one."""

from __future__ import annotations

from typing import Any

from django import forms
from django.core.files.uploadedfile import UploadedFile as SentFile


def file_field(missing: str, empty: str) -> forms.FileField:
    """Return a field for one file; `missing` and `empty` tell the user what to do."""
    too_long = "The file name is longer than 200 characters. Shorten it."
    errors = {"required": missing, "empty": empty, "max_length": too_long}
    return forms.FileField(max_length=200, error_messages=errors)


def within(file: SentFile[Any], most_bytes: int, advice: str) -> SentFile[Any]:
    """Return a file; raise ValidationError, ending with `advice`, if it has more than `most_bytes`."""
    if file.size is not None and file.size > most_bytes:
        limit = most_bytes // (1024 * 1024)
        raise forms.ValidationError(f"The file is larger than {limit} MB{advice}", "too_large")
    return file
