"""Import a study: images and annotations from a folder."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from annotator.exchange.formats.names import printable
from annotator.exchange.formats.report import StudyRefused
from annotator.exchange.storing import AT_RANDOM, UNKNOWN
from annotator.management.arguments import (
    DOUBLES_HELP,
    SHOWN_HELP,
    project_to_fill,
    things_shown,
    warning_if_unled,
)
from annotator.uploads.from_server import images_of, import_study


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
        self.stdout.write(json.dumps(outcome.as_json(), indent=2))
        if outcome.did_nothing:
            raise CommandError("Nothing was imported.")
        if words := warning_if_unled(project):
            self.stderr.write(words)
