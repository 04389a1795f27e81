"""Write a project's annotations, or its newest report, to a file."""

from __future__ import annotations

import os
import sys
from argparse import ArgumentParser
from collections.abc import Mapping
from datetime import date
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from analysis.exports.files import Export, ExportRefused, write_whole
from analysis.exports.filters import WORK, Filters
from analysis.exports.formats.formats import FORMATS
from analysis.exports.layouts import every_layout
from analysis.exports.requests import ExportRequest, record_export
from annotator.database.transactions import write_transaction
from annotator.management.arguments import batch_named, project_named, protocol_asked_for
from annotator.models import Assignment, Project


class Command(BaseCommand):
    """`manage.py export --project SLUG --layout sheet --output FILE`."""

    help = "Write a project's submitted annotations to a file. An existing file is replaced."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare the options."""
        parser.add_argument("--project", required=True, metavar="SLUG")
        parser.add_argument("--layout", required=True, choices=sorted(every_layout()))
        parser.add_argument(
            "--protocol", metavar="SLUG", help="whose answers it holds, where a project has several"
        )
        parser.add_argument("--format", default="csv", choices=sorted(FORMATS))
        parser.add_argument("--output", required=True, metavar="FILE", help="'-' writes to standard output")
        only = parser.add_argument_group("only some of them; an option given twice lets both through")
        for name in ("batch", "generator", "prompt", "annotator"):
            only.add_argument(f"--{name}", action="append", default=[], metavar="NAME")
        for name, what in (("from", "first"), ("to", "last")):
            only.add_argument(f"--{name}", type=day, metavar="DAY", help=f"{what} day of submission, UTC")
        only.add_argument(
            "--drafts", action="store_true", help="drafts and reopened ones too, marked as such"
        )
        only.add_argument(
            "--purpose",
            default=WORK,
            choices=Assignment.Purpose.values,
            help="what the answers are for; without it work, the answers that count",
        )
        parser.add_argument("--pseudonyms", action="store_true", help="instead of annotators' codes")

    def handle(self, *, project: str, layout: str, output: str, **options: Any) -> None:
        """Write the file and say how many rows it has; raises CommandError naming what is in the way."""
        found = project_named(project)
        protocol = protocol_asked_for(found, options["protocol"])
        request = ExportRequest(
            layout, options["format"], _filters(found, options), options["pseudonyms"], protocol
        )
        try:
            problems = request.problems()
        except ExportRefused as refused:
            raise CommandError(str(refused)) from refused
        if problems:
            raise CommandError(" ".join(problems.values()))
        export = request.export(found)
        try:
            if output == "-":
                _to_standard_output(export)
            else:
                write_whole(export, _writable(Path(output)))
        except BrokenPipeError:
            # Whoever read us has seen enough. Python would complain once more when it closes the stream.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return
        except ExportRefused as error:
            raise CommandError(str(error)) from error
        except ValueError as error:
            raise CommandError(f"The severity weights of {project} cannot be used: {error}.") from error
        except OSError as error:
            raise CommandError(f"{output} cannot be written: {error.strerror or error}.") from error
        with write_transaction():
            record_export(project=found, request=request, actor=None, data={"rows": export.lines})
        rows = "1 row" if export.lines == 1 else f"{export.lines} rows"
        said = self.stderr if output == "-" else self.stdout
        said.write(rows if output == "-" else f"{rows} written to {output}")
        for sentence in export.told():
            said.write(sentence)


def day(text: str) -> date:
    """Read `2026-03-01`; raises ValueError."""
    return date.fromisoformat(text)


def _filters(project: Project, options: Mapping[str, Any]) -> Filters:
    """Return the filters; raises CommandError for a name that the project does not know."""
    return Filters(
        batches=tuple(batch_named(name, project.slug).pk for name in options["batch"]),
        generators=_known(project, "generator", options["generator"]),
        prompts=_known(project, "prompt", options["prompt"]),
        annotators=_members(project, options["annotator"]),
        since=options["from"],
        until=options["to"],
        drafts=options["drafts"],
        purpose=options["purpose"],
    )


def _known(project: Project, field: str, names: list[str]) -> tuple[str, ...]:
    for name in names:
        if not project.images.filter(**{field: name}).exists():
            raise CommandError(f"{project.slug} has no image of the {field} {name!r}.")
    return tuple(names)


def _members(project: Project, codes: list[str]) -> tuple[int, ...]:
    """Return who these people are, whether they are active or not."""
    found = dict(project.memberships.filter(code__in=codes).values_list("code", "pk"))
    for code in codes:
        if code not in found:
            raise CommandError(f"Nobody in {project.slug} has the code {code!r}.")
    return tuple(found[code] for code in codes)


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
