"""Explicit data of a file, from a manifest or a lead's edit, which overrides the pattern.

It is stored with the free columns of a manifest, in `UploadedFile.attributes`, under the empty heading, which
no column has.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from django.db.models import TextChoices

from annotator.models import UploadedFile
from annotator.uploads.names.naming import Named

_SAID: Final = ""
HAS_MANIFEST: Final = "has_manifest"
"""The choice of an upload that says that a manifest of it was read."""
LONGEST_PROBLEM: Final = 400
_LONGEST_SHOWN: Final = 120


class Who(TextChoices):
    """The source of the data; a lead's edit overrides the manifest."""

    MANIFEST = "manifest", "Manifest"
    LEAD = "lead", "Edited"


def said_of(file: UploadedFile) -> dict[str, Any]:
    """Return the explicit fields of a file by name; `by` is the source."""
    return dict(file.attributes.get(_SAID, {}))


def columns_of(file: UploadedFile) -> dict[str, Any]:
    """Return the free columns of a file's manifest row, which become attributes of its image."""
    return {heading: value for heading, value in file.attributes.items() if heading != _SAID}


def say(file: UploadedFile, who: Who, fields: Mapping[str, Any], columns: Mapping[str, str]) -> None:
    """Set explicit data on the row, without saving; the manifest does not override the lead."""
    said = said_of(file)
    if who == Who.MANIFEST and said.get("by") == Who.LEAD:
        fields = {**fields, **{name: value for name, value in said.items() if name != "by"}}
        who = Who.LEAD
    merged = {**said, **fields, "by": str(who)}
    file.attributes = {**columns_of(file), **columns, _SAID: merged}


def overlaid(named: Named, said: Mapping[str, Any], defaults: Mapping[str, Any]) -> Named:
    """Return the data read, overridden by explicit data, with defaults for missing values."""
    values: dict[str, Any] = {}
    for name in ("generator", "prompt", "prompt_group"):
        values[name] = said.get(name) or getattr(named, name) or str(defaults.get(name, ""))
    return Named(**values, number=said.get("number", named.number))


def shown(name: str) -> str:
    """Quote a name for messages; of a long name, the distinctive end."""
    return f"“{name if len(name) <= _LONGEST_SHOWN else '…' + name[-_LONGEST_SHOWN:]}”"


def problem(words: Iterable[str] | str) -> str:
    """Return the text, cut to the length of the column."""
    text = words if isinstance(words, str) else " ".join(words)
    return text if len(text) <= LONGEST_PROBLEM else text[: LONGEST_PROBLEM - 1] + "…"
