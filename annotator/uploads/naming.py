"""Read the names of files, unify their spelling, and set the state of every file.

All steps can be repeated: a row's state follows from the other rows and the project's images. Rows are
processed in chunks, so memory grows only with the number of different prompts. What a manifest says about a
file overrides its name; it is kept with the manifest's free columns in `UploadedFile.attributes`, under the
empty heading, which no column has.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from pathlib import PurePosixPath
from typing import Any, Final

from django.db.models import Case, Exists, OuterRef, Q, QuerySet, Subquery, Value, When
from django.db.models.functions import Coalesce

from annotator.database.transactions import write_transaction
from annotator.exchange.formats.manifest import LONGEST_GROUP
from annotator.exchange.formats.names import normal_form
from annotator.exchange.formats.published import MISNUMBERED, PROMPT_GROUPS
from annotator.exchange.formats.sheet import LONGEST_GENERATOR
from annotator.models import Image, Project, Upload, UploadedFile
from annotator.uploads.bulk_saving import save_rows
from annotator.uploads.layouts import chosen_layout, holds_stamp, suggested_layout
from annotator.uploads.patterns import Named, Pattern, misfit, parse_pattern, read_name
from scoring.prompts import LONGEST_PROMPT, prompt_key

CHUNK: Final = 500
HAS_MANIFEST: Final = "has_manifest"
"""The choice of an upload that says that a manifest of it was read."""
SPELLING: Final = "spelling"
"""The choice of an upload with generators and prompts as its annotation file spells them, in pairs."""
State: Final = UploadedFile.State

# Decoded, and not stored yet.
_OPEN: Final = (State.READY, State.UNCLEAR, State.DUPLICATE)
_MOST_RIVALS: Final = 50
_LONGEST_PROBLEM: Final = 400
_LONGEST_SHOWN: Final = 120
_SAID: Final = ""
_RENUMBER: Final = "change the pattern, or number the files in a manifest."
_GIVE: Final = "give one for all files, change the pattern, or add a manifest."
_UNNAMED: Final = "No row of the manifest names {file}: correct the manifest."
_NAMES: Final = ("generator", "prompt", "prompt_group", "number", "problem")


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


class Spelling:
    """The spelling of names: the first one added for a normal form."""

    def __init__(self) -> None:
        self._generators: dict[str, str] = {}
        self._prompts: dict[str, str] = {}

    def add(self, generator: str, prompt: str) -> None:
        """Add these spellings unless their normal forms have one."""
        if generator:
            self._generators.setdefault(normal_form(generator), generator)
        if prompt:
            self._prompts.setdefault(normal_form(prompt), prompt)

    def generator(self, name: str) -> str:
        """Return the spelling of a generator."""
        return self._generators.get(normal_form(name), name)

    def prompt(self, name: str) -> str:
        """Return the spelling of a prompt."""
        return self._prompts.get(normal_form(name), name)


class Namer:
    """Read names by an upload's pattern, in the project's spelling."""

    def __init__(self, upload: Upload) -> None:
        self.project = upload.project
        self._pattern: Pattern | None = parse_pattern(upload.pattern) if upload.pattern else None
        self._given = upload.choices.get("defaults", {})
        self._has_manifest = HAS_MANIFEST in upload.choices
        self._spelling, self._groups = Spelling(), dict(PROMPT_GROUPS)
        for generator, prompt, group in _names_in(upload.project):
            self._spelling.add(generator, prompt)
            if group:
                self._groups[normal_form(prompt)] = group
        for generator, prompt in upload.choices.get(SPELLING, ()):
            self._spelling.add(generator, prompt)

    def name(self, file: UploadedFile) -> tuple[Named, str]:
        """Return the data read from a file's name, and its problem, empty if none."""
        said = said_of(file)
        if self._has_manifest and not said:
            # What folders are called must not stand in for a row that is missing or misspelt.
            return Named(), _UNNAMED.format(file=shown(file.name))
        read = read_name(self._pattern, file.name) if self._pattern else Named()
        if read is not None and (number := MISNUMBERED.get(PurePosixPath(file.name).stem)):
            read = replace(read, number=number)
        firm = {**self._given, **said}
        named = self._spelt(_overlaid(read or Named(), firm))
        if read is None and self._pattern and not (firm.get("generator") and firm.get("prompt")):
            return named, misfit(self._pattern, file.name)
        return named, _fault(file, named, firm)

    def _spelt(self, named: Named) -> Named:
        """Return the data in the first spelling, with the known group of the prompt."""
        self._spelling.add(named.generator, named.prompt)
        prompt = self._spelling.prompt(named.prompt)
        group = named.prompt_group or self._groups.get(normal_form(prompt), "")
        return Named(self._spelling.generator(named.generator), prompt, group, named.number)


def _overlaid(read: Named, firm: Mapping[str, Any]) -> Named:
    """Return the data read, overridden by what the lead or a manifest says."""
    texts = {name: firm.get(name) or getattr(read, name) for name in ("generator", "prompt", "prompt_group")}
    return Named(**texts, number=firm.get("number", read.number))


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
    """Read the names of all open files, then update all states."""
    namer = Namer(upload)
    total = placed(upload).count()
    for done, pks in enumerate(_chunks(placed(upload))):
        step(min(total, done * CHUNK), 3 * total)
        with write_transaction():
            rows = placed(upload).filter(pk__in=pks).select_for_update().order_by("pk")
            _save_changed(rows, lambda file: rename(file, namer), [*_NAMES, "state"])
    settle(upload, placed(upload), namer, lambda done: step(total + min(2 * total, done), 3 * total))


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


def settle(
    upload: Upload,
    files: QuerySet[UploadedFile],
    namer: Namer,
    step: Callable[[int], None] | None = None,
) -> None:
    """Update the states of files whose names are read, from all others and the project.

    First by equal pixels, then, for the rest, by equal place.
    """
    done = 0
    for rows_of, decide in (
        (_with_twins, partial(_by_content, namer)),
        (_with_rivals, partial(_by_place, upload)),
    ):
        for pks in _chunks(files):
            if step is not None:
                step(done)
            done += len(pks)
            with write_transaction():
                rows = rows_of(upload, placed(upload).filter(pk__in=pks))
                locked = rows.select_for_update(of=("self",)).order_by("pk")
                _save_changed(locked, decide, [*_NAMES, "state"])


def _save_changed(
    rows: QuerySet[UploadedFile], change: Callable[[UploadedFile], None], columns: list[str]
) -> None:
    changed = []
    for file in rows:
        before = [getattr(file, column) for column in columns]
        change(file)
        if before != [getattr(file, column) for column in columns]:
            changed.append(file)
    save_rows(changed, columns)


def _with_twins(upload: Upload, rows: QuerySet[UploadedFile]) -> QuerySet[UploadedFile]:
    """Annotate rows with the project's image of the same pixels, and the upload's first such file."""
    images = Image.everything.filter(project=upload.project)
    there = Coalesce(
        Subquery(images.filter(sha256=OuterRef("sha256")).values("pk")[:1]),
        Subquery(images.filter(pixels=OuterRef("pixels")).order_by("pk").values("pk")[:1]),
    )
    same = placed(upload).filter(pixels=OuterRef("pixels"))
    # Of several copies, keep the first with a readable name.
    nameless = Case(When(Q(generator="") | Q(prompt=""), then=Value(1)), default=Value(0))
    first = same.annotate(nameless=nameless).order_by("nameless", "pk")
    return rows.annotate(image_pk=there, first_pk=Subquery(first.values("pk")[:1]))


def _by_content(namer: Namer, file: UploadedFile) -> None:
    image_pk, first_pk = vars(file)["image_pk"], vars(file)["first_pk"]
    if image_pk is not None:
        image = Image.everything.get(pk=image_pk)
        same = "image is" if image.sha256 == file.sha256 else "picture, with other metadata, is"
        file.state = State.DUPLICATE
        file.problem = problem(f"The same {same} already in the project as {_described(image)}.")
    elif first_pk != file.pk:
        other = UploadedFile.objects.get(pk=first_pk)
        file.state = State.DUPLICATE
        same = "image as" if other.sha256 == file.sha256 else "picture, with other metadata, as"
        file.problem = problem(f"The same {same} {shown(other.name)}; only that one is stored.")
    elif file.state == State.DUPLICATE:
        rename(file, namer)


def _with_rivals(upload: Upload, rows: QuerySet[UploadedFile]) -> QuerySet[UploadedFile]:
    """Return rows with a place, annotated with the project's image in it and whether other files share it."""
    place = {name: OuterRef(name) for name in ("generator", "prompt__key", "number")}
    taken = Image.everything.filter(project=upload.project, **place).exclude(sha256=OuterRef("sha256"))
    others = _wanting(upload, **place).exclude(pk=OuterRef("pk"))
    named = rows.filter(number__isnull=False, generator__gt="", prompt__gt="").exclude(state=State.DUPLICATE)
    return named.annotate(image_pk=Subquery(taken.values("pk")[:1]), has_rival=Exists(others))


def _by_place(upload: Upload, file: UploadedFile) -> None:
    words = ""
    if vars(file)["image_pk"] is not None:
        there = _described(Image.everything.get(pk=vars(file)["image_pk"]))
        words = f"{shown(file.name)} has the number of another image in the project, {there}: {_RENUMBER}"
    elif vars(file)["has_rival"]:
        words = _contested(upload, file)
    file.state = State.UNCLEAR if words else State.READY
    file.problem = problem(words)


def _contested(upload: Upload, file: UploadedFile) -> str:
    """Return why a file cannot have a shared place; empty if only its number was said by a manifest."""
    wanting = _wanting(
        upload, generator=file.generator, prompt__key=prompt_key(file.prompt), number=file.number
    )
    others = list(wanting.exclude(pk=file.pk).order_by("pk")[:_MOST_RIVALS])
    firm = [other for other in others if "number" in said_of(other)]
    if "number" in said_of(file) and not firm:
        return ""
    named = shown((firm or others)[0].name) if others else "another file"
    more = f" and {len(others) - 1} more" if len(others) > 1 else ""
    place = f"{file.generator} · {file.prompt} · {file.number}"
    return f"{shown(file.name)} and {named}{more} share the number {place}: {_RENUMBER}"


def _wanting(upload: Upload, **place: Any) -> QuerySet[UploadedFile]:
    """Return the files with this place, without copies."""
    wanting = (State.READY, State.UNCLEAR)
    return UploadedFile.objects.filter(upload=upload, state__in=wanting, width__isnull=False, **place)


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


def _chunks(files: QuerySet[UploadedFile]) -> Iterator[list[int]]:
    """Yield the ids of files in chunks, even while their states change."""
    last = 0
    while pks := list(files.filter(pk__gt=last).order_by("pk").values_list("pk", flat=True)[:CHUNK]):
        yield pks
        last = pks[-1]


def _names_in(project: Project) -> Iterator[tuple[str, str, str]]:
    rows = Image.objects.filter(project=project).order_by()
    yield from rows.values_list("generator", "prompt", "prompt_group").distinct()
