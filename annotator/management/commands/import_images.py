"""Import images from a folder or a zip archive."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from pathlib import Path
from typing import Any, Final

from django.core.management.base import BaseCommand, CommandError

from annotator.exchange.formats.archives import CODE_PAGES
from annotator.exchange.formats.names import printable
from annotator.management.arguments import project_to_fill, warning_if_unled
from annotator.models import Project, Upload, UploadedFile
from annotator.uploads.from_server import close, read_now, store_now, upload_from
from annotator.uploads.path_patterns import PatternRefused, parse_pattern
from annotator.uploads.reading import ENCODING
from annotator.uploads.receiving import UploadRefused
from annotator.uploads.status import counts
from annotator.uploads.upload_jobs import DEFAULTS, checked

State: Final = UploadedFile.State
_MOST_PROBLEMS: Final = 2000
_EXAMPLES: Final = 10
_TROUBLE: Final = (State.UNCLEAR, State.DUPLICATE, State.REFUSED, State.IGNORED, State.TABLE)


_ADVICE: Final = " Say what made the images: --generator, --pattern or --manifest."


class Command(BaseCommand):
    """`manage.py import_images SOURCE --project SLUG [--pattern P | --manifest F] [--dry-run]`."""

    help = (
        "Import images from SOURCE (a folder, or a zip archive) into a project, which is created if it does "
        "not exist. Names are read by folders, by a pattern such as {generator}/{prompt}/{number}, or by a "
        "manifest. A second import adds nothing."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare the arguments."""
        parser.add_argument("source", metavar="SOURCE")
        parser.add_argument("--project", required=True, metavar="SLUG")
        parser.add_argument(
            "--pattern", default="", metavar="P", help="such as {generator}/{prompt}/{number}"
        )
        parser.add_argument("--manifest", type=Path, metavar="F", help="file,generator,prompt,number")
        parser.add_argument(
            "--dry-run", action="store_true", help="print what would be stored, store nothing"
        )
        for name in DEFAULTS:
            parser.add_argument(f"--{name}", default="", help=f"{name} of all files")
        parser.add_argument(
            "--zip-names", default="", choices=CODE_PAGES, help="code page of names in an old zip archive"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Import; raises CommandError if nothing could be imported."""
        with project_to_fill(options["project"]) as project:
            try:
                self._import(project, options)
            except (UploadRefused, PatternRefused) as refused:
                raise CommandError(printable(str(refused))) from refused
        if project.pk and (words := warning_if_unled(project)):
            self.stderr.write(words)

    def _import(self, project: Project, options: dict[str, Any]) -> None:
        pattern: str = options["pattern"].strip()
        choices = {"defaults": checked(options), ENCODING: options["zip_names"]}
        if options["manifest"]:
            choices["manifest"] = str(options["manifest"].absolute())
        upload = upload_from(
            project=project,
            source=options["source"],
            pattern=parse_pattern(pattern).text if pattern else "",
            choices=choices,
        )
        keep = False
        try:
            read_now(upload)
            if not options["dry_run"] and upload.files.filter(state=State.READY).exists():
                store_now(upload)
            outcome = _outcome(upload, dry=options["dry_run"])
            self.stdout.write(json.dumps(outcome, indent=2))
            # Unclear files can be corrected on the upload's page.
            keep = not options["dry_run"] and upload.files.filter(image__isnull=False).exists()
        finally:
            if not keep:
                close(upload)
        if not any(outcome["files"].get(state) for state in (State.READY, State.STORED, State.DUPLICATE)):
            advice = _ADVICE if outcome["files"].get(State.UNCLEAR) else ""
            raise CommandError(f"No image could be stored.{advice}")


def _outcome(upload: Upload, *, dry: bool) -> dict[str, Any]:
    files = upload.files.order_by("pk")
    troubles = files.filter(state__in=_TROUBLE).exclude(problem="", state__in=(State.IGNORED, State.TABLE))
    usable = files.filter(state__in=(State.READY, State.STORED))
    names = ("name", "generator", "prompt", "prompt_group", "number")
    return {
        "dry_run": dry,
        "pattern": upload.pattern,
        "files": {state: count for state, count in counts(upload).items() if count},
        "examples": [
            {"file": name, **dict(zip(names[1:], values, strict=True))}
            for name, *values in usable.values_list(*names)[:_EXAMPLES]
        ],
        "problem_count": troubles.count(),
        "problems": [
            {
                "file": file.name,
                "state": file.state,
                "problem": file.problem,
                "rows": file.attributes.get("problems", []) if file.state == State.TABLE else [],
            }
            for file in troubles[:_MOST_PROBLEMS]
        ],
    }
