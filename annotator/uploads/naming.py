"""Read the names of files, unify their spelling, and set the state of every file.

All steps can be repeated: a row's state follows from the other rows and the project's images. What a
manifest says about a file overrides its name; it is kept with the manifest's free columns in
`UploadedFile.attributes`, under the empty heading, which no column has.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from django.db.models import QuerySet

from annotator.database.slices import slices
from annotator.database.transactions import write_transaction
from annotator.exchange.formats.names import LONGEST_GROUP, normal_form
from annotator.exchange.formats.sheet import LONGEST_GENERATOR
from annotator.models import Image, Project, Upload, UploadedFile
from annotator.uploads.path_patterns import (
    Named,
    Pattern,
    chosen_layout,
    holds_stamp,
    misfit,
    parse_pattern,
    read_name,
    suggested_layout,
)
from annotator.uploads.status import save_rows
from scoring.prompts import LONGEST_PROMPT, prompt_key

CHUNK: Final = 500
HAS_MANIFEST: Final = "has_manifest"
"""The choice of an upload that says that a manifest of it was read."""
SPELLING: Final = "spelling"
"""The choice of an upload with generators and prompts as its annotation file spells them, in pairs."""
State: Final = UploadedFile.State

# Decoded, and not stored yet.
_OPEN: Final = (State.READY, State.UNCLEAR, State.DUPLICATE)
_LONGEST_PROBLEM: Final = 400
_MOST_RIVALS: Final = 50
_LONGEST_SHOWN: Final = 120
_SAID: Final = ""
_RENUMBER: Final = "change the pattern, or number the files in a manifest."
_GIVE: Final = "give one for all files, change the pattern, or add a manifest."
_UNNAMED: Final = "No usable row of the manifest names {file}: correct the manifest."
_TEXTS: Final = ("generator", "prompt", "prompt_group")
_NAMES: Final = (*_TEXTS, "number", "problem", "state")


def placed(upload: Upload) -> QuerySet[UploadedFile]:
    """Return the decoded files of an upload that are not stored."""
    return UploadedFile.objects.filter(upload=upload, state__in=_OPEN, width__isnull=False)


def said_of(file: UploadedFile) -> dict[str, Any]:
    """Return what a manifest says about a file, by field."""
    return dict(file.attributes.get(_SAID, {}))


def columns_of(file: UploadedFile) -> dict[str, Any]:
    """Return the free columns of a file's manifest row, which become attributes of its image."""
    return {heading: value for heading, value in file.attributes.items() if heading != _SAID}


def say(file: UploadedFile, fields: Mapping[str, Any], columns: Mapping[str, str]) -> None:
    """Set what a manifest says on the row, without saving."""
    file.attributes = {**columns_of(file), **columns, _SAID: {**said_of(file), **fields}}


def shown(name: str) -> str:
    """Quote a name for messages; of a long name, the distinctive end."""
    return f"“{name if len(name) <= _LONGEST_SHOWN else '…' + name[-_LONGEST_SHOWN:]}”"


def problem(text: str) -> str:
    """Return the text, cut to the length of the column."""
    return text if len(text) <= _LONGEST_PROBLEM else text[: _LONGEST_PROBLEM - 1] + "…"


class Namer:
    """Read names by an upload's pattern, in the project's spelling."""

    def __init__(self, upload: Upload) -> None:
        self.project = upload.project
        self._pattern: Pattern | None = parse_pattern(upload.pattern) if upload.pattern else None
        self._given = upload.choices.get("defaults", {})
        self._has_manifest = HAS_MANIFEST in upload.choices
        self._generators: dict[str, str] = {}
        self._prompts: dict[str, str] = {}
        self._groups: dict[str, str] = {}
        images = upload.project.images.order_by()
        for generator, prompt, group in images.values_list("generator", "prompt", "prompt_group").distinct():
            self._in_first_spelling(generator, prompt)
            if group:
                self._groups[normal_form(prompt)] = group
        for generator, prompt in upload.choices.get(SPELLING, ()):
            self._in_first_spelling(generator, prompt)

    def name(self, file: UploadedFile) -> tuple[Named, str]:
        """Return the data read from a file's name, and its problem, empty if none."""
        said = said_of(file)
        if self._has_manifest and not said:
            # What folders are called must not stand in for a row that is missing or misspelt.
            return Named(), _UNNAMED.format(file=shown(file.name))
        read = read_name(self._pattern, file.name) if self._pattern else Named()
        firm = {**self._given, **said}
        texts: dict[str, str] = {name: firm.get(name) or getattr(read, name, "") or "" for name in _TEXTS}
        generator, prompt = self._in_first_spelling(texts["generator"], texts["prompt"])
        group = texts["prompt_group"] or self._groups.get(normal_form(prompt), "")
        number = firm.get("number", read.number if read else None)
        named = Named(generator, prompt, group, number)
        if read is None and self._pattern and not (firm.get("generator") and firm.get("prompt")):
            return named, misfit(self._pattern, file.name)
        return named, _fault(file, named, firm)

    def _in_first_spelling(self, generator: str, prompt: str) -> tuple[str, str]:
        """Return the names as the first name of their normal form was spelt, which they may be themselves."""
        return (
            self._generators.setdefault(normal_form(generator), generator),
            self._prompts.setdefault(normal_form(prompt), prompt),
        )


def choose_pattern(upload: Upload) -> None:
    """Choose how names are read if the lead has not; keep what the page may suggest if nothing is chosen."""
    if upload.pattern:
        return
    names = list(placed(upload).order_by("pk").values_list("name", flat=True))
    given = [field for field, text in upload.choices.get("defaults", {}).items() if text]
    chosen = chosen_layout(names, given)
    with write_transaction():
        current = Upload.objects.select_for_update().get(pk=upload.pk)
        upload.pattern = current.pattern or chosen
        upload.choices = {**current.choices, "suggestion": suggested_layout(names)}
        Upload.objects.filter(pk=upload.pk).update(choices=upload.choices, pattern=upload.pattern)


def name_files(upload: Upload, step: Callable[[int, int], None]) -> None:
    """Read the names of all open files, and set their states from all others and the project."""
    namer, files = Namer(upload), list(placed(upload).order_by("pk"))
    before = {file.pk: _facts(file) for file in files}
    for done, file in enumerate(files):
        if done % CHUNK == 0:
            step(done, 2 * len(files))
        rename(file, namer)
    _settle(upload.project, files)
    changed = [file for file in files if _facts(file) != before[file.pk]]
    for done, chunk in enumerate(slices(changed, CHUNK)):
        step(len(files) + done * CHUNK, 2 * len(files))
        with write_transaction():
            rows = (
                placed(upload).filter(pk__in=[file.pk for file in chunk]).select_for_update().order_by("pk")
            )
            held = set(rows.values_list("pk", flat=True))
            save_rows([file for file in chunk if file.pk in held], _NAMES)


def _facts(file: UploadedFile) -> list[Any]:
    return [getattr(file, column) for column in _NAMES]


def rename(file: UploadedFile, namer: Namer) -> None:
    """Set a row's data from its name, without saving. An unclear row has no place."""
    named, fault = namer.name(file)
    file.generator = named.generator if len(named.generator) <= LONGEST_GENERATOR else ""
    file.prompt = named.prompt if len(named.prompt) <= LONGEST_PROMPT else ""
    file.prompt_group = named.prompt_group if len(named.prompt_group) <= LONGEST_GROUP else ""
    file.number = named.number
    if fault and file.generator and file.prompt:
        file.generator = ""
    file.state = State.UNCLEAR if fault else State.READY
    file.problem = problem(fault)


def _settle(project: Project, files: Sequence[UploadedFile]) -> None:
    """Set the states of named files: first by equal pixels, then, for the rest, by equal place."""
    stored = _Stored(project)
    first: dict[str, UploadedFile] = {}
    # Of several copies, keep the first with a readable name.
    for file in sorted(files, key=lambda file: not (file.generator and file.prompt)):
        first.setdefault(file.pixels, file)
    wanting: dict[_Place, list[UploadedFile]] = defaultdict(list)
    for file in files:
        if words := stored.same_as(file) or _copy_of(first[file.pixels], file):
            file.state, file.problem = State.DUPLICATE, problem(words)
        elif file.number is not None and file.generator and file.prompt:
            wanting[_place(file)].append(file)
    for place, rivals in wanting.items():
        for file in rivals:
            words = stored.in_place(place, file) or _contested(file, rivals)
            file.state, file.problem = State.UNCLEAR if words else State.READY, problem(words)


_Place = tuple[str, str, int | None]


def _place(image: UploadedFile | Image) -> _Place:
    return image.generator, prompt_key(image.prompt), image.number


class _Stored:
    """The images of a project by content and by place."""

    def __init__(self, project: Project) -> None:
        self._contents: dict[str, Image] = {}
        self._pixels: dict[str, Image] = {}
        self._places: dict[_Place, Image] = {}
        fields = ("sha256", "pixels", "generator", "prompt", "number", "source_name")
        for image in Image.objects.filter(project=project).order_by("pk").only(*fields).iterator():
            self._contents[image.sha256] = image
            self._pixels.setdefault(image.pixels, image)
            if image.number is not None:
                self._places[_place(image)] = image

    def same_as(self, file: UploadedFile) -> str:
        """Return which image has the content of a file; empty if none has."""
        image = self._contents.get(file.sha256) or self._pixels.get(file.pixels)
        if image is None:
            return ""
        same = "image is" if image.sha256 == file.sha256 else "picture, with other metadata, is"
        return f"The same {same} already in the project as {_described(image)}."

    def in_place(self, place: _Place, file: UploadedFile) -> str:
        """Return which image has the number of a file; empty if none has."""
        image = self._places.get(place)
        if image is None:
            return ""
        there = _described(image)
        return f"{shown(file.name)} has the number of another image in the project, {there}: {_RENUMBER}"


def _copy_of(first: UploadedFile, file: UploadedFile) -> str:
    """Return that a file is a copy of the first one; empty if it is that one."""
    if first is file:
        return ""
    same = "image as" if first.sha256 == file.sha256 else "picture, with other metadata, as"
    return f"The same {same} {shown(first.name)}; only that one is stored."


def _contested(file: UploadedFile, rivals: Sequence[UploadedFile]) -> str:
    """Return why a file cannot have a shared place; empty if only its number was said by a manifest."""
    others = [other for other in rivals[:_MOST_RIVALS] if other is not file]
    firm = [other for other in others if "number" in said_of(other)]
    if not others or ("number" in said_of(file) and not firm):
        return ""
    more = f" and {len(others) - 1} more" if len(others) > 1 else ""
    place = f"{file.generator} · {file.prompt} · {file.number}"
    other = shown((firm or others)[0].name)
    return f"{shown(file.name)} and {other}{more} share the number {place}: {_RENUMBER}"


def _fault(file: UploadedFile, named: Named, firm: Mapping[str, Any]) -> str:
    for what, text, longest in (
        ("generator", named.generator, LONGEST_GENERATOR),
        ("prompt", named.prompt, LONGEST_PROMPT),
        ("prompt_group", named.prompt_group, LONGEST_GROUP),
    ):
        if not normal_form(text) and what != "prompt_group":
            return f"The {what} of {shown(file.name)} is missing: {_GIVE}"
        if len(text) > longest:
            return f"The {what} of {shown(file.name)} is longer than {longest} characters: {_GIVE}"
        if what not in firm and holds_stamp(text):
            return f"The {what} of {shown(file.name)} holds a UUID, a date or a time: {_GIVE}"
    return ""


def _described(image: Image) -> str:
    return f"{image} ({shown(image.source_name)})" if image.source_name else str(image)
