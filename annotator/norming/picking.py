"""The images that a norming session may have, and those of a second round, like the first's."""

from __future__ import annotations

import secrets
from collections.abc import Collection
from typing import Final

from django.db.models import F, OuterRef, Q, QuerySet, Subquery

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

_CHANCE: Final = secrets.SystemRandom()


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


def like_the_first(pool: QuerySet[Image], first: NormingSession) -> list[int]:
    """Return one other image for each of the first round, of the same strata as far as there are any.

    An image shares generator and prompt group with its counterpart; else the generator, else the prompt
    group, else it is any other. The order is by chance.
    """
    there = list(pool.order_by("pk").values_list("pk", "generator", "prompt_group"))
    _CHANCE.shuffle(there)
    chosen: list[int] = []
    for generator, group in first.images.values_list("image__generator", "image__prompt_group"):
        ranks = [(made_by == generator, of == group) for _, made_by, of in there]
        if ranks:
            best = max(range(len(there)), key=ranks.__getitem__)
            chosen.append(there.pop(best)[0])
    _CHANCE.shuffle(chosen)
    return chosen
