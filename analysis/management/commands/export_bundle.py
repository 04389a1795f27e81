"""Export a project as a publication bundle."""

from __future__ import annotations

from argparse import ArgumentParser
from functools import partial
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from analysis.bundles.bundle_jobs import record_bundle, write_bundle
from analysis.bundles.source import BundleRequest, read_licence
from analysis.exports.files import write_whole
from annotator.database.transactions import write_transaction
from annotator.management.arguments import project_named
from annotator.work.jobs import JobRefused


class Command(BaseCommand):
    """`manage.py export_bundle --project SLUG --output FILE`."""

    help = "Export a whole project as one zip for publication, replacing an existing file."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare the options."""
        parser.add_argument("--project", required=True, metavar="SLUG")
        parser.add_argument("--output", required=True, metavar="FILE")
        parser.add_argument("--hashes", action="store_true", help="include hashes instead of image files")
        parser.add_argument("--pseudonyms", action="store_true", help="hide annotators' codes")
        parser.add_argument("--no-reports", action="store_true", help="leave out reports, which is faster")
        parser.add_argument("--with-faces", default="", metavar="REASON", help="show faces that batches blur")
        parser.add_argument("--licence", default="", metavar="NAME", help="name or web address: CC-BY-4.0")

    def handle(self, *, project: str, output: str, licence: str, with_faces: str, **options: Any) -> None:
        """Write the file and print its size; raise CommandError with the reason if it fails."""
        found = project_named(project)
        path = Path(output)
        if path.is_dir() or not path.parent.is_dir():
            raise CommandError(f"{path} cannot be written. Name a file in an existing folder.")

        try:
            pictures, reports = not options["hashes"], not options["no_reports"]
            request = BundleRequest(
                pictures, options["pseudonyms"], read_licence(licence), reports, with_faces
            )
            size, lost = write_bundle(found, request, lambda *_: None, partial(write_whole, path=path))
        except JobRefused as refused:
            raise CommandError(str(refused)) from refused
        except ValueError as error:
            raise CommandError(f"--licence: {error}") from error
        with write_transaction():
            record_bundle(project=found, request=request, actor=None, data={"bytes": size})
        if lost:
            self.stderr.write(f"{lost} image files are missing in storage; the bundle has only their hashes.")
        self.stdout.write(f"{size:,} bytes written to {path}")
