"""`manage.py import_suggestions`: store what a program counted in the images."""

from __future__ import annotations

from argparse import ArgumentParser

from annotator.exchange.suggestion_rows import SUGGESTIONS
from annotator.management.file_import import ImageRowsCommand


class Command(ImageRowsCommand):
    """Print what a file holds and every unusable row; store it completely or not at all."""

    kind = SUGGESTIONS
    help = (
        "Import suggested counts as a run: CSV or XLSX with people, torso, limbs, feet, hands, face, or JSON "
        "Lines. Repeating it changes nothing; other suggestions need another version."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare the arguments."""
        super().add_arguments(parser)
        parser.add_argument("--source", required=True, help="the program or the people who counted")
        parser.add_argument("--source-version", default="", metavar="VERSION")
        parser.add_argument("--settings-text", default="", metavar="TEXT", help="how it was run")
