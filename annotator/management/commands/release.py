"""`manage.py release`: every named annotator gets every image."""

from __future__ import annotations

from argparse import ArgumentParser
from decimal import Decimal
from typing import Any

from django.core.management import BaseCommand, CommandError

from annotator.assignments import InvalidBatch, crossed_rows, release_batch
from annotator.models import Membership, Project


class Command(BaseCommand):
    """A fully crossed design; each person meets the images in an order of their own."""

    help = "Release all images of a project as one batch in which every named annotator labels every image."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--project", required=True, metavar="SLUG")
        parser.add_argument("--annotators", required=True, help="codes, separated by commas")
        parser.add_argument("--name", default="Batch 1", help="the batch's name (default: Batch 1)")
        parser.add_argument("--seed", type=int, default=1, help="of the orders (default: 1)")

    def handle(self, *args: Any, **options: Any) -> None:
        project = Project.objects.filter(slug=options["project"]).first()
        if project is None:
            known = ", ".join(Project.objects.values_list("slug", flat=True)) or "none yet"
            raise CommandError(f"There is no project {options['project']!r}. Projects: {known}.")
        people = _people(project, options["annotators"])
        rows = crossed_rows(project.images.all(), people, seed=options["seed"])
        try:
            batch = release_batch(
                project=project,
                name=options["name"],
                rows=rows,
                overlap=Decimal(len(people) > 1),
                coders=len(people),
                seed=options["seed"],
            )
        except InvalidBatch as error:
            raise CommandError(str(error)) from error
        images = len(rows) // len(people)
        self.stdout.write(f"Released “{batch.name}”: {images} images to each of {len(people)} annotators.")


def _people(project: Project, text: str) -> list[Membership]:
    codes = [code.strip() for code in text.split(",") if code.strip()]
    found = {member.code: member for member in project.memberships.filter(code__in=codes)}
    missing = [code for code in codes if code not in found]
    if missing or not codes:
        known = ", ".join(project.memberships.values_list("code", flat=True)) or "nobody yet"
        raise CommandError(f"Not in {project.slug}: {', '.join(missing) or 'nobody named'}. Known: {known}.")
    return [found[code] for code in dict.fromkeys(codes)]
