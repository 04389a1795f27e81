"""The data set of a bundle: its settings, what the filters decided, and outside metrics."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any, Final

from django.db.models import QuerySet

from analysis.bundles.rows import lines_of
from analysis.bundles.source import BundleSource, in_chunks
from analysis.models import ImageMetric
from annotator.models import DataSet, Project, Screening

Row = dict[str, Any]
SCREENED_FIELDS: Final = (
    *("persons", "classes", "person_confidence", "moderation"),
    *("reasons", "kept"),
)
METRIC_FIELDS: Final = ("metric", "value")
NAMES: Final = ("metrics", "screenings")


def data_set_settings(project: Project) -> dict[str, Any]:
    """Return the settings for project.json; empty if a lead has not set any."""
    found = DataSet.objects.filter(project=project).values_list("settings", flat=True).first()
    return {"data_set": found} if found else {}


def data_set_counts(source: BundleSource) -> dict[str, int]:
    """Return the number of rows by name for project.json, without names that have none."""
    return {name: count for name in NAMES if (count := _rows(source)[name].count())}


def data_set_files(source: BundleSource) -> Iterator[tuple[str, Callable[[], Iterator[Row]]]]:
    """Yield name and rows of each file that has any; images by line."""
    fields = {"metrics": METRIC_FIELDS, "screenings": SCREENED_FIELDS}
    for name in data_set_counts(source):
        yield f"restore/{name}.jsonl", partial(_lines, source, _rows(source)[name], fields[name])


def _lines(source: BundleSource, rows: QuerySet[Any], fields: tuple[str, ...]) -> Iterator[Row]:
    line_of = lines_of(source.images)
    for image, *values in in_chunks(rows, "image_id", *fields):
        yield {"image": line_of(image), **dict(zip(fields, values, strict=True))}


def _rows(source: BundleSource) -> Mapping[str, QuerySet[Any]]:
    images = source.images.order_by()
    return {
        "metrics": ImageMetric.objects.filter(image__in=images).order_by("pk"),
        "screenings": Screening.objects.filter(image__in=images).order_by("pk"),
    }
