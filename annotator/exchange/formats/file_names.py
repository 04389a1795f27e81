"""Identify the image of a row by its file name, possibly without generator and prompt."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable
from functools import cached_property
from pathlib import PurePosixPath
from typing import Final, NamedTuple

from annotator.exchange.formats.names import (
    file_form,
    file_stem,
    normal_form,
    parted_number,
    without_upload_prefix,
)
from annotator.exchange.formats.report import RowNote
from annotator.exchange.formats.sheet import PICTURE, SheetRow
from annotator.models import Project

_LISTED: Final = 4
_SHOWN: Final = 120
_SAY: Final = "give Model, Prompt and Pic Num. in the task's data"
_SEVERAL: Final = "“{name}” matches {count} images of this project ({listed}): " + _SAY
_ANOTHER: Final = (
    "“{name}” is the file of {found}, which contradicts Model, Prompt, Pic Num.: correct one of them"
)
_UNKNOWN: Final = (
    "“{name}” is neither the file name of an image nor a generator, prompt and number: "
    "import the image, or " + _SAY
)


class KnownImage(NamedTuple):
    """An image of the project."""

    pk: int
    generator: str
    prompt: str
    number: int | None
    source_name: str

    def fits(self, row: SheetRow) -> bool:
        """Return whether the row's other columns are consistent with the image."""
        said = (
            (normal_form(row.generator), normal_form(self.generator)),
            (normal_form(row.prompt), normal_form(self.prompt)),
            (row.number, self.number),
        )
        return all(not theirs or theirs == ours for theirs, ours in said)


class FileNameIndex:
    """The images of a project by their file names and alternative names."""

    def __init__(self, project: Project) -> None:
        columns = project.images.order_by("pk").values_list(
            "pk", "generator", "prompt", "number", "source_name"
        )
        self._images = [KnownImage(*values) for values in columns.iterator()]

    def image_of(self, row: SheetRow) -> KnownImage | RowNote | None:
        """Return the only image that matches the file name; None if none does.

        A RowNote reports several matches, or a contradiction with the row's columns.
        """
        found = self.named(row)
        fitting = [image for image in found if image.fits(row)]
        if len(fitting) == 1:
            return fitting[0]
        if not found:
            return None
        name = row.picture[:_SHOWN]
        if not fitting:
            reason = _ANOTHER.format(name=name, found=_listed(found))
        else:
            reason = _SEVERAL.format(name=name, count=len(fitting), listed=_listed(fitting))
        return RowNote(row.number_in_file, PICTURE, row.image_id, reason)

    def named(self, row: SheetRow) -> list[KnownImage]:
        """Return the images that match the file name by the first rule that finds any.

        Rules: the name itself, the name before an upload to Label Studio, either with another extension, then
        generator, prompt and number joined.
        """
        names = [row.picture, without_upload_prefix(row.picture)]
        found = (
            *(self._by_file.get(file_form(name), []) for name in names),
            *(self._by_stem.get(file_form(file_stem(name)), []) for name in names),
            self._by_place.get(_place(row.image_id), []),
        )
        return next(filter(None, found), [])

    @staticmethod
    def unknown(row: SheetRow) -> RowNote:
        """Return the note on a row without a matching image."""
        reason = _UNKNOWN.format(name=row.picture[:_SHOWN])
        return RowNote(row.number_in_file, PICTURE, row.image_id, reason)

    @cached_property
    def _by_file(self) -> dict[Hashable, list[KnownImage]]:
        return self._by(lambda image: file_form(PurePosixPath(image.source_name).name))

    @cached_property
    def _by_stem(self) -> dict[Hashable, list[KnownImage]]:
        return self._by(lambda image: file_form(file_stem(PurePosixPath(image.source_name).name)))

    @cached_property
    def _by_place(self) -> dict[Hashable, list[KnownImage]]:
        numbered = self._by(lambda image: (normal_form(image.generator + image.prompt), image.number))
        return {place: images for place, images in numbered.items() if images[0].number is not None}

    def _by(self, key: Callable[[KnownImage], Hashable]) -> dict[Hashable, list[KnownImage]]:
        found: dict[Hashable, list[KnownImage]] = defaultdict(list)
        for image in self._images:
            found[key(image)].append(image)
        return dict(found)


def _place(name: str) -> Hashable:
    """Split a name such as `sdxl_couple_hugging_01` into generator with prompt, and number."""
    start, number = parted_number(name)
    return None if number is None else (normal_form(start), number)


def _listed(images: list[KnownImage]) -> str:
    names = [image.source_name for image in images[:_LISTED]]
    return ", ".join([*names, *(["…"] if len(images) > _LISTED else [])])
