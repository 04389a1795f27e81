"""Import a study: images and annotations from a folder."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from django.core.management.base import BaseCommand, CommandError

from annotator.exchange.formats.names import printable
from annotator.exchange.formats.report import StudyImport, StudyRefused
from annotator.exchange.storing import AT_RANDOM, UNKNOWN
from annotator.management.arguments import (
    DOUBLES_HELP,
    SHOWN_HELP,
    project_to_fill,
    things_shown,
    warning_if_unled,
)
from annotator.uploads.from_server import images_of, import_study

_MOST_LINES: Final = 40


class Command(BaseCommand):
    """`manage.py import_study FOLDER --project SLUG [--annotations FILE] [--shown THINGS] …`."""

    help = (
        "Import images (images/GENERATOR/PROMPT/FILE) and annotations (data/annotations.csv, or FILE) "
        "into a project, which is created if it does not exist. A second import adds nothing."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare the arguments."""
        parser.add_argument("folder", type=Path, metavar="FOLDER")
        parser.add_argument("--project", required=True, metavar="SLUG")
        parser.add_argument("--annotations", type=Path, metavar="FILE", help="the published 30-column sheet")
        parser.add_argument("--manifest", type=Path, metavar="FILE", help="file,generator,prompt,number")
        parser.add_argument("--shown", metavar="prompt,generator", help=SHOWN_HELP)
        parser.add_argument("--doubles", choices=(AT_RANDOM, UNKNOWN), help=DOUBLES_HELP)
        parser.add_argument("--json", action="store_true", help="print the outcome as JSON")

    def handle(self, *args: Any, **options: Any) -> None:
        """Import; raises CommandError if nothing could be imported."""
        shown = things_shown(options["shown"])
        try:
            images_of(options["folder"])
            with project_to_fill(options["project"]) as project:
                outcome = import_study(
                    options["folder"],
                    project=project,
                    annotations=options["annotations"],
                    manifest=options["manifest"],
                    shown=shown,
                    doubles=options["doubles"],
                )
        except StudyRefused as error:
            raise CommandError(printable(str(error))) from error
        self._print(outcome, options["json"])
        if outcome.did_nothing:
            raise CommandError(printable(f"Nothing was imported. {next(_problems(outcome), '')}".strip()))
        if words := warning_if_unled(project):
            self.stderr.write(words)

    def _print(self, outcome: StudyImport, as_json: bool) -> None:
        if as_json:
            self.stdout.write(json.dumps(outcome.as_json(), indent=2))
            return
        problems = list(_problems(outcome))
        self.stdout.write(
            f"Images: {outcome.images_added} added, {outcome.images_existing} existing, "
            f"{len(outcome.rejected_files)} rejected.\n"
            f"Annotations: {outcome.annotations_added} added, {outcome.annotations_existing} existing, "
            f"{len(outcome.rejected_terms)} rejected terms, {len(outcome.warnings)} warnings.\n"
            f"Unmatched: {len(outcome.unmatched_images)} images, {len(outcome.unmatched_rows)} rows."
        )
        for line in problems[:_MOST_LINES]:
            # Escape control characters that would move the cursor.
            self.stdout.write(printable(line))
        if len(problems) > _MOST_LINES:
            self.stdout.write(f"and {len(problems) - _MOST_LINES} more: --json lists all.")


def _problems(outcome: StudyImport) -> Iterator[str]:
    """Yield a line on everything that was rejected."""
    for file in outcome.rejected_files:
        yield f"file rejected: {file['file']}: {file['reason']}"
    for what, notes in (
        ("row not imported", outcome.unmatched_rows),
        ("term rejected", outcome.rejected_terms),
        ("warning", outcome.warnings),
    ):
        for note in notes:
            yield f"{what}: row {note.row or '–'}, {note.column} “{note.text}”: {note.reason}"
    for name in outcome.unmatched_images:
        yield f"image not annotated: {name}"
