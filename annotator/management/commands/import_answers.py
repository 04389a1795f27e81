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
from annotator.exchange.formats.names import printable
from annotator.exchange.formats.report import RowNote, StudyImport
from annotator.exchange.rows import Checked
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
    """Print all problems with what they may mean, and store the accepted rows unless --lint-only is given."""

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
                self.print_checked(checked, options["json"])
                return
            outcome: StudyImport | ReferenceImport
            if origin:
                outcome = made = store_references(checked, project=project, origin=Reference.Origin(origin))
                words = (
                    f"References: {made.added} added, {made.explained} with new rationales, "
                    f"{made.existing} existing."
                )
                refused = made.refused
            else:
                outcome = stored = store_checked(
                    checked, project=project, shown=shown, doubles=options["doubles"]
                )
                words = (
                    f"Annotations: {stored.annotations_added} added, {stored.annotations_existing} existing."
                )
                refused = stored.unmatched_rows
        if options["json"]:
            self.stdout.write(json.dumps(outcome.as_json(), indent=2))
        else:
            self.stdout.write(words)
            self.print_notes(checked, refused)
        if outcome.did_nothing:
            raise CommandError("Nothing was imported.")

    def print_checked(self, checked: Checked, as_json: bool) -> None:
        """Print what --lint-only found."""
        if as_json:
            self.stdout.write(json.dumps(checked.as_json(), indent=2))
            return
        self.stdout.write(f"Rows: {len(checked.matched)} usable, {len(checked.refused)} rejected.")
        self.print_notes(checked, checked.refused)

    def print_notes(self, checked: Checked, refused: list[RowNote] | tuple[RowNote, ...]) -> None:
        """Print new annotators, refused rows, unreadable terms and warnings."""
        if checked.newcomers:
            self.stdout.write(printable(f"New annotators: {', '.join(checked.newcomers)}"))
        if checked.sheet.not_read:
            self.stdout.write(printable(f"Columns not read: {', '.join(checked.sheet.not_read)}"))
        self.print_lines(_lines(checked, refused))


def _lines(checked: Checked, refused: list[RowNote] | tuple[RowNote, ...]) -> list[str]:
    lines = [f"rejected: row {note.row}, {note.column} “{note.text}”: {note.reason}" for note in refused]
    lines += [
        f"unreadable: row {note.row}, {note.column} “{note.text}”: {note.reason}" for note in checked.findings
    ]
    lines += [
        f"warning: row {note.row or '–'}, {note.column} “{note.text}”: {note.reason}"
        for note in checked.sheet.warnings
    ]
    return lines


def _protocol(project: Project, slug: str | None) -> str:
    protocol = known_protocol(project, slug)
    if protocol.slug not in PAGES or PAGES[protocol.slug].sheet is None:
        raise CommandError(f"The protocol “{protocol.title}” has no sheet to import.")
    return protocol.slug
