"""`manage.py add_person`: add a member to a project."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management import BaseCommand, CommandError

from annotator.management.arguments import project_named
from annotator.models import Membership
from annotator.people.codes import PersonRefused
from annotator.people.members import add_person


class Command(BaseCommand):
    """Add a member, and print the password of a new account once."""

    help = "Add a person to a project with a role; create the account if it does not exist."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("username")
        parser.add_argument("--project", required=True, metavar="SLUG")
        parser.add_argument("--role", required=True, choices=Membership.Role.values)
        parser.add_argument("--code", default="", help="take over the annotator with this code")

    def handle(self, *args: Any, **options: Any) -> None:
        project = project_named(options["project"])
        try:
            membership, password = add_person(
                project=project, username=options["username"], role=options["role"], code=options["code"]
            )
        except PersonRefused as error:
            raise CommandError(str(error)) from error
        self.stdout.write(
            f"{options['username']} is {membership.role} in {project.slug}, as {membership.code}."
        )
        if password:
            self.stdout.write(f"Password: {password}  (shown once; change it after signing in)")
