"""What the commands share that import a file into a project."""

from __future__ import annotations

import json
from argparse import SUPPRESS, ArgumentParser
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from django.core.management.base import BaseCommand, CommandError

from annotator.exchange.annotation_files import OTHER_NOTATION
from annotator.exchange.formats.names import printable
from annotator.exchange.formats.report import StudyRefused
from annotator.management.arguments import project_named
from annotator.models import Project

MOST_LINES: Final = 100


@contextmanager
def refusals_as_errors() -> Iterator[None]:
    """Turn refusals of a file into a CommandError."""
    try:
        yield
    except StudyRefused as error:
        how_to = " To convert it, use --convert." if error.code == OTHER_NOTATION else ""
        raise CommandError(printable(str(error)) + how_to) from error
    except OSError as error:
        raise CommandError(f"The file cannot be read now: {error.strerror or error}.") from error


class FileCommand(BaseCommand):
    """A command with the arguments FILE, --project, --lint-only and --json."""

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare the arguments."""
        parser.add_argument("file", type=Path, metavar="FILE")
        parser.add_argument("--project", required=True, metavar="SLUG")
        parser.add_argument("--lint-only", action="store_true", help="list problems without storing anything")
        # The earlier name of --lint-only in import_faces.
        parser.add_argument("--check-only", action="store_true", dest="lint_only", help=SUPPRESS)
        parser.add_argument("--json", action="store_true", help="print the outcome as JSON")

    def print_lines(self, lines: Sequence[str]) -> None:
        """Print remarks on rows, cut after `MOST_LINES`."""
        for line in lines[:MOST_LINES]:
            self.stdout.write(printable(line))
        if len(lines) > MOST_LINES:
            self.stdout.write(f"and {len(lines) - MOST_LINES} more: --lint-only --json lists all.")


class WholeFileCommand(FileCommand):
    """A command that stores all rows of a file or, naming those that are wrong, none.

    A subclass reads, stores and tells; `read` and `store` raise StudyRefused, OSError or CommandError.
    """

    def handle(self, *args: Any, **options: Any) -> None:
        """Check and store; raises CommandError naming the rows that cannot be used."""
        project, path, lint_only = project_named(options["project"]), options["file"], options["lint_only"]
        with refusals_as_errors():
            found = self.read(path, project)
            refusal, outcome = self.refusal(found), None
            if not lint_only and refusal is None:
                outcome = self.store(found, project, path.name)
            data, lines = self.told(found, outcome)
            if options["json"]:
                self.stdout.write(json.dumps(data, indent=2))
            else:
                self.print_lines([*lines, *(["Nothing was stored (--lint-only)."] if lint_only else [])])
            if refusal is not None:
                raise refusal

    def read(self, path: Path, project: Project) -> Any:
        """Return the checked content of a file."""
        raise NotImplementedError

    def refusal(self, found: Any) -> StudyRefused | None:
        """Return why what was read cannot be stored, if `read` did not raise it, to list all problems."""
        return None

    def store(self, found: Any, project: Project, name: str) -> Any:
        """Store what `read` returned and return the outcome."""
        raise NotImplementedError

    def told(self, found: Any, outcome: Any) -> tuple[dict[str, Any], list[str]]:
        """Return what was found and stored as JSON values and as lines; `outcome` is None if nothing was."""
        raise NotImplementedError
