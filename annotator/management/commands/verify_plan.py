"""`manage.py verify_plan`: recompute a batch's plan and compare it."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from annotator.batches.plan_verification import problems_of
from annotator.management.arguments import batch_named
from annotator.models import Plan
from annotator.models.counting import is_work


class Command(BaseCommand):
    """Exit with 0 if plan, certificate and assignments match, else with 1 and the differences."""

    help = "Recompute a batch's plan from its stored input and compare certificate and assignments."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare the options."""
        parser.add_argument("batch", help="name or number of the batch")
        parser.add_argument("--project", metavar="SLUG", help="if several projects have such a batch")

    def handle(self, *, batch: str, project: str | None, **options: Any) -> None:
        """Print that the plan is verified; raises CommandError with all differences."""
        found = batch_named(batch, project)
        problems = problems_of(found)
        if problems:
            raise CommandError("\n".join([f"“{found.name}” does not match its plan.", *problems]))
        release = found.plans.get(kind=Plan.Kind.RELEASE)
        changes = found.plans.filter(kind=Plan.Kind.CHANGE).count()
        since = {0: "", 1: " and one change of annotators"}.get(
            changes, f" and {changes} changes of annotators"
        )
        held = found.assignments.filter(is_work(), position__isnull=False).count()
        self.stdout.write(
            f"“{found.name}” matches its plan: seed {release.seed}, {release.algorithm}{since}.\n"
            f"Certificate {release.certificate}, {held} assignments."
        )
