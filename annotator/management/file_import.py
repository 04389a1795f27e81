"""What the commands share that import a file into a project."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, ClassVar, Final

from django.core.management.base import BaseCommand, CommandError

from annotator.exchange.formats.names import printable
from annotator.exchange.formats.report import StudyRefused
from annotator.exchange.image_rows import RowsKind
from annotator.inputs.refusal import Refusal
from annotator.management.arguments import project_named

MOST_LINES: Final = 100


@contextmanager
def refusals_as_errors() -> Iterator[None]:
    """Turn refusals of a file into a CommandError."""
    try:
        yield
    except StudyRefused as error:
        raise CommandError(printable(str(error))) from error
    except OSError as error:
        raise CommandError(f"The file cannot be read now: {error.strerror or error}.") from error


class FileCommand(BaseCommand):
    """A command with the arguments FILE, --project, --lint-only and --json."""

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare the arguments."""
        parser.add_argument("file", type=Path, metavar="FILE")
        parser.add_argument("--project", required=True, metavar="SLUG")
        parser.add_argument("--lint-only", action="store_true", help="list problems without storing anything")
        parser.add_argument("--json", action="store_true", help="print the outcome as JSON")

    def print_lines(self, lines: Sequence[str]) -> None:
        """Print remarks on rows, cut after `MOST_LINES`."""
        for line in lines[:MOST_LINES]:
            self.stdout.write(printable(line))
        if len(lines) > MOST_LINES:
            self.stdout.write(f"and {len(lines) - MOST_LINES} more: --lint-only --json lists all.")


class ImageRowsCommand(FileCommand):
    """Store all rows of a file or, naming those that cannot be used, none."""

    kind: ClassVar[RowsKind[Any]]

    def handle(self, *args: Any, **options: Any) -> None:
        """Check and store; raises CommandError naming the rows that cannot be used."""
        project, lint_only = project_named(options["project"]), options["lint_only"]
        with refusals_as_errors():
            how = {name: options[name] for name in self.kind.check_options}
            checked = self.kind.check(options["file"], project, **how)
            data = checked.as_json()
            stored = ["Nothing was stored (--lint-only)."] if lint_only else []
            if checked.refusal is None and not lint_only:
                try:
                    said = {name: options[name] for name in self.kind.store_options}
                    data["stored"] = self.kind.store(checked, project, None, **said).words
                except Refusal as refused:
                    raise CommandError(str(refused)) from refused
                stored = [data["stored"]]
            if options["json"]:
                self.stdout.write(json.dumps(data, indent=2))
            else:
                lines = [f"{title}: {count:,}" for title, count in checked.counts.items()]
                if checked.not_read:
                    lines.append(f"Columns not read: {', '.join(checked.not_read)}")
                lines += [
                    f"rejected: row {note.row}, “{note.text}”: {note.reason}" for note in checked.refused
                ]
                lines += [
                    f"warning: {note.column}: {note.reason}"
                    for notes in checked.remarks.values()
                    for note in notes
                ]
                self.print_lines([*lines, *stored])
            if checked.refusal is not None:
                raise checked.refusal
