"""Write a project's submitted annotations to a CSV file."""

from __future__ import annotations

import os
import sys
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from analysis.exports.files import Export, write_whole
from analysis.exports.layouts import LAYOUTS
from annotator.management.arguments import project_named


class Command(BaseCommand):
    """`manage.py export --project SLUG --layout sheet --output FILE`."""

    help = "Write a project's submitted annotations to a CSV file. An existing file is replaced."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare the options."""
        parser.add_argument("--project", required=True, metavar="SLUG")
        parser.add_argument("--layout", required=True, choices=sorted(LAYOUTS))
        parser.add_argument("--output", required=True, metavar="FILE", help="'-' writes to standard output")

    def handle(self, *, project: str, layout: str, output: str, **_: Any) -> None:
        """Write the file and say how many rows it has; raises CommandError naming what is in the way."""
        export = Export(project_named(project), LAYOUTS[layout])
        try:
            if output == "-":
                _to_standard_output(export)
            else:
                write_whole(export, _writable(Path(output)))
        except BrokenPipeError:
            # Whoever read us has seen enough. Python would complain once more when it closes the stream.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return
        except ValueError as error:
            raise CommandError(f"The severity weights of {project} cannot be used: {error}.") from error
        except OSError as error:
            raise CommandError(f"{output} cannot be written: {error.strerror or error}.") from error
        rows = "1 row" if export.lines == 1 else f"{export.lines} rows"
        self.stderr.write(rows) if output == "-" else self.stdout.write(f"{rows} written to {output}")


def _writable(path: Path) -> Path:
    if path.is_dir():
        raise CommandError(f"{path} is a folder. Name a file in it.")
    if not path.parent.is_dir():
        raise CommandError(f"The folder {path.parent} does not exist. Make it first.")
    return path


def _to_standard_output(export: Export) -> None:
    for piece in export:
        sys.stdout.buffer.write(piece)
    sys.stdout.buffer.flush()
