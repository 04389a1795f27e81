"""`manage.py assign`: preview or release a balanced, seeded plan."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from fractions import Fraction
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from annotator.batches.assignments import InvalidBatch
from annotator.batches.designs import Selection, left_out_of
from annotator.batches.overlap import usual_overlap
from annotator.batches.planning import ALGORITHM, InvalidDesign
from annotator.batches.planning import Plan as MadePlan
from annotator.batches.previews import unscored
from annotator.batches.releases import planned_on, release_plan
from annotator.batches.requests import BatchRequest, requested_plan
from annotator.management.arguments import known_protocol, people_named, project_named
from annotator.models import Project


class Command(BaseCommand):
    """Print the balance, with --json all assignments too, and release the batch unless --dry-run is given."""

    help = "Assign images of a project to annotators at random, balanced and seeded, as one batch."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare the options."""
        parser.add_argument("--project", required=True, metavar="SLUG")
        parser.add_argument("--annotators", required=True, metavar="A,B", help="codes")
        parser.add_argument(
            "--protocol", metavar="SLUG", help="protocol of the batch (default: the project's only one)"
        )
        parser.add_argument(
            "--overlap",
            help="share of the images (0.25, 25%%) or number of images (60); default: 25%%, or 100%% where a "
            "score needs several annotators",
        )
        parser.add_argument(
            "--per-image",
            type=int,
            help="annotators per overlap image (default: 2, or 5 where a score needs several annotators)",
        )
        parser.add_argument("--seed", type=int, default=1, help="default: 1")
        parser.add_argument("--name", default="Batch 1", help="the batch's name (default: Batch 1)")
        parser.add_argument(
            "--unassigned", action="store_true", help="only images not yet assigned under this protocol"
        )
        parser.add_argument("--top-up", action="store_true", help="balance across earlier batches")
        parser.add_argument("--dry-run", action="store_true", help="preview the plan without storing it")
        parser.add_argument("--json", action="store_true", help="print all assignments, too")

    def handle(self, *, project: str, **options: Any) -> None:
        """Compute, print and release the plan; raises CommandError."""
        found = project_named(project)
        basis = planned_on(found)
        wanted = _request(found, options)
        batch = None
        try:
            plan = requested_plan(found, wanted)
            if not options["dry_run"]:
                batch = release_plan(project=found, request=wanted, plan=plan, basis=basis)
        except (InvalidBatch, InvalidDesign) as error:
            raise CommandError(str(error)) from error
        # As the preview of a page says it; `left_out` and `unscored` count images.
        told = {
            "seed": plan.design.seed,
            "algorithm": ALGORITHM,
            "batch": batch and {"id": batch.pk, "name": batch.name},
            "balance": plan.balance.as_json(),
            "unscored": unscored(plan, wanted.protocol),
            "left_out": left_out_of(found, wanted.selection, wanted.protocol),
        }
        if options["json"]:
            told["assignments"] = _assignments(found, plan)
        self.stdout.write(json.dumps(told, ensure_ascii=False, indent=1))


def _request(project: Project, options: dict[str, Any]) -> BatchRequest:
    """Return the batch that the options ask for; raises CommandError."""
    protocol = known_protocol(project, options["protocol"]).slug
    share, per_image = usual_overlap(protocol)
    return BatchRequest(
        name=options["name"],
        people=tuple(member.pk for member in people_named(project, options["annotators"])),
        selection=Selection(unassigned=options["unassigned"]),
        overlap=share if options["overlap"] is None else _overlap(options["overlap"]),
        per_image=per_image if options["per_image"] is None else options["per_image"],
        seed=options["seed"],
        top_up=options["top_up"],
        protocol=protocol,
    )


def _assignments(project: Project, plan: MadePlan) -> list[dict[str, Any]]:
    names = dict(project.images.values_list("sha256", "source_name"))
    strata = {image.key: image for image in plan.design.images}
    return [
        {
            "image": names[placement.image],
            "sha256": placement.image,
            "generator": strata[placement.image].generator,
            "prompt": strata[placement.image].prompt,
            "annotator": placement.annotator,
            "position": placement.position,
            "overlap": placement.overlap,
        }
        for placement in plan.placements
    ]


def _overlap(text: str) -> Fraction | int:
    """Read `0.25`, `25%` or `1/4` as a share, `60` as images; 0 and 1 are shares. Raises CommandError."""
    typed = text.strip().replace(",", ".")
    try:
        if not typed.isascii() or "_" in typed:
            raise ValueError
        if typed.endswith("%"):
            return Fraction(typed[:-1]) / 100
        return int(typed) if typed.isdigit() and typed not in {"0", "1"} else Fraction(typed)
    except (ValueError, ZeroDivisionError):
        told = "--overlap: enter a share such as 0.25 or 25%, or a number of images such as 60."
        raise CommandError(told) from None
