"""Choose the images of a norming session: by chance, furthest apart, or like those of the first round."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Final

from django.db.models import F, OuterRef, Q, QuerySet, Subquery

from annotator.batches.planning.randomness import Stream
from annotator.models import (
    Assignment,
    Batch,
    Image,
    ImageSummary,
    Membership,
    NormedImage,
    NormingSession,
    Project,
)

SEEDS: Final = 2**31


@dataclass(frozen=True)
class Picked:
    """Image ids in order; `alike` of them share generator and prompt group with one of the first round."""

    images: Sequence[int]
    alike: int = 0


def pool_of(project: Project, protocol: str, people: Collection[Membership]) -> QuerySet[Image]:
    """Return the images that these people can norm.

    Left out are images of earlier sessions, those that one of the people still has to judge or can resume,
    because the discussion would influence that annotation, and those whose reference training has shown to
    one of them.
    """
    normed = NormedImage.objects.filter(session__project=project, session__batch__protocol=protocol)
    given = Assignment.objects.filter(annotator__in=people)
    resumable = Q(status=Assignment.Status.SKIPPED) & ~Q(batch__status=Batch.Status.CLOSED)
    told = Q(purpose=Assignment.Purpose.TRAINING)
    barred = given.filter(Q(status=Assignment.Status.OPEN) | resumable | told)
    return (
        project.images.exclude(display_state=Image.DisplayState.FAILED)
        .exclude(pk__in=normed.order_by().values("image"))
        .exclude(pk__in=barred.order_by().values("image"))
    )


def with_spread(images: QuerySet[Image], protocol: str) -> QuerySet[Image]:
    """Return images with `spread`, the largest difference between two annotators; those furthest apart first.

    Images that fewer than two annotators have judged have none and come last.
    """
    summary = ImageSummary.objects.filter(image=OuterRef("pk"), protocol=protocol, code="")
    rows = images.annotate(spread=Subquery(summary.values("spread")[:1]))
    return rows.order_by(F("spread").desc(nulls_last=True), "pk")


def furthest_apart(pool: QuerySet[Image], project: Project, protocol: str, count: int) -> Picked:
    """Return the images of which existing annotations differ most; fewer if fewer have two annotators."""
    summaries = ImageSummary.objects.filter(project=project, protocol=protocol, code="", spread__isnull=False)
    rows = summaries.filter(image__in=pool.order_by()).order_by("-spread", "image")
    return Picked(list(rows.values_list("image", flat=True)[:count]))


def at_random(pool: QuerySet[Image], count: int, seed: int) -> Picked:
    """Return a simple random sample in random order; the same pool and seed give the same images."""
    there = list(pool.order_by("pk").values_list("pk", flat=True))
    return Picked(Stream(seed, "norming").shuffled(there)[:count])


def like_the_first(pool: QuerySet[Image], first: NormingSession, seed: int) -> Picked:
    """Return one other image for each of the first round, of the same strata as far as there are any.

    An image shares generator and prompt group with its counterpart; else the generator, else the prompt
    group, else it is any other. The order is by chance.
    """
    chance = Stream(seed, "norming")
    there = list(pool.order_by("pk").values_list("pk", "generator", "prompt_group"))
    chance.shuffle(there)
    wanted = first.images.order_by("place").values_list("image__generator", "image__prompt_group")
    chosen: list[int] = []
    alike = 0
    for generator, group in wanted:
        ranks = [
            ((made_by, of) == (generator, group), made_by == generator, of == group)
            for _, made_by, of in there
        ]
        if not ranks:
            break
        best = max(range(len(there)), key=ranks.__getitem__)
        alike += ranks[best][0]
        chosen.append(there.pop(best)[0])
    chance.shuffle(chosen)
    return Picked(chosen, alike)
