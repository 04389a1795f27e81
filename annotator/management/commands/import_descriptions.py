"""`manage.py import_descriptions`: store descriptions of images that models wrote."""

from __future__ import annotations

from annotator.exchange.description_rows import DESCRIPTIONS
from annotator.management.file_import import ImageRowsCommand


class Command(ImageRowsCommand):
    """Print what a file holds and every unusable row; store it completely or not at all."""

    kind = DESCRIPTIONS
    help = (
        "Store descriptions of checked images: JSON Lines, CSV or XLSX. With made_from they are answers to "
        "the requests of `references`, and count until the marks change, or an expert writes one; with model "
        "and defective they are to be rated."
    )
