"""`manage.py import_detections`: store what a detector found, and apply the data set's filters."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand

from annotator.data_sets.detections import read_detections
from annotator.data_sets.filtering import store_detections
from annotator.management.arguments import project_named
from annotator.management.commands.import_answers import refusals_told
from scoring.data_sets.filters import REASONS


class Command(BaseCommand):
    """Store all rows of the file, or name those that are wrong and store nothing."""

    help = (
        "Store detections of a project's images from a CSV file with the columns file or sha256, persons, "
        "classes, person_confidence and moderation, and apply the filters. Repeating it changes nothing."
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
            found = read_detections(path, project)
        if options["lint_only"]:
            self.stdout.write(f"{path.name}: {len(found):,} images; nothing was stored (--lint-only).")
            return
        counts = store_detections(project, found, actor=None, name=path.name)
        if options["json"]:
            self.stdout.write(json.dumps({"images": len(found), "counts": dict(counts)}, indent=2))
            return
        self.stdout.write(f"Detections of {len(found):,} images stored.")
        self.stdout.write(f"Left out: {counts['excluded']:,}. Taken back: {counts['kept']:,}.")
        for reason, words in REASONS.items():
            if counts[reason]:
                self.stdout.write(f"  {counts[reason]:,}: {words}")
