"""`manage.py import_descriptions`: store descriptions of images that models wrote."""

from __future__ import annotations

from annotator.exchange.description_rows import DESCRIPTIONS
from annotator.management.file_import import ImageRowsCommand


class Command(ImageRowsCommand):
    """Print what a file holds and every unusable row; store it completely or not at all."""

    kind = DESCRIPTIONS
    help = (
        "Store descriptions of images that are to be rated: JSON Lines, CSV or XLSX with model, defective "
        "and description."
    )
