"""`manage.py import_metrics`: store outside metrics of a project's images, to stand beside people."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand

from analysis.data.metrics import read_metrics
from analysis.reports.metrics import import_metrics, told
from annotator.management.arguments import project_named
from annotator.management.commands.import_answers import refusals_told


class Command(BaseCommand):
    """Store all rows of the file, or name those that are wrong and store nothing."""

    help = (
        "Store outside metrics of a project's images from a CSV file with the columns file or sha256, metric "
        "and score. A value of the same image and metric is replaced. The ranking shows them beside people."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare the arguments."""
        parser.add_argument("file", type=Path, metavar="FILE")
        parser.add_argument("--project", required=True, metavar="SLUG")
        parser.add_argument(
            "--lint-only", action="store_true", help="check the file without storing anything"
        )
        parser.add_argument("--json", action="store_true", help="print the outcome as JSON")

    def handle(self, *args: Any, **options: Any) -> None:
        """Check and store; raises CommandError naming the rows that cannot be used."""
        project, path = project_named(options["project"]), options["file"]
        with refusals_told():
            found = read_metrics(path, project)
        counts = {name: len(values) for name, values in sorted(found.items())}
        if options["lint_only"]:
            self.stdout.write(
                f"{path.name}: {sum(counts.values()):,} values; nothing was stored (--lint-only)."
            )
            return
        count = import_metrics(project, found, actor=None)
        self.stdout.write(
            json.dumps({"values": count, "metrics": counts}, indent=2)
            if options["json"]
            else told(found, count)
        )
