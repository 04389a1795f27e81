"""Build the input of a plan from rows: images, annotators and earlier assignments."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import groupby
from operator import itemgetter

from django.db.models import Exists, OuterRef, Q, QuerySet

from annotator.batches.planning import Counts, Design, PlanAnnotator, PlanImage
from annotator.batches.planning.counts import counted
from annotator.models import Assignment, Image, Membership, Project
from annotator.models.counting import is_work
from annotator.models.data_sets import IS_GENERATED, IS_REAL, is_excluded
from annotator.models.images import IS_STUDIED
from annotator.protocols.registry import barring
from scoring.service import get_protocol


@dataclass(frozen=True)
class Selection:
    """A selection of a project's images: all filters that are set must match.

    `real` is the number of real images among the images of a protocol under which their score is fixed:
    unannounced checks.
    """

    generators: Sequence[str] = ()
    prompts: Sequence[str] = ()
    unassigned: bool = False
    real: int = 0


def images_of(project: Project, selection: Selection, protocol: str) -> QuerySet[Image]:
    """Return the images that a batch under a protocol can have: those selected, without those left out.

    The real images among them are the first by content, which is as good as drawn.
    """
    images = selected(project, selection, protocol).exclude(is_excluded())
    if not get_protocol(protocol).outcome:
        return images
    real = images.filter(IS_REAL).order_by("sha256").values_list("pk", flat=True)[: selection.real]
    return images.filter(Q(pk__in=list(real)) | IS_GENERATED)


def left_out_of(project: Project, selection: Selection, protocol: str) -> dict[str, int]:
    """Return how many selected images `images_of` leaves out: `excluded` by filters, and `real` ones."""
    images = selected(project, selection, protocol)
    found = {"excluded": images.filter(is_excluded()).count(), "real": 0}
    if get_protocol(protocol).outcome:
        real = images.exclude(is_excluded()).filter(IS_REAL).count()
        found["real"] = max(0, real - selection.real)
    return found


def selected(project: Project, selection: Selection, protocol: str) -> QuerySet[Image]:
    """Return the selected images, ignoring withdrawn assignments.

    An image is unassigned if nobody has it under this protocol. Drawings to train with are never work.
    """
    images = project.images.filter(IS_STUDIED)
    if selection.generators:
        images = images.filter(generator__in=selection.generators)
    if selection.prompts:
        images = images.filter(prompt__in=selection.prompts)
    if selection.unassigned:
        held = Assignment.objects.filter(is_work(), image=OuterRef("pk"), position__isnull=False)
        images = images.filter(~Exists(held.filter(batch__protocol=protocol)))
    return images


def design_of(
    *,
    project: Project,
    images: QuerySet[Image] | Sequence[PlanImage],
    people: Sequence[Membership],
    capacities: Mapping[str, int] | None = None,
    overlap: Fraction | int,
    per_image: int = 2,
    seed: int = 1,
    top_up: bool = False,
) -> Design:
    """Return the input of a plan, the same for the same images and annotators.

    `capacities` are image limits by code. `top_up` includes the annotators' assignments in all batches of the
    project. Images are ordered by content and annotators by code, so the order of the arguments is
    irrelevant.
    """
    limits = capacities or {}
    ordered = sorted(people, key=lambda person: person.code)
    if isinstance(images, QuerySet):
        rows = images.order_by("sha256").values_list("sha256", "generator", "prompt")
        images = [PlanImage(*row) for row in rows.iterator(chunk_size=5000)]
    return Design(
        images=tuple(images),
        annotators=tuple(PlanAnnotator(person.code, limits.get(person.code)) for person in ordered),
        overlap=overlap,
        per_image=per_image,
        seed=seed,
        earlier=earlier_of(project, ordered) if top_up else None,
    )


def earlier_of(project: Project, people: Sequence[Membership]) -> Counts:
    """Count annotators' assignments in all batches of a project, without withdrawn ones.

    Two annotators share an image if both have it, in any batch. One pass over their assignments.
    """
    held = Assignment.objects.filter(
        is_work(), annotator__in=[person.pk for person in people], position__isnull=False
    )
    columns = ("image_id", "image__generator", "image__prompt", "annotator__code")
    rows = held.filter(batch__project=project).order_by("image_id").values_list(*columns)
    by_image = groupby(rows.iterator(chunk_size=5000), key=itemgetter(0, 1, 2))
    return counted(
        (generator, prompt, [row[3] for row in of_image]) for (_, generator, prompt), of_image in by_image
    )


def held_by(
    people: Sequence[Membership], protocol: str, images: Sequence[PlanImage]
) -> frozenset[tuple[str, str]]:
    """Return the images, by key, that people, by code, may not have as work under the protocol."""
    keys = {image.key for image in images}
    rows = Assignment.objects.filter(
        is_work(),
        annotator__in=[person.pk for person in people],
        batch__protocol__in=barring(protocol),
        position__isnull=False,
    ).order_by()
    pairs = rows.values_list("image__sha256", "annotator__code").iterator(chunk_size=5000)
    return frozenset(pair for pair in pairs if pair[0] in keys)
