"""`manage.py import_detections`: store what a detector found, and apply the data set's filters."""

from __future__ import annotations

from annotator.data_sets.filtering import DETECTIONS
from annotator.management.file_import import ImageRowsCommand


class Command(ImageRowsCommand):
    """Print what a file holds and every unusable row; store it completely or not at all."""

    kind = DETECTIONS
    help = (
        "Store detections of a project's images from a file with the columns persons, classes, "
        "person_confidence and moderation, and apply the filters. Repeating it changes nothing."
    )
