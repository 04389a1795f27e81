"""`manage.py import_faces`: decide where faces are, by a detector's file."""

from __future__ import annotations

from argparse import ArgumentParser

from annotator.exchange.face_rows import FACES
from annotator.management.file_import import ImageRowsCommand


class Command(ImageRowsCommand):
    """Print what a file holds and every unusable row; store it completely or not at all."""

    kind = FACES
    help = (
        "Import rectangles around faces: CSV or XLSX with x, y, w, h in pixels of the file; a "
        "row without numbers means that the image shows no face. They stay proposals until somebody has "
        "looked at them under Images, Faces."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare the arguments."""
        super().add_arguments(parser)
        parser.add_argument(
            "--decided",
            action="store_false",
            dest="proposals",
            help="somebody has looked at each image: store decisions, not proposals",
        )
