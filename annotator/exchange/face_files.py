"""Import rectangles around faces: check a file against a project, and store it completely or not at all."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any, Final, NamedTuple

from annotator.exchange.child_process import read_in_child
from annotator.exchange.face_rows import FaceRow
from annotator.exchange.formats.names import file_form, printable
from annotator.exchange.formats.report import RowNote, StudyRefused
from annotator.faces.decisions import decide_from_file
from annotator.faces.rectangles import InvalidRectangle, Rectangle, check_rectangle, checked
from annotator.models import Project, User

_SHOWN: Final = 80
_ELSEWHERE: Final = "no image of this project"
_UNKNOWN: Final = _ELSEWHERE + " has this {what}; upload it first, or remove the row"


class _Known(NamedTuple):
    """An image as files may name it; `scaled_from` is what was uploaded, if that was larger."""

    pk: int
    sha256: str
    source_name: str
    width: int
    height: int
    scaled_from: dict[str, Any] | None
    faces: object


@dataclass(frozen=True)
class CheckedFaces:
    """A file checked against a project: rectangles by image id, and the unusable rows.

    Nothing can be stored while there are any. `none` counts images without a face, `replaced` those that
    have a decision already, `left` those of the project that stay without one.
    """

    name: str
    faces: dict[int, list[list[float]]]
    refused: tuple[RowNote, ...]
    replaced: int
    left: int

    @property
    def none(self) -> int:
        """The number of images said to show no face."""
        return sum(not found for found in self.faces.values())

    @property
    def refusal(self) -> StudyRefused | None:
        """Why nothing can be stored, with the first unusable row; None if all rows are usable."""
        if not self.refused:
            return None
        note = self.refused[0]
        if not self.faces and all(one.reason.startswith(_ELSEWHERE) for one in self.refused):
            return StudyRefused(
                f"Nothing was stored: {self.name} names no image of this project. Is it a file of another "
                f"project? Row {note.row}, for example, names “{note.text}”.",
                code="other_project",
                row=note.row,
            )
        more = f" and {len(self.refused) - 1:,} more" if len(self.refused) > 1 else ""
        return StudyRefused(
            f"Nothing was stored: {self.name}, row {note.row}, “{note.text}”: {note.reason}{more}.",
            code="rows",
            row=note.row,
        )

    def as_json(self) -> dict[str, Any]:
        """Return the counts and refused rows as JSON values."""
        return {
            "file": self.name,
            "images": len(self.faces),
            "rectangles": sum(map(len, self.faces.values())),
            "without_face": self.none,
            "replaced": self.replaced,
            "still_undecided": self.left,
            "refused": [note.as_json() for note in self.refused],
        }


def check_faces(path: Path, *, project: Project, name: str = "") -> CheckedFaces:
    """Read a file and check every row.

    Raises StudyRefused if the file cannot be read, OSError if no process can be started.
    """
    rows: list[FaceRow] = read_in_child("faces", path)
    columns = ("pk", "sha256", "source_name", "width", "height", "scaled_from", "faces")
    known = [_Known(*values) for values in project.images.order_by("pk").values_list(*columns).iterator()]
    by_file = _by(known, lambda one: [file_form(PurePosixPath(one.source_name).name)])
    by_content = _by(known, lambda one: [one.sha256, (one.scaled_from or {}).get("sha256", "")])
    faces: dict[int, list[list[float]]] = {}
    first: dict[int, tuple[int, str, bool]] = {}
    refused: list[RowNote] = []
    for number, file, sha256, rectangle, wrong in rows:
        found, reason = (None, wrong) if wrong else _image_of(file, sha256, by_file, by_content)
        if found is not None:
            reason = _said_before(first.get(found.pk), sha256 or file, bool(rectangle))
            first.setdefault(found.pk, (number, sha256 or file, bool(rectangle)))
        if found is not None and not reason:
            reason = _add(faces, found, sha256, rectangle)
        if reason:
            text = printable((file or sha256)[:_SHOWN])
            refused.append(RowNote(number, "file" if file else "sha256", text, reason))
    decided = {one.pk for one in known if one.faces is not None}
    left = len({one.pk for one in known} - decided - faces.keys())
    return CheckedFaces(name or path.name, faces, tuple(refused), len(decided & faces.keys()), left)


def store_faces(found: CheckedFaces, *, project: Project, actor: User | None = None) -> int:
    """Store a checked file completely and return how many images changed.

    Raises StudyRefused if a row is unusable, FacesRefused if an image was deleted since.
    """
    if found.refusal is not None:
        raise found.refusal
    facts = {"file": found.name}
    return decide_from_file(project=project, faces=found.faces, actor=actor, facts=facts)


def _by(known: Iterable[_Known], names: Callable[[_Known], Iterable[Any]]) -> dict[Any, list[_Known]]:
    found: dict[Any, list[_Known]] = defaultdict(list)
    for one in known:
        for name in filter(None, names(one)):
            found[name].append(one)
    return found


def _image_of(
    file: str, sha256: str, by_file: dict[Any, list[_Known]], by_content: dict[Any, list[_Known]]
) -> tuple[_Known | None, str]:
    """Return the image that a row names, or the reason why none."""
    named = by_content.get(sha256.lower(), []) if sha256 else by_file.get(file_form(_last(file)), [])
    if len(named) > 1 and file:
        # A path tells files of one name apart.
        named = [one for one in named if ("/" + one.source_name).endswith("/" + file)] or named
    if not named:
        return None, _UNKNOWN.format(what="SHA-256" if sha256 else "file name")
    if len(named) > 1:
        return None, f"{len(named)} images of this project have this name; give the SHA-256 instead"
    if sha256 and file and file_form(_last(file)) != file_form(_last(named[0].source_name)):
        source = printable(named[0].source_name[:_SHOWN])
        return None, f"the SHA-256 is that of “{source}”; correct the file name or the SHA-256"
    return named[0], ""


def _last(file: str) -> str:
    return PurePosixPath(file.replace("\\", "/")).name


def _said_before(before: tuple[int, str, bool] | None, name: str, is_face: bool) -> str:
    if before is None:
        return ""
    number, first, had_face = before
    if name != first:
        return f"row {number} names the same image as “{printable(first[:_SHOWN])}”; name it in one way"
    if not (is_face and had_face):
        return f"row {number} names this image, too, and one of them says that it shows no face"
    return ""


def _add(
    faces: dict[int, list[list[float]]], image: _Known, sha256: str, rectangle: tuple[float, ...]
) -> str:
    """Add the rectangle of a row; return the reason if it is impossible."""
    own = faces.setdefault(image.pk, [])
    if not rectangle:
        return ""
    width, height, found = image.width, image.height, Rectangle(*rectangle)
    was = image.scaled_from
    try:
        if was is not None and sha256.lower() != image.sha256:
            # The detector saw what was uploaded, which was larger.
            check_rectangle(found, was["width"], was["height"])
            found = _inside(found.scaled(width / was["width"], height / was["height"]), width, height)
        [stored] = checked([found], width, height)
        if stored in own:
            return "an earlier row has the same rectangle; remove one of them"
        own[:] = checked([*own, stored], width, height)
    except InvalidRectangle as refused:
        return str(refused).removesuffix(".")
    return ""


def _inside(found: Rectangle, width: int, height: int) -> Rectangle:
    """Return a scaled rectangle without what rounding adds beyond the image, at least a pixel in size."""
    x, y = min(found.x, width - 1.0), min(found.y, height - 1.0)
    return Rectangle(x, y, min(max(found.width, 1.0), width - x), min(max(found.height, 1.0), height - y))
