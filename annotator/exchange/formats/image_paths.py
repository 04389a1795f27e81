"""Identify the image of a row by its path, compared part by part from the end.

A path that contradicts the only image with its file name names no image: ratings of
`midjourney/waving/k_01.png` are not those of `sdxl/waving/k_01.png`.
"""

from __future__ import annotations

from collections import defaultdict
from typing import Final, NamedTuple

from annotator.exchange.formats.names import normal_form, normalised
from annotator.exchange.formats.report import RowNote
from annotator.exchange.formats.sheet import FILE, SheetRow
from annotator.models import Project

_LISTED: Final = 4
_SHOWN: Final = 120
_SEVERAL: Final = "“{path}” matches {count} images ({listed}): give generator, prompt and number"
_OTHER_COLUMNS: Final = (
    "“{path}” is the file of {listed}, which contradicts generator, prompt or number: correct one of them"
)
_OTHER_FOLDER: Final = "there is no image “{path}”; {listed} has the same name: correct the path"
_UNKNOWN: Final = "there is no image “{path}”: import it, or correct the path"


class KnownImage(NamedTuple):
    """An image of the project."""

    pk: int
    generator: str
    prompt: str
    number: int | None
    source_name: str

    def fits(self, row: SheetRow) -> bool:
        """Return whether the row's other columns are consistent with the image."""
        columns = (
            (normal_form(row.generator), normal_form(self.generator)),
            (normal_form(row.prompt), normal_form(self.prompt)),
            (row.number, self.number),
        )
        return all(not theirs or theirs == ours for theirs, ours in columns)


class PathIndex:
    """The images of a project by the parts of their paths, without the one folder that holds them all."""

    def __init__(self, project: Project) -> None:
        columns = project.images.order_by("pk").values_list(
            "pk", "generator", "prompt", "number", "source_name"
        )
        images = [KnownImage(*values) for values in columns.iterator()]
        paths = [path_parts(image.source_name) for image in images]
        roots = {parts[0] for parts in paths if len(parts) > 1}
        # A folder named after a generator or a prompt says more than where the images lie.
        names = {normal_form(name) for image in images for name in (image.generator, image.prompt)}
        shared = len(roots) == 1 and all(len(parts) > 1 for parts in paths)
        below = int(shared and normal_form(roots.pop()) not in names)
        self._by_name: dict[str, list[tuple[tuple[str, ...], KnownImage]]] = defaultdict(list)
        for parts, image in zip(paths, images, strict=True):
            self._by_name[parts[-1]].append((parts[below:], image))

    def has_name(self, path: str) -> bool:
        """Return whether any image has the file name of the path."""
        return path_parts(path)[-1] in self._by_name

    def image_of(self, row: SheetRow) -> KnownImage | RowNote:
        """Return the image with the longest match, or the reason why no single image has it."""
        parts = path_parts(row.picture)
        named = self._by_name.get(parts[-1], [])
        if not named:
            return _refusal(row, _UNKNOWN, [])
        depths = [_depth(parts, theirs) for theirs, _ in named]
        deepest = max(depths)
        longest = [known for known, depth in zip(named, depths, strict=True) if depth == deepest]
        agreeing = [image for theirs, image in longest if deepest in (len(parts), len(theirs))]
        if not agreeing:
            return _refusal(row, _OTHER_FOLDER, [image for _, image in longest])
        fitting = [image for image in agreeing if image.fits(row)]
        if len(fitting) == 1:
            return fitting[0]
        return _refusal(row, _SEVERAL, fitting) if fitting else _refusal(row, _OTHER_COLUMNS, agreeing)


def path_parts(path: str) -> tuple[str, ...]:
    """Return the parts of a path in the form in which they are compared; at least one.

    The form is Unicode NFC, with the letter case of the extension folded.
    """
    named = normalised("NFC", path).replace("\\", "/")
    *folders, last = [part for part in named.split("/") if part.strip() not in ("", ".")] or [""]
    stem, dot, ending = last.rpartition(".")
    return (*folders, f"{stem}{dot}{ending.casefold()}" if stem else last)


def _depth(first: tuple[str, ...], second: tuple[str, ...]) -> int:
    """Return the number of parts, from the end, in which two paths agree."""
    depth = 0
    for ours, theirs in zip(reversed(first), reversed(second), strict=False):
        if ours != theirs:
            break
        depth += 1
    return depth


def _refusal(row: SheetRow, reason: str, images: list[KnownImage]) -> RowNote:
    names = [image.source_name for image in images[:_LISTED]]
    listed = ", ".join([*names, *(["…"] if len(images) > _LISTED else [])])
    path = row.picture[:_SHOWN]
    told = reason.format(path=path, count=len(images), listed=listed)
    return RowNote(row.number_in_file, FILE, path, told)
