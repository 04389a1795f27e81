"""Compare the published study's numbers with ours."""

from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from django.core.management.base import BaseCommand, CommandError

from analysis.data.datasets import load_frame, submitted
from annotator.annotations.unreadable import nothing_read
from annotator.management.arguments import project_named
from annotator.models import Project

if TYPE_CHECKING:
    from analysis.stats.reproduction import SkippedTerm


class Command(BaseCommand):
    """`manage.py reproduce --project SLUG [--output docs/reference/reproduction.md]`."""

    help = "Compare every number of the published study with ours, for a project that holds its data."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare the options."""
        parser.add_argument("--project", required=True, metavar="SLUG")
        parser.add_argument("--output", default="-", metavar="FILE", help="default: standard output")

    def handle(self, *, project: str, output: str, **_: Any) -> None:
        """Write the page; raise CommandError with the reason if it fails."""
        page = reproduction_page(project_named(project))
        if output == "-":
            self.stdout.write(page, ending="")
            return
        try:
            Path(output).write_text(page, encoding="utf-8")
        except OSError as error:
            raise CommandError(f"{output} cannot be written: {error.strerror or error}.") from error
        self.stdout.write(f"{output} written")


def reproduction_page(project: Project) -> str:
    """Return the page as Markdown; raise CommandError for a project without usable annotations."""
    from analysis.stats.reproduction import reproduction

    try:
        return reproduction(load_frame(project), list(skipped_terms(project)))
    except ValueError as error:
        raise CommandError(str(error)) from error


def skipped_terms(project: Project) -> Iterator[SkippedTerm]:
    """Yield the unreadable imported terms that contain a fraction."""
    from analysis.stats.reproduction import skipped_term

    rows = (
        submitted(project)
        .filter(source__isnull=False)
        # Fully unreadable annotations are in no table.
        .exclude(nothing_read())
        .order_by("pk")
        .values_list("assignment__image_id", "assignment__annotator__code", "source")
    )
    for image, annotator, source in rows.iterator(chunk_size=2000):
        for problem in (source or {}).get("problems", ()):
            if term := skipped_term(image, annotator, problem["text"]):
                yield term
