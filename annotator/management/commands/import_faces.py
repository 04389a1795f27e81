"""`manage.py import_faces`: decide where faces are, by a detector's file."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from pathlib import Path
from typing import Any, Final

from django.core.management.base import BaseCommand, CommandError

from annotator.exchange.face_files import check_faces, store_faces
from annotator.exchange.formats.names import printable
from annotator.faces.decisions import FacesRefused
from annotator.management.arguments import project_named
from annotator.management.commands.import_answers import refusals_told

_MOST_LINES: Final = 100


class Command(BaseCommand):
    """Print what a file decides and every unusable row; store it completely or not at all."""

    help = (
        "Import rectangles around faces: CSV or JSON Lines with file or sha256, and x, y, w, h in pixels of "
        "the file; a row without numbers says that the image shows no face."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare the arguments."""
        parser.add_argument("file", type=Path, metavar="FILE")
        parser.add_argument("--project", required=True, metavar="SLUG")
        parser.add_argument("--check-only", action="store_true", help="store nothing")
        parser.add_argument("--json", action="store_true", help="print JSON")

    def handle(self, *args: Any, **options: Any) -> None:
        """Check and store; raises CommandError if a row is unusable."""
        project = project_named(options["project"])
        with refusals_told():
            found = check_faces(options["file"], project=project)
            if options["json"]:
                self.stdout.write(json.dumps(found.as_json(), indent=2))
            else:
                self._print(found.as_json())
            if options["check_only"] and not found.refused:
                return
            try:
                changed = store_faces(found, project=project)
            except FacesRefused as refused:
                raise CommandError(str(refused)) from refused
        if not options["json"]:
            self.stdout.write(f"Stored: {changed} images changed.")

    def _print(self, said: dict[str, Any]) -> None:
        self.stdout.write(
            f"{said['images']} images, {said['rectangles']} rectangles, {said['without_face']} without a "
            f"face, {said['replaced']} decided before; {said['still_undecided']} others still undecided."
        )
        for note in said["refused"][:_MOST_LINES]:
            self.stdout.write(printable(f"refused: row {note['row']}, “{note['text']}”: {note['reason']}"))
        if len(said["refused"]) > _MOST_LINES:
            self.stdout.write(f"and {len(said['refused']) - _MOST_LINES} more: --json lists all.")
