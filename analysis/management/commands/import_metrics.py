"""`manage.py import_metrics`: store outside metrics of a project's images, for comparison with people."""

from __future__ import annotations

from analysis.reports.metrics import METRICS
from annotator.management.file_import import ImageRowsCommand


class Command(ImageRowsCommand):
    """Print what a file holds and every unusable row; store it completely or not at all."""

    kind = METRICS
    help = (
        "Store outside metrics of a project's images from a file with the columns metric and score. A value "
        "of the same image and metric is replaced. Comparisons show them beside people."
    )
