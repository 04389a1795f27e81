"""Edits of an upload: the name pattern, and the data of single files or folders."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import EllipsisType
from typing import Any, Final
from uuid import UUID

from django.db.models import Q, QuerySet

from annotator.database.transactions import write_transaction
from annotator.exchange.formats.manifest import LONGEST_GROUP
from annotator.exchange.formats.names import LARGEST_NUMBER, normal_form, storable
from annotator.exchange.formats.sheet import LONGEST_GENERATOR
from annotator.inputs.plain_text import TURNED, turns_text_round
from annotator.models import Event, Job, Upload, UploadedFile, User
from annotator.uploads.bulk_saving import save_rows
from annotator.uploads.names.explicit import Who, say
from annotator.uploads.names.file_states import Namer, placed, rename, settle
from annotator.uploads.names.naming import Named, PatternRefused, parse_pattern
from annotator.uploads.refusals import UploadRefused
from annotator.uploads.status import APPLY_PATTERN, hold, start
from scoring.prompts import LONGEST_PROMPT

MOST_AT_ONCE: Final = 5_000
"""Files of a folder edited in one request."""

_LONGEST: Final = {"generator": LONGEST_GENERATOR, "prompt": LONGEST_PROMPT, "prompt_group": LONGEST_GROUP}


class EditRefused(UploadRefused):
    """An edit is refused; `field` is the one at fault."""

    def __init__(self, field: str, words: str, code: str = "") -> None:
        super().__init__(words, code)
        self.field = field


@dataclass(frozen=True)
class Preview:
    """A pattern applied to a file; `problem` is the reason it does not match, ignoring other files."""

    file: UploadedFile
    named: Named
    problem: str


def preview_names(
    upload: Upload, pattern: str, files: Iterable[UploadedFile], defaults: Mapping[str, str] | None = None
) -> list[Preview]:
    """Apply a pattern to some files, such as those of a page, without storing anything.

    Raises PatternRefused for an invalid pattern.
    """
    tried = Upload(project=upload.project, pattern=pattern, choices=dict(upload.choices))
    if defaults is not None:
        tried.choices["defaults"] = _checked_texts(defaults)
    namer = Namer(tried)
    return [Preview(file, *namer.name(file)) for file in files]


def set_pattern(
    *,
    upload: Upload,
    pattern: str,
    actor: User | None,
    defaults: Mapping[str, str] | None = None,
    request_key: UUID | None = None,
) -> Job:
    """Request a job that reads all names by another pattern; the lead's edits are kept.

    `defaults` are generator, prompt or prompt_group for files whose names lack them. Raises PatternRefused,
    EditRefused, or UploadRefused if the upload is busy.
    """
    plain = parse_pattern(pattern).text if pattern.strip() else ""
    choices = {} if defaults is None else {"defaults": _checked_texts(defaults)}
    with write_transaction():
        current = hold(upload, [Upload.Status.READY])
        old = {"pattern": current.pattern, "defaults": current.choices.get("defaults", {})}
        choices = {**current.choices, **choices}
        Upload.objects.filter(pk=upload.pk).update(pattern=plain, choices=choices)
        new = {"pattern": plain, "defaults": choices.get("defaults", {})}
        data = {"upload": str(upload.public_id), "old": old, "new": new}
        Event.objects.create(project=current.project, actor=actor, verb="upload_pattern_set", data=data)
        return start(current, APPLY_PATTERN, Upload.Status.READING, actor=actor, request_key=request_key)


def edit_file(
    *,
    file: UploadedFile,
    actor: User | None,
    generator: str | None = None,
    prompt: str | None = None,
    prompt_group: str | None = None,
    number: int | EllipsisType | None = ...,
) -> UploadedFile:
    """Edit the data of one file; None, or ... for the number, leaves a field unchanged.

    Updates the states of this file and of those it affects. Raises EditRefused, or UploadRefused if the file
    or its upload cannot be changed.
    """
    fields: dict[str, Any] = {"generator": generator, "prompt": prompt, "prompt_group": prompt_group}
    said = _checked_texts({name: text for name, text in fields.items() if text is not None})
    if number is not ...:
        said["number"] = _checked_number(number)
    _edit(file.upload, placed(file.upload).filter(pk=file.pk), said, actor, {"file": file.name})
    file.refresh_from_db()
    return file


def edit_folder(
    *,
    upload: Upload,
    folder: str,
    actor: User | None,
    generator: str | None = None,
    prompt: str | None = None,
    prompt_group: str | None = None,
) -> int:
    """Edit all files below a folder of the upload, except numbers; return how many.

    `folder` is a path as in the names, "" for all. Raises EditRefused, UploadRefused.
    """
    fields = {"generator": generator, "prompt": prompt, "prompt_group": prompt_group}
    said = _checked_texts({name: text for name, text in fields.items() if text is not None})
    start = folder.strip("/")
    files = placed(upload).filter(name__startswith=f"{start}/") if start else placed(upload)
    return _edit(upload, files, said, actor, {"folder": start})


def _edit(
    upload: Upload,
    files: QuerySet[UploadedFile],
    said: Mapping[str, Any],
    actor: User | None,
    what: Mapping[str, str],
) -> int:
    with write_transaction():
        current = hold(upload, [Upload.Status.READY])
        rows = list(files.select_for_update().order_by("pk")[: MOST_AT_ONCE + 1])
        if not rows:
            raise UploadRefused(
                "No file can be edited: stored and rejected files cannot be changed.", "stored"
            )
        if len(rows) > MOST_AT_ONCE:
            raise UploadRefused(f"The folder has more than {MOST_AT_ONCE:,} files. Apply a pattern instead.")
        if not said:
            return 0
        touched = _touched_by(rows)
        old = {name: getattr(rows[0], name) for name in said}
        namer = Namer(current, placed(current).exclude(pk__in=files.values("pk")))
        for file in rows:
            say(file, Who.LEAD, said, {})
            rename(file, namer)
        save_rows(rows, _SAVED)
        touched |= _touched_by(rows)
        settle(current, placed(current).filter(_any_of(touched)), namer)
        data = {"upload": str(upload.public_id), **what, "files": len(rows), "old": old, "new": dict(said)}
        Event.objects.create(project=current.project, actor=actor, verb="upload_edited", data=data)
    return len(rows)


_SAVED: Final = ["attributes", "generator", "prompt", "prompt_group", "number", "state", "problem"]
_Touched = set[tuple[str, str, str]]


def _touched_by(rows: Iterable[UploadedFile]) -> _Touched:
    """Return the contents, and the generators with prompts, of some files."""
    return {(file.sha256, file.generator, file.prompt) for file in rows}


def _any_of(touched: _Touched) -> Q:
    contents = Q(sha256__in={content for content, _, _ in touched})
    generators = {generator for _, generator, _ in touched if generator}
    prompts = {prompt for _, _, prompt in touched if prompt}
    return contents | Q(generator__in=generators, prompt__in=prompts)


def _checked_texts(fields: Mapping[str, str]) -> dict[str, Any]:
    checked: dict[str, Any] = {}
    for name, text in fields.items():
        if name not in _LONGEST:
            raise EditRefused(name, f"There is no field “{name}”.")
        plain = " ".join(storable(text).split())
        if turns_text_round(plain):
            raise EditRefused(name, TURNED)
        if len(plain) > _LONGEST[name]:
            raise EditRefused(name, f"Enter at most {_LONGEST[name]} characters.", "max_length")
        if plain and not normal_form(plain):
            raise EditRefused(name, "Enter at least one letter or digit.", "no-letter")
        checked[name] = plain
    return checked


def _checked_number(number: int | None) -> int | None:
    if number is not None and not 0 <= number <= LARGEST_NUMBER:
        raise EditRefused("number", f"Enter a whole number from 0 to {LARGEST_NUMBER:,}.")
    return number


__all__ = [
    "EditRefused",
    "PatternRefused",
    "Preview",
    "edit_file",
    "edit_folder",
    "preview_names",
    "set_pattern",
]
