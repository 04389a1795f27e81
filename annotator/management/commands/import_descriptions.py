"""`manage.py import_descriptions`: store reference descriptions that a model wrote from a request file."""

from __future__ import annotations

from annotator.exchange.description_rows import DESCRIPTIONS
from annotator.management.file_import import ImageRowsCommand


class Command(ImageRowsCommand):
    """Print what a file holds and every unusable row; store it completely or not at all."""

    kind = DESCRIPTIONS
    help = (
        "Store reference descriptions of checked images: the answers to the requests of `references`, as "
        "JSON Lines, CSV or XLSX with made_from and description. They count until the marks change, or an "
        "expert writes one."
    )
