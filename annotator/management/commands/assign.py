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
from annotator.batches.requests import BatchRequest, requested_drawing, requested_plan
from annotator.batches.second_stage.drawing import WAYS, Draw, Drawing
from annotator.management.arguments import batch_named, known_protocol, people_named, project_named
from annotator.models import Batch, Project


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
        parser.add_argument("--capacities", default="", metavar="A=10,B=20", help="image limit per annotator")
        parser.add_argument("--generators", default="", metavar="G,H", help="only these")
        parser.add_argument("--prompts", default="", metavar="P,Q", help="only these")
        parser.add_argument(
            "--unassigned", action="store_true", help="only images not yet assigned under this protocol"
        )
        parser.add_argument(
            "--real", type=int, default=0, metavar="N", help="real images to rate as unannounced checks"
        )
        parser.add_argument("--top-up", action="store_true", help="balance across earlier batches")
        parser.add_argument(
            "--follows", metavar="BATCH", help="second stage: draw the images from this batch"
        )
        parser.add_argument("--draw", choices=WAYS, default="all", help="how to draw (default: all)")
        parser.add_argument("--images", type=int, metavar="N", help="number of images to draw")
        parser.add_argument(
            "--control",
            type=int,
            metavar="PERCENT",
            help="leave out images without marks, except for this percentage of them",
        )
        parser.add_argument("--dry-run", action="store_true", help="preview the plan without storing it")
        parser.add_argument("--json", action="store_true", help="print all assignments, too")

    def handle(self, *, project: str, **options: Any) -> None:
        """Compute, print and release the plan; raises CommandError."""
        found = project_named(project)
        basis = planned_on(found)
        wanted = _request(found, options)
        try:
            drawing = requested_drawing(found, wanted)
            plan = requested_plan(found, wanted, drawing)
            batch = (
                None
                if options["dry_run"]
                else release_plan(project=found, request=wanted, plan=plan, basis=basis)
            )
        except (InvalidBatch, InvalidDesign) as error:
            raise CommandError(str(error)) from error
        told = _facts(found, wanted, plan, batch, drawing)
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
        selection=_selection(project, options),
        capacities=_capacities(options["capacities"], options["annotators"]),
        overlap=share if options["overlap"] is None else _overlap(options["overlap"]),
        per_image=per_image if options["per_image"] is None else options["per_image"],
        seed=options["seed"],
        top_up=options["top_up"],
        protocol=protocol,
        draw=_draw(project, options),
    )


def _draw(project: Project, options: dict[str, Any]) -> Draw | None:
    """Return the draw from another batch; raises CommandError for conflicting options."""
    if options["follows"] is None:
        alone = [name for name in ("images", "control") if options[name] is not None]
        if alone or options["draw"] != "all":
            raise CommandError(f"--{(alone or ['draw'])[0]} needs --follows BATCH.")
        return None
    if together := [name for name in ("generators", "prompts", "unassigned") if options[name]]:
        raise CommandError(f"--{together[0]} cannot be combined with --follows, which selects the images.")
    batch = batch_named(options["follows"], project.slug)
    return Draw(batch.pk, options["draw"], options["images"], options["control"])


def _facts(
    project: Project, wanted: BatchRequest, plan: MadePlan, batch: Batch | None, drawing: Drawing | None
) -> dict[str, Any]:
    """Return what the preview of a page says; `left_out` and `unscored` count images."""
    told = {
        "seed": plan.design.seed,
        "algorithm": ALGORITHM,
        "batch": batch and {"id": batch.pk, "name": batch.name},
        "balance": plan.balance.as_json(),
        "unscored": unscored(plan, wanted.protocol),
    }
    if drawing:
        return {**told, "draw": drawing.as_json()}
    return {**told, "left_out": left_out_of(project, wanted.selection, wanted.protocol)}


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


def _selection(project: Project, options: dict[str, Any]) -> Selection:
    """Return the filters; raises CommandError for values unknown to the project."""
    found = Selection(
        generators=tuple(_words(options["generators"])),
        prompts=tuple(_words(options["prompts"])),
        unassigned=options["unassigned"],
        real=options["real"],
    )
    for field, values in (("generator", found.generators), ("prompt", found.prompts)):
        named = project.images.filter(**{f"{field}__in": values}).order_by()
        known = set(named.values_list(field, flat=True))
        if missing := [value for value in values if value not in known]:
            raise CommandError(f"No image of {project.slug} has the {field} {missing[0]!r}.")
    return found


def _capacities(text: str, annotators: str) -> dict[str, int]:
    known = set(_words(annotators))
    capacities: dict[str, int] = {}
    for word in _words(text):
        code, equals, number = (part.strip() for part in word.rpartition("="))
        if not equals or not (number.isascii() and number.isdigit()):
            raise CommandError(f"--capacities: {word!r} is not of the form CODE=NUMBER.")
        if code not in known or code in capacities:
            fault = "is listed twice" if code in capacities else "is not among the annotators"
            raise CommandError(f"--capacities: {code!r} {fault}.")
        capacities[code] = int(number)
    return capacities


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


def _words(text: str) -> list[str]:
    return [word.strip() for word in text.split(",") if word.strip()]
