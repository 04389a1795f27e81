"""Rectangles around faces from a file: x, y, w, h in pixels of the file, a row for each face.

A row without numbers says that the image shows no face. Rectangles that reach beyond the image are cut to it.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

from annotator.exchange.image_rows import CheckedRows, ImageRow, RowReader, RowsKind, WrongCell
from annotator.faces.decisions import decide_from_file
from annotator.faces.rectangles import InvalidRectangle, Rectangle, checked
from annotator.inputs.numbers import decimal
from annotator.models import Image, Project, User

NUMBERS: Final = ("x", "y", "w", "h")
PREVIEWED: Final = 24
"""Images that a check shows with their rectangles."""

Faces = dict[int, list[list[float]]]
"""Rectangles by the primary key of the image; none for an image without a face."""


class _Sizes:
    """Sizes of a project's images, and those of larger files that they were scaled from."""

    def __init__(self, project: Project) -> None:
        rows = project.images.order_by().values_list("pk", "width", "height", "scaled_from")
        self._sizes = {pk: (width, height, was) for pk, width, height, was in rows.iterator()}

    def own(self, row: ImageRow) -> tuple[int, int]:
        """Return width and height of the stored image."""
        width, height, _ = self._sizes[row.image.pk]
        return width, height

    def seen(self, row: ImageRow) -> tuple[int, int]:
        """Return width and height of the file that the row is about."""
        width, height, was = self._sizes[row.image.pk]
        if was is None or row.sha256.lower() == row.image.sha256:
            return width, height
        return was["width"], was["height"]


def check_faces(path: Path, project: Project) -> CheckedRows[Faces]:
    """Read a file and check every row; raises as `RowReader`."""
    reader = RowReader(path, project, required=NUMBERS)
    sizes, faces = _Sizes(project), Faces()
    has_face: dict[int, tuple[int, bool]] = {}
    cut = 0

    def take(row: ImageRow) -> None:
        nonlocal cut
        numbers = _numbers(row)
        number, with_face = has_face.setdefault(row.image.pk, (row.number, bool(numbers)))
        if number != row.number and not (numbers and with_face):
            reason = f"row {number} names this image, too, and one of them says that it shows no face"
            raise WrongCell("x", reason)
        if numbers:
            own = faces.get(row.image.pk, [])
            faces[row.image.pk], is_cut = _added(own, Rectangle(*numbers), sizes.seen(row), sizes.own(row))
            cut += is_cut
        else:
            faces[row.image.pk] = []

    reader.read(take)
    images = dict(project.images.values_list("pk", "faces"))
    decided = {pk for pk, decision in images.items() if decision is not None}
    counts = {
        "Images": len(faces),
        "Rectangles": sum(map(len, faces.values())),
        "Cut to the image": cut,
        "Without a face": sum(not found for found in faces.values()),
        "Decided before": len(decided & faces.keys()),
        "Left undecided": len(images.keys() - decided - faces.keys()),
    }
    return CheckedRows(reader.name, faces, counts, reader.refused, reader.is_elsewhere, _preview(faces))


def store_faces(checked_rows: CheckedRows[Faces], project: Project, actor: User | None = None) -> str:
    """Store a checked file completely and return what happened.

    Raises StudyRefused if a row is unusable, FacesRefused if an image was deleted since.
    """
    if checked_rows.refusal is not None:
        raise checked_rows.refusal
    facts = {"file": checked_rows.name}
    changed = decide_from_file(project=project, faces=checked_rows.found, actor=actor, facts=facts)
    left = checked_rows.counts["Left undecided"]
    return f"Images changed: {changed:,}. Still without a decision: {left:,}."


def _numbers(row: ImageRow) -> tuple[float, ...]:
    """Return x, y, w, h; nothing for a row without any."""
    texts = [row.values.get(column, "").strip() for column in NUMBERS]
    if not any(texts):
        return ()
    numbers = []
    for column, text in zip(NUMBERS, texts, strict=True):
        pixels = decimal(text)
        if pixels is None:
            raise WrongCell(column, f"{column} is “{text[:40]}”; expected a number of pixels")
        numbers.append(pixels)
    return tuple(numbers)


def _added(
    own: list[list[float]], rectangle: Rectangle, seen: tuple[int, int], size: tuple[int, int]
) -> tuple[list[list[float]], bool]:
    """Return the rectangles of an image with one more, and whether that was cut to the image.

    `seen` is the size in which the rectangle was found, `size` that of the stored image.
    """
    try:
        inside = rectangle.cut_to(*seen)
        x, y, w, h = inside.scaled(size[0] / seen[0], size[1] / seen[1])
        # A small face of a large file can be less than a pixel of its image.
        [stored] = checked([Rectangle(x, y, max(w, 1), max(h, 1)).cut_to(*size)], *size)
        if stored in own:
            raise WrongCell("x", "an earlier row has the same rectangle; remove one of them")
        return checked([*own, stored], *size), inside != rectangle
    except InvalidRectangle as refused:
        raise WrongCell("x", str(refused).removesuffix(".")) from refused


def _preview(faces: Faces) -> list[list[Any]]:
    """Return the public ids of the first images with their rectangles, those with faces first."""
    chosen = sorted(faces, key=lambda pk: (not faces[pk], pk))[:PREVIEWED]
    names = dict(Image.objects.filter(pk__in=chosen).values_list("pk", "public_id"))
    return [[str(names[pk]), faces[pk]] for pk in chosen if pk in names]


FACES: Final = RowsKind(
    slug="faces",
    title="rectangles around faces",
    columns="One row per face: x, y, w, h in pixels of the file. A row without numbers means that the image "
    "shows no face. Images without any row stay undecided.",
    page="faces",
    section="images",
    check=check_faces,
    store=store_faces,
)
