"""Import a study: images and annotations from a folder."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from pathlib import Path
from typing import Any, Final

from django.core.management.base import BaseCommand, CommandError
from django.core.validators import validate_slug
from django.forms import ValidationError
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

from annotator.exchange import StudyImport, StudyRefused
from annotator.exchange.doubles import AT_RANDOM, UNKNOWN
from annotator.exchange.formats.names import printable
from annotator.exchange.study import Progress, read_study, store_study
from annotator.management.arguments import DOUBLES_HELP, SHOWN_HELP, things_shown, warning_if_unled
from annotator.models import Project

_MOST_LINES: Final = 40
# Wide enough to keep lines unbroken for other programs.
_LINE: Final = 2000
_LONGEST_SLUG: Final = 60


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
        parser.add_argument("--manifest", type=Path, metavar="FILE", help="CSV: file,generator,prompt,number")
        parser.add_argument("--prompt-groups", type=Path, metavar="FILE", help="CSV: prompt,group")
        parser.add_argument("--shown", metavar="prompt,generator", help=SHOWN_HELP)
        parser.add_argument("--doubles", choices=(AT_RANDOM, UNKNOWN), help=DOUBLES_HELP)
        parser.add_argument("--json", action="store_true", help="print the outcome as JSON")

    def handle(self, *args: Any, **options: Any) -> None:
        """Import; raises CommandError if nothing could be imported."""
        slug = _checked_slug(options["project"])
        shown = things_shown(options["shown"])
        made = False
        project = None
        try:
            study = read_study(
                options["folder"],
                annotations=options["annotations"],
                manifest=options["manifest"],
                prompt_groups=options["prompt_groups"],
            )
            project, made = Project.objects.get_or_create(
                slug=slug, defaults={"name": slug.replace("-", " ").capitalize()}
            )
            outcome = store_study(
                study,
                project=project,
                shown=shown,
                doubles=options["doubles"],
                progress=_progress(self.stderr),
            )
        except StudyRefused as error:
            raise CommandError(printable(str(error))) from error
        finally:
            # Remove a project that this command created and that is still empty.
            if made and project is not None and not project.images.exists():
                project.delete()
        self._print(outcome, options["json"])
        if outcome.did_nothing:
            raise CommandError(_nothing(outcome))
        if words := warning_if_unled(project):
            self.stderr.write(words)

    def _print(self, outcome: StudyImport, as_json: bool) -> None:
        if as_json:
            self.stdout.write(json.dumps(outcome.as_json(), indent=2))
            return
        self.stdout.write(
            f"Images: {outcome.images_added} added, {outcome.images_existing} existing, "
            f"{len(outcome.rejected_files)} rejected."
        )
        self.stdout.write(
            f"Annotations: {outcome.annotations_added} added, {outcome.annotations_existing} existing, "
            f"{len(outcome.rejected_terms)} rejected terms, {len(outcome.warnings)} warnings."
        )
        self.stdout.write(
            f"Unmatched: {len(outcome.unmatched_images)} images, {len(outcome.unmatched_rows)} rows."
        )
        self._print_problems(_problems(outcome))

    def _print_problems(self, problems: list[tuple[str, str, str, str]]) -> None:
        if not problems:
            return
        table = Table(box=SIMPLE_HEAD)
        for heading in ("What", "Where", "Text", "Reason"):
            table.add_column(heading, overflow="fold")
        for problem in problems[:_MOST_LINES]:
            # Escape control characters that would move the cursor.
            table.add_row(*map(printable, problem))
        width = None if self.stdout.isatty() else _LINE
        console = Console(width=width, markup=False, highlight=False)
        with console.capture() as captured:
            console.print(table)
        self.stdout.write(captured.get().rstrip())
        if len(problems) > _MOST_LINES:
            self.stdout.write(f"and {len(problems) - _MOST_LINES} more: --json lists all.")


def _checked_slug(slug: str) -> str:
    try:
        validate_slug(slug)
    except ValidationError as error:
        message = f"“{slug}” is not a valid slug: use only letters, digits, hyphens and underscores."
        raise CommandError(message) from error
    if len(slug) > _LONGEST_SLUG:
        raise CommandError(f"The slug is longer than {_LONGEST_SLUG} characters.")
    return slug


def _progress(stderr: Any) -> Progress | None:
    """Return a progress line on a terminal; elsewhere None."""
    if not stderr.isatty():
        return None

    def show(done: int, total: int) -> None:
        if done == total or done % 10 == 0:
            stderr.write(f"\rImporting {done} of {total}", ending="\n" if done == total else "")
            stderr.flush()

    return show


def _problems(outcome: StudyImport) -> list[tuple[str, str, str, str]]:
    """Return kind, place, text and reason of everything rejected."""
    lines = [("file rejected", "", file.file, file.reason) for file in outcome.rejected_files]
    for what, notes in (
        ("row not imported", outcome.unmatched_rows),
        ("term rejected", outcome.rejected_terms),
        ("warning", outcome.warnings),
    ):
        for note in notes:
            where = f"row {note.row}, {note.column}" if note.row else note.column
            lines.append((what, where.rstrip(", "), note.text, note.reason))
    lines += [("image not annotated", "", name, "no row") for name in outcome.unmatched_images]
    return lines


def _nothing(outcome: StudyImport) -> str:
    problems = _problems(outcome)
    _, where, text, reason = problems[0]
    named = f"{text}: {reason}" if not where else f"{where}, “{text}”: {reason}"
    return printable(f"Nothing was imported. {named}.")
