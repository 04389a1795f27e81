"""`manage.py import_answers`: check and import annotations made elsewhere, or references."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError

from annotator.exchange.annotation_files import (
    ORIGINS,
    ReferenceImport,
    as_references,
    check_annotations,
    store_checked,
    store_references,
)
from annotator.exchange.formats.report import StudyImport
from annotator.exchange.storing import AT_RANDOM, UNKNOWN
from annotator.management.arguments import (
    DOUBLES_HELP,
    SHOWN_HELP,
    known_protocol,
    project_named,
    things_shown,
)
from annotator.management.file_import import FileCommand, refusals_as_errors
from annotator.models import Project, Reference
from annotator.protocols.registry import PAGES


class Command(FileCommand):
    """Store the accepted rows and print the outcome, or with --lint-only all problems."""

    help = (
        "Import annotations made elsewhere, or references, into a project with the images: the study's sheet "
        "or a rating sheet (CSV or XLSX). A second import adds nothing."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare the arguments."""
        super().add_arguments(parser)
        parser.add_argument(
            "--protocol", metavar="SLUG", help="protocol of the annotations (default: the project's only one)"
        )
        parser.add_argument(
            "--as",
            dest="origin",
            choices=[str(origin) for origin in ORIGINS],
            help="make them references of their images; planted: with errors made on purpose",
        )
        parser.add_argument("--shown", metavar="prompt,generator", help=SHOWN_HELP)
        parser.add_argument("--doubles", choices=(AT_RANDOM, UNKNOWN), help=DOUBLES_HELP)

    def handle(self, *args: Any, **options: Any) -> None:
        """Check and store; raises CommandError if nothing could be imported."""
        project, shown = project_named(options["project"]), things_shown(options["shown"])
        protocol, origin = _protocol(project, options["protocol"]), options["origin"]
        with refusals_as_errors():
            checked = check_annotations(
                options["file"], project=project, protocol=protocol, rationales=bool(origin)
            )
            checked = as_references(checked, project) if origin else checked
            if options["lint_only"]:
                self.stdout.write(json.dumps(checked.as_json(), indent=2))
                return
            outcome: StudyImport | ReferenceImport
            if origin:
                outcome = store_references(checked, project=project, origin=Reference.Origin(origin))
            else:
                outcome = store_checked(checked, project=project, shown=shown, doubles=options["doubles"])
        self.stdout.write(json.dumps(outcome.as_json(), indent=2))
        if outcome.did_nothing:
            raise CommandError("Nothing was imported.")


def _protocol(project: Project, slug: str | None) -> str:
    protocol = known_protocol(project, slug)
    if protocol.slug not in PAGES or PAGES[protocol.slug].sheet is None:
        raise CommandError(f"The protocol “{protocol.title}” has no sheet to import.")
    return protocol.slug
