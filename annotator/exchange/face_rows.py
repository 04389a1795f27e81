"""Rectangles around faces from a file: x, y, w, h in pixels of the file, a row for each face.

A row without numbers says that the image shows no face. Rectangles that reach beyond the image are cut to it.
They are stored as decisions, or as proposals, which somebody has to look at.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from annotator.exchange.image_rows import CheckedRows, ImageRow, RowReader, RowsKind, Stored, previewed
from annotator.faces.decisions import decide_from_file
from annotator.faces.gate import unlooked
from annotator.faces.rectangles import InvalidRectangle, Rectangle, checked
from annotator.inputs.numbers import decimal
from annotator.inputs.refusal import WrongCell
from annotator.models import Project, User

NUMBERS: Final = ("x", "y", "w", "h")
PREVIEWED: Final = 24
"""Images that a check shows with their rectangles, those with faces first."""

Faces = dict[int, list[list[float]]]
"""Rectangles by the primary key of the image; none for an image without a face."""


def check_faces(path: Path, project: Project) -> CheckedRows[Faces]:
    """Read a file and check every row; raises as `RowReader.of_file`."""
    reader = RowReader.of_file(path, project, required=NUMBERS)
    rows = project.images.order_by().values_list("pk", "width", "height")
    sizes = {pk: (width, height) for pk, width, height in rows.iterator()}
    faces = Faces()
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
            faces[row.image.pk], is_cut = _added(own, Rectangle(*numbers), sizes[row.image.pk])
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
    first = sorted(faces, key=lambda pk: (not faces[pk], pk))[:PREVIEWED]
    return reader.checked(faces, counts, shown=previewed(project, faces, first))


def store_faces(
    checked_rows: CheckedRows[Faces],
    project: Project,
    actor: User | None = None,
    _: object = None,
    *,
    proposals: bool = False,
) -> Stored:
    """Store a checked file completely and return what happened.

    Raises StudyRefused if a row is unusable, FacesRefused if an image was deleted since.
    """
    if checked_rows.refusal is not None:
        raise checked_rows.refusal
    facts = {"file": checked_rows.name}
    changed = decide_from_file(
        project=project, faces=checked_rows.found, actor=actor, facts=facts, proposals=proposals
    )
    left = checked_rows.counts["Left undecided"]
    waiting = unlooked().filter(image__project=project).count()
    to_look_at = f" To look at: {waiting:,}." if waiting else ""
    return Stored(f"Images changed: {changed:,}. Still without a decision: {left:,}.{to_look_at}")


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
    own: list[list[float]], rectangle: Rectangle, size: tuple[int, int]
) -> tuple[list[list[float]], bool]:
    """Return the rectangles of an image with one more, and whether that was cut to the image."""
    try:
        inside = rectangle.cut_to(*size)
        [stored] = checked([inside], *size)
        if stored in own:
            raise WrongCell("x", "an earlier row has the same rectangle; remove one of them")
        return checked([*own, stored], *size), inside != rectangle
    except InvalidRectangle as refused:
        raise WrongCell("x", str(refused).removesuffix(".")) from refused


FACES: Final = RowsKind(
    slug="faces",
    title="rectangles around faces",
    columns="One row per face: x, y, w, h in pixels of the file. A row without numbers means that the image "
    "shows no face. Images without any row stay undecided.",
    page="faces",
    section="images",
    check=check_faces,
    store=store_faces,
    store_options=("proposals",),
)
