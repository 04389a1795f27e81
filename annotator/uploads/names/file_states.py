"""Read the names of files, unify their spelling, and set the state of every file.

All steps can be repeated: a row's state follows from the other rows and the project's images. Rows are
processed in chunks, so memory grows only with the number of different prompts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, Final

from django.db.models import Case, Exists, OuterRef, Q, QuerySet, Subquery, Value, When

from annotator.database.transactions import write_transaction
from annotator.exchange.formats.manifest import LONGEST_GROUP
from annotator.exchange.formats.names import normal_form
from annotator.exchange.formats.published import PROMPT_GROUPS
from annotator.exchange.formats.sheet import LONGEST_GENERATOR
from annotator.exchange.matching import Spelling
from annotator.images.display import missing_image
from annotator.models import Image, Project, Upload, UploadedFile
from annotator.uploads.bulk_saving import save_rows
from annotator.uploads.names.explicit import HAS_MANIFEST, overlaid, problem, said_of, shown
from annotator.uploads.names.guessing import COMMON
from annotator.uploads.names.naming import KnownNames, Named, Pattern, misfit, parse_pattern, read_name
from scoring.prompts import LONGEST_PROMPT, prompt_key

CHUNK: Final = 500
State: Final = UploadedFile.State

# Decoded, and not stored yet.
_OPEN: Final = (State.READY, State.UNCLEAR, State.DUPLICATE)
_MOST_RIVALS: Final = 50
_RENUMBER: Final = "change one of the numbers, or change the pattern."
_UNNAMED: Final = "No row of the manifest names {file}: correct the manifest, or fill in this row."
_NAMES: Final = ("generator", "prompt", "prompt_group", "number", "problem")


def placed(upload: Upload) -> QuerySet[UploadedFile]:
    """Return the decoded files of an upload that are not stored."""
    return UploadedFile.objects.filter(upload=upload, state__in=_OPEN).exclude(sha256="")


class Namer:
    """Read names by an upload's pattern, in the project's spelling."""

    def __init__(self, upload: Upload, others: QuerySet[UploadedFile] | None = None) -> None:
        """Learn spellings; `others` are files of the upload whose names are already read."""
        self.project = upload.project
        self._pattern: Pattern | None = parse_pattern(upload.pattern) if upload.pattern else None
        self._defaults = upload.choices.get("defaults", {})
        self._has_manifest = HAS_MANIFEST in upload.choices
        self._spelling, self._groups = Spelling(), dict(PROMPT_GROUPS)
        self._known = self._learn(upload)
        named = others.order_by().values_list("generator", "prompt").distinct() if others is not None else ()
        for generator, prompt in named:
            self._spelling.add(generator, prompt)

    def name(self, file: UploadedFile) -> tuple[Named, str]:
        """Return the data read from a file's name, and its problem, empty if none."""
        said = said_of(file)
        if self._has_manifest and not said:
            # What folders are called must not stand in for a row that is missing or misspelt.
            return Named(), _UNNAMED.format(file=shown(file.name))
        read = read_name(self._pattern, file.name, self._known) if self._pattern else None
        named = self.spelt(overlaid(read or Named(), said, self._defaults))
        if read is None and not (said.get("generator") and said.get("prompt")):
            return named, self._misfit(file)
        return named, _fault(file, named)

    def spelt(self, named: Named) -> Named:
        """Return the data in the first spelling, with the known group of the prompt."""
        self._spelling.add(named.generator, named.prompt)
        prompt = self._spelling.prompt(named.prompt)
        group = named.prompt_group or self._groups.get(normal_form(prompt), "")
        return Named(self._spelling.generator(named.generator), prompt, group, named.number)

    def _learn(self, upload: Upload) -> KnownNames:
        """Learn the spelling of the project, then that of the upload's tables."""
        for generator, prompt, group in _names_in(upload.project):
            self._spelling.add(generator, prompt)
            if group:
                self._groups[normal_form(prompt)] = group
        said = upload.choices.get("spelling", {})
        generators, prompts = said.get("generators", []), said.get("prompts", [])
        for generator in generators:
            self._spelling.add(generator, "")
        for prompt in prompts:
            self._spelling.add("", prompt)
        return KnownNames(
            COMMON.generators | {normal_form(name) for name in generators},
            COMMON.prompts | {normal_form(name) for name in prompts},
        )

    def _misfit(self, file: UploadedFile) -> str:
        if self._pattern is None:
            return f"{shown(file.name)}: no pattern is set. Enter a pattern, or fill in this row."
        return misfit(self._pattern, file.name)


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

    First by equal content, then, for the rest, by equal place.
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
    """Annotate rows with the project's image of the same content, and the upload's first such file."""
    there = Image.everything.filter(project=upload.project, sha256=OuterRef("sha256"))
    same = UploadedFile.objects.filter(upload=upload, sha256=OuterRef("sha256"), state__in=_OPEN)
    # Of several copies, keep the first with a readable name.
    nameless = Case(When(Q(generator="") | Q(prompt=""), then=Value(1)), default=Value(0))
    first = same.annotate(nameless=nameless).order_by("nameless", "pk")
    return rows.annotate(image_pk=Subquery(there.values("pk")[:1]), first_pk=Subquery(first.values("pk")[:1]))


def _by_content(namer: Namer, file: UploadedFile) -> None:
    image_pk, first_pk = vars(file)["image_pk"], vars(file)["first_pk"]
    lost = missing_image(namer.project, file.sha256) if image_pk is not None and first_pk == file.pk else None
    if lost is not None:
        file.generator, file.prompt = lost.generator, lost.prompt
        file.prompt_group, file.number = lost.prompt_group, lost.number
        file.state, file.problem = State.READY, ""
    elif image_pk is not None:
        there = _described(Image.everything.get(pk=image_pk))
        file.state = State.DUPLICATE
        file.problem = problem(f"The same image is already in the project as {there}.")
    elif first_pk != file.pk:
        other = UploadedFile.objects.get(pk=first_pk)
        file.state = State.DUPLICATE
        file.problem = problem(f"The same image as {shown(other.name)}; only that one is stored.")
    elif file.state == State.DUPLICATE:
        rename(file, namer)


def _with_rivals(upload: Upload, rows: QuerySet[UploadedFile]) -> QuerySet[UploadedFile]:
    """Return rows with a place, annotated with the project's image in it and whether other files share it."""
    place = {name: OuterRef(name) for name in ("generator", "prompt__key", "number")}
    # An image keeps its place while its file is missing.
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
    """Return why a file cannot have a shared place; empty if only its number was set explicitly."""
    wanting = _wanting(
        upload, generator=file.generator, prompt__key=prompt_key(file.prompt), number=file.number
    )
    others = list(wanting.exclude(pk=file.pk).order_by("pk")[:_MOST_RIVALS])
    firm = [other for other in others if "number" in said_of(other)]
    if "number" in said_of(file) and not firm:
        return ""
    named = " and ".join([shown(other.name) for other in (firm or others)][:1])
    more = f" and {len(others) - 1} more" if len(others) > 1 else ""
    place = f"{file.generator} · {file.prompt} · {file.number}"
    return f"{shown(file.name)} and {named}{more} share the number {place}: {_RENUMBER}"


def _wanting(upload: Upload, **place: Any) -> QuerySet[UploadedFile]:
    """Return the files with this place, without copies."""
    wanting = (State.READY, State.UNCLEAR)
    return UploadedFile.objects.filter(upload=upload, state__in=wanting, **place).exclude(sha256="")


def _fault(file: UploadedFile, named: Named) -> str:
    for what, text, longest in (
        ("generator", named.generator, LONGEST_GENERATOR),
        ("prompt", named.prompt, LONGEST_PROMPT),
        ("group", named.prompt_group, LONGEST_GROUP),
    ):
        if not normal_form(text) and what != "group":
            return f"The {what} of {shown(file.name)} is missing: change the pattern, or fill in this row."
        if len(text) > longest:
            return f"The {what} of {shown(file.name)} is longer than {longest} characters: shorten it here."
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
