"""What the commands share that import a file into a project."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, ClassVar

from django.core.management.base import BaseCommand, CommandError

from annotator.exchange.formats.names import printable
from annotator.exchange.formats.report import StudyRefused
from annotator.exchange.image_rows import RowsKind
from annotator.inputs.refusal import Refusal
from annotator.management.arguments import project_named


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
    """A command with the arguments FILE, --project and --lint-only, which prints its outcome as JSON."""

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare the arguments."""
        parser.add_argument("file", type=Path, metavar="FILE")
        parser.add_argument("--project", required=True, metavar="SLUG")
        parser.add_argument("--lint-only", action="store_true", help="list problems without storing anything")


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
            if checked.refusal is None and not lint_only:
                try:
                    said = {name: options[name] for name in self.kind.store_options}
                    data["stored"] = self.kind.store(checked, project, None, **said).words
                except Refusal as refused:
                    raise CommandError(str(refused)) from refused
            self.stdout.write(json.dumps(data, indent=2))
            if checked.refusal is not None:
                raise checked.refusal
