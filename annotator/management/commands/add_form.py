"""`manage.py add_form`: store rating forms, each a JSON file as the builder downloads it."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from annotator.management.arguments import project_named
from annotator.protocols.rating_form.checking import definition_of_file
from annotator.protocols.rating_form.stored import FormRefused, save_form


class Command(BaseCommand):
    """Print the slug of each form; store all of them or none."""

    help = "Store rating forms from JSON files. Repeating it changes nothing."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Take the project and the files."""
        parser.add_argument("--project", required=True)
        parser.add_argument("files", nargs="+", type=Path)

    def handle(self, *_: Any, project: str, files: list[Path], **__: Any) -> None:
        """Store the forms; raises CommandError for an unknown project, file or definition."""
        owner, definitions = project_named(project), []
        for file in files:
            try:
                definitions.append(definition_of_file(file.read_bytes()))
            except (OSError, FormRefused) as error:
                raise CommandError(f"{file}: {error}") from error
        for definition in definitions:
            self.stdout.write(save_form(owner, definition, None).slug)
