"""`manage.py import_suggestions`: store what a program counted, marked or wrote about the images."""

from __future__ import annotations

from argparse import ArgumentParser

from annotator.exchange.suggestion_rows import SUGGESTIONS
from annotator.management.file_import import ImageRowsCommand
from annotator.models import SuggestionRun


class Command(ImageRowsCommand):
    """Print what a file holds and every unusable row; store it completely or not at all."""

    kind = SUGGESTIONS
    help = (
        "Import suggestions as a run: counts as CSV, XLSX or JSON Lines, masks as COCO, reference "
        "descriptions as JSON Lines. Repeating it changes nothing; other suggestions need another version."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare the arguments."""
        super().add_arguments(parser)
        parser.add_argument("--kind", dest="what", choices=SuggestionRun.Kind.values, default="counts")
        parser.add_argument("--source", required=True, help="the program or the people who made them")
        parser.add_argument("--source-version", default="", metavar="VERSION")
        parser.add_argument("--settings-text", default="", metavar="TEXT", help="how it was run")
