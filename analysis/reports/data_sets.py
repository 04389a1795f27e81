"""The report of a data set: its images, splits and pairs. For leads."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from typing import Any, Final

from analysis.data.data_sets import FIELDS, read_data_set
from analysis.data.ratings_table import CHUNK, input_digest
from analysis.models import Report
from annotator.data_sets.settings import settings_of
from annotator.work.execution import WorkRefused
from scoring.service import get_protocol

NO_SCORES: Final = "Under “{title}”, images have no score from which a data set can be made."
NO_IMAGES: Final = "This project has no images yet."


def data_set_digest(report: Report) -> str:
    """Return the digest of the annotations, the images, what was detected in them, and the settings."""
    digest = hashlib.sha256(input_digest(report.project, report.protocol).encode())
    digest.update(json.dumps(settings_of(report.project).as_json(), sort_keys=True).encode())
    for row in report.project.images.order_by("pk").values_list(*FIELDS).iterator(chunk_size=CHUNK):
        digest.update(repr(row).encode())
    return digest.hexdigest()


def data_set_result(report: Report, steps: Callable[[int, int], None]) -> tuple[dict[str, Any], int]:
    """Compute the report; return its result and the number of ratings used.

    Raise WorkRefused for a protocol without scores, a project without images, and splits that cannot be made.
    """
    from analysis.stats.data_sets import data_set_tables

    protocol = get_protocol(report.protocol)
    if not protocol.makes_data_sets:
        raise WorkRefused(NO_SCORES.format(title=protocol.title))
    read = read_data_set(report.project, protocol.slug)
    if not read.images:
        raise WorkRefused(NO_IMAGES)
    steps(1, 2)
    settings = read.settings
    tables = data_set_tables(
        read.images,
        settings.splitting,
        raters=read.raters,
        ratings=read.ratings,
        most=settings.most_pairs,
        invalid_from=settings.invalid_from,
    )
    about = {"data_set": settings.as_json(), "findings": [], "figures": []}
    return {**about, "tables": tables}, read.ratings
