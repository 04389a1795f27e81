"""Export a project's annotations or its newest report to a file."""

from __future__ import annotations

import os
import sys
from argparse import ArgumentParser
from collections.abc import Mapping
from datetime import date
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from analysis.exports.files import Export, write_whole
from analysis.exports.filters import WORK, Filters
from analysis.exports.formats import FORMATS
from analysis.exports.layout import HEADERS, PUBLISHED
from analysis.exports.registry import every_layout
from analysis.exports.requests import ExportRequest, record_export
from analysis.exports.source import ExportRefused
from annotator.database.transactions import write_transaction
from annotator.management.arguments import batch_named, project_named, protocol_asked_for
from annotator.models import Assignment, Project


class Command(BaseCommand):
    """`manage.py export --project SLUG --layout sheet --output FILE`."""

    help = "Export a project's submitted annotations to a file, replacing an existing one."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare the options."""
        parser.add_argument("--project", required=True, metavar="SLUG")
        parser.add_argument("--layout", required=True, choices=sorted(every_layout()))
        parser.add_argument(
            "--protocol", metavar="SLUG", help="protocol of the annotations; required if there are several"
        )
        parser.add_argument("--format", default="csv", choices=sorted(FORMATS))
        parser.add_argument(
            "--header",
            default=PUBLISHED,
            choices=HEADERS,
            help="column names: as in the published study, or tidy, such as missing_torso",
        )
        parser.add_argument("--output", required=True, metavar="FILE", help="'-' writes to standard output")
        only = parser.add_argument_group("filters; repeat an option to include several values")
        for name in ("batch", "generator", "prompt", "annotator"):
            only.add_argument(f"--{name}", action="append", default=[], metavar="NAME")
        for name, what in (("from", "first"), ("to", "last")):
            only.add_argument(f"--{name}", type=day, metavar="DAY", help=f"{what} date of submission, UTC")
        only.add_argument(
            "--purpose",
            default=WORK,
            choices=Assignment.Purpose.values,
            help="purpose of the annotations; default: work, which counts",
        )
        parser.add_argument(
            "--pseudonyms", action="store_true", help="replace annotators' codes by pseudonyms"
        )

    def handle(self, *, project: str, layout: str, output: str, **options: Any) -> None:
        """Write the file and print its number of rows; raise CommandError with the reason if it fails."""
        found = project_named(project)
        protocol = protocol_asked_for(found, options["protocol"])
        request = ExportRequest(
            layout,
            options["format"],
            _filters(found, options),
            options["pseudonyms"],
            protocol,
            options["header"],
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
            # The reader has closed the pipe. Avoid a second error when Python closes the stream.
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
    """Parse `2026-03-01`; raise ValueError for other forms."""
    return date.fromisoformat(text)


def _filters(project: Project, options: Mapping[str, Any]) -> Filters:
    """Return the filters; raise CommandError for a name unknown in the project."""
    return Filters(
        batches=tuple(batch_named(name, project.slug).pk for name in options["batch"]),
        generators=_known(project, "generator", options["generator"]),
        prompts=_known(project, "prompt", options["prompt"]),
        annotators=_members(project, options["annotator"]),
        since=options["from"],
        until=options["to"],
        purpose=options["purpose"],
    )


def _known(project: Project, field: str, names: list[str]) -> tuple[str, ...]:
    for name in names:
        if not project.images.filter(**{field: name}).exists():
            raise CommandError(f"{project.slug} has no image with the {field} {name!r}.")
    return tuple(names)


def _members(project: Project, codes: list[str]) -> tuple[int, ...]:
    """Return the membership ids of these codes, active or not."""
    found = dict(project.memberships.filter(code__in=codes).values_list("code", "pk"))
    for code in codes:
        if code not in found:
            raise CommandError(f"{project.slug} has no member with the code {code!r}.")
    return tuple(found[code] for code in codes)


def _writable(path: Path) -> Path:
    if path.is_dir():
        raise CommandError(f"{path} is a folder. Name a file in it.")
    if not path.parent.is_dir():
        raise CommandError(f"The folder {path.parent} does not exist. Create it first.")
    return path


def _to_standard_output(export: Export) -> None:
    for piece in export:
        sys.stdout.buffer.write(piece)
    sys.stdout.buffer.flush()
