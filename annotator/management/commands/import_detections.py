"""`manage.py import_detections`: store what a detector found, and apply the data set's filters."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from annotator.data_sets.detections import read_detections
from annotator.data_sets.filtering import store_detections
from annotator.management.file_import import WholeFileCommand
from annotator.models import Project
from scoring.data_sets.filters import REASONS, Detected


class Command(WholeFileCommand):
    """Store all rows of the file, or name those that are wrong and store nothing."""

    help = (
        "Store detections of a project's images from a CSV file with the columns file or sha256, persons, "
        "classes, person_confidence and moderation, and apply the filters. Repeating it changes nothing."
    )

    def read(self, path: Path, project: Project) -> Mapping[int, Detected]:
        """Return what was detected by image id."""
        return read_detections(path, project)

    def store(self, found: Mapping[int, Detected], project: Project, name: str) -> Counter[str]:
        """Store it and return how many images the filters leave out."""
        return store_detections(project, found, actor=None, name=name)

    def told(
        self, found: Mapping[int, Detected], outcome: Counter[str] | None
    ) -> tuple[dict[str, Any], list[str]]:
        """Return the number of images and, once stored, how many are left out and why."""
        if outcome is None:
            return {"images": len(found)}, [f"Detections of {len(found):,} images."]
        return {"images": len(found), "counts": dict(outcome)}, [
            f"Detections of {len(found):,} images stored.",
            f"Left out: {outcome['excluded']:,}. Taken back: {outcome['kept']:,}.",
            *(f"  {outcome[reason]:,}: {words}" for reason, words in REASONS.items() if outcome[reason]),
        ]
