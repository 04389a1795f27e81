"""What somebody said about a file, which no pattern overrules: a manifest's row, or the lead's own edit.

It is kept beside the free columns of a manifest, in `UploadedFile.attributes`, under the one heading that no
column has.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from django.db.models import TextChoices

from annotator.models import UploadedFile
from annotator.uploads.names.naming import Named

_SAID: Final = ""
LONGEST_PROBLEM: Final = 400
_LONGEST_SHOWN: Final = 120


class Who(TextChoices):
    """Whose word counts more: the lead's last edit before the manifest."""

    MANIFEST = "manifest", "Manifest"
    LEAD = "lead", "Edited"


def said_of(file: UploadedFile) -> dict[str, Any]:
    """The fields that were said of a file, by their names; `by` says who."""
    return dict(file.attributes.get(_SAID, {}))


def columns_of(file: UploadedFile) -> dict[str, Any]:
    """The free columns of a file's row in the manifest: what its image gets as attributes."""
    return {heading: value for heading, value in file.attributes.items() if heading != _SAID}


def say(file: UploadedFile, who: Who, fields: Mapping[str, Any], columns: Mapping[str, str]) -> None:
    """Note on the row, which is not saved, what somebody says; the manifest does not overrule the lead."""
    said = said_of(file)
    if who == Who.MANIFEST and said.get("by") == Who.LEAD:
        fields = {**fields, **{name: value for name, value in said.items() if name != "by"}}
        who = Who.LEAD
    merged = {**said, **fields, "by": str(who)}
    file.attributes = {**columns_of(file), **columns, _SAID: merged}


def overlaid(named: Named, said: Mapping[str, Any], defaults: Mapping[str, Any]) -> Named:
    """What was read, with what was said in its place, and the defaults where both are silent."""
    values: dict[str, Any] = {}
    for name in ("generator", "prompt", "prompt_group"):
        values[name] = said.get(name) or getattr(named, name) or str(defaults.get(name, ""))
    return Named(**values, number=said.get("number", named.number))


def shown(name: str) -> str:
    """A name as messages quote it: the end of a long one, which tells files apart."""
    return f"“{name if len(name) <= _LONGEST_SHOWN else '…' + name[-_LONGEST_SHOWN:]}”"


def problem(words: Iterable[str] | str) -> str:
    """The words, cut to what a row can hold."""
    text = words if isinstance(words, str) else " ".join(words)
    return text if len(text) <= LONGEST_PROBLEM else text[: LONGEST_PROBLEM - 1] + "…"
