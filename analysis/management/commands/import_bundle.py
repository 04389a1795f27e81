"""Import a publication bundle as a project."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.core.validators import validate_slug
from django.forms import ValidationError

from analysis.bundles.restoring.archive import BundleRefused, Opened
from analysis.bundles.restoring.manifest import read_manifest
from analysis.bundles.restoring.restoring import restore
from analysis.bundles.restoring.uploaded import in_words
from annotator.database.transactions import write_transaction
from annotator.inputs.plain_text import TURNED, turns_text_round
from annotator.management.arguments import warning_if_unled
from annotator.models import Project
from annotator.work.machine_faults import MachineAtFault


class Command(BaseCommand):
    """`manage.py import_bundle FILE --project SLUG --name NAME`."""

    help = "Import a publication bundle into a new or empty project."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare the options."""
        parser.add_argument("file", type=Path)
        parser.add_argument("--project", required=True, metavar="SLUG", help="new or empty project")
        parser.add_argument("--name", default="", metavar="NAME", help="default: the original name")

    def handle(self, *, file: Path, project: str, name: str, **options: Any) -> None:
        """Import it and print what was restored; raise CommandError, storing nothing, if it fails."""
        found = Project.objects.filter(slug=project).first()
        try:
            target = found or _new_project(project, name or read_manifest(Opened(file)).name)
            try:
                made = restore(file, target, actor=None, watch=lambda *_: None)
            except BaseException:
                if found is None:
                    target.delete()
                raise
        except (BundleRefused, MachineAtFault) as refused:
            raise CommandError(str(refused)) from refused
        except OSError as error:
            raise CommandError(f"The image files could not be stored: {error.strerror or error}.") from error
        self.stdout.write(in_words(made))
        if words := warning_if_unled(target):
            self.stderr.write(words)


def _new_project(slug: str, name: str) -> Project:
    try:
        validate_slug(slug)
    except ValidationError as error:
        raise CommandError("--project: use only Latin letters, digits, - and _.") from error
    if len(slug) > 60 or len(name) > 120:
        raise CommandError("--project is limited to 60 characters, --name to 120.")
    if turns_text_round(name):
        raise CommandError(f"The project’s name: {TURNED} Use --name to change it.")
    with write_transaction():
        return Project.objects.create(slug=slug, name=name)
