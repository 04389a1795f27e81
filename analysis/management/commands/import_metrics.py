"""`manage.py import_metrics`: store outside metrics of a project's images, for comparison with people."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from analysis.data.metrics import Metrics, read_metrics
from analysis.reports.metrics import import_metrics, told
from annotator.management.file_import import WholeFileCommand
from annotator.models import Project


class Command(WholeFileCommand):
    """Store all rows of the file, or name those that are wrong and store nothing."""

    help = (
        "Store outside metrics of a project's images from a CSV file with the columns file or sha256, metric "
        "and score. A value of the same image and metric is replaced. Comparisons show them beside people."
    )

    def read(self, path: Path, project: Project) -> Metrics:
        """Return the values by metric and image id."""
        return read_metrics(path, project)

    def store(self, found: Metrics, project: Project, name: str) -> int:
        """Store them and return how many there are."""
        return import_metrics(project, found, actor=None)

    def told(self, found: Metrics, outcome: int | None) -> tuple[dict[str, Any], list[str]]:
        """Return the number of values, also by metric."""
        counts = {name: len(values) for name, values in sorted(found.items())}
        count = sum(counts.values())
        line = f"{count:,} values of {', '.join(counts)}." if outcome is None else told(found, outcome)
        return {"values": count, "metrics": counts}, [line]
