"""`manage.py import_faces`: decide where faces are, by a detector's file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import CommandError

from annotator.exchange.face_files import CheckedFaces, check_faces, store_faces
from annotator.exchange.formats.report import StudyRefused
from annotator.faces.decisions import FacesRefused
from annotator.management.file_import import WholeFileCommand
from annotator.models import Project


class Command(WholeFileCommand):
    """Print what a file decides and every unusable row; store it completely or not at all."""

    help = (
        "Import rectangles around faces: CSV or JSON Lines with file or sha256, and x, y, w, h in pixels of "
        "the file; a row without numbers means that the image shows no face."
    )

    def read(self, path: Path, project: Project) -> CheckedFaces:
        """Return the checked rectangles."""
        return check_faces(path, project=project)

    def store(self, found: CheckedFaces, project: Project, name: str) -> int:
        """Store them and return how many images changed."""
        try:
            return store_faces(found, project=project)
        except FacesRefused as refused:
            raise CommandError(str(refused)) from refused

    def refusal(self, found: CheckedFaces) -> StudyRefused | None:
        """Return why it cannot be stored: its unusable rows."""
        return found.refusal

    def told(self, found: CheckedFaces, outcome: int | None) -> tuple[dict[str, Any], list[str]]:
        """Return the counts, the unusable rows and, once stored, how many images changed."""
        said = found.as_json()
        lines = [
            f"{said['images']} images, {said['rectangles']} rectangles, {said['without_face']} without a "
            f"face, {said['replaced']} decided before; {said['still_undecided']} others still undecided.",
            *(f"rejected: row {note.row}, “{note.text}”: {note.reason}" for note in found.refused),
        ]
        if outcome is None:
            return said, lines
        return said | {"changed": outcome}, [*lines, f"Stored: {outcome} images changed."]
