"""Start a norming session: its images, its participants, and the batch in which they answer blind."""

from __future__ import annotations

import secrets
from collections.abc import Collection, Sequence
from typing import Final

from django.db.models import F, OuterRef, Q, QuerySet, Subquery

from annotator.batches.assignments import check_settings
from annotator.database.transactions import write_transaction
from annotator.models import (
    Assignment,
    Batch,
    Image,
    ImageSummary,
    Membership,
    NormedImage,
    NormingSession,
    Project,
    User,
)
from annotator.models.images import IS_STUDIED
from annotator.norming import sessions
from annotator.norming.sessions import FEWEST_IMAGES, FEWEST_PEOPLE, MOST_IMAGES, MOST_PEOPLE, NormingRefused
from annotator.people.members import acting_lead
from annotator.training.references import is_comparable
from annotator.training.training_batches import active_members, release_to_all
from scoring.service import get_protocol


def start_session(
    *,
    project: Project,
    name: str,
    protocol: str,
    people: Sequence[Membership],
    images: Sequence[int] = (),
    follows: NormingSession | None = None,
    actor: User,
) -> NormingSession:
    """Store a session and the batch of its first answers, and return it; all or nothing.

    Every participant gets every image, in the same order. `images` are ids. A second round `follows` a
    revealed session, whose protocol it has; its images are drawn instead. Raises NormingRefused and
    InvalidBatch.
    """
    if not is_comparable(protocol):
        raise NormingRefused(
            f"Annotations under “{get_protocol(protocol).title}” cannot be compared, so this protocol has no "
            "norming sessions.",
            "not-comparable",
        )
    check_settings(name, protocol)
    with write_transaction():
        # Serialises sessions, so that no image is normed in two that start at once.
        Project.locked(project.pk)
        acting_lead(project.pk, actor)
        first = _first(follows)
        # The project is locked, so nobody leaves in the meantime.
        members = active_members(project, people)
        if not FEWEST_PEOPLE <= len(members) <= MOST_PEOPLE:
            raise NormingRefused(
                f"A norming session has {FEWEST_PEOPLE} to {MOST_PEOPLE} participants, not {len(members)}.",
                "people-count",
            )
        picked = _images(project, protocol, members, images, first)
        batch = release_to_all(project, name, protocol, members, picked, Assignment.Purpose.NORMING, actor)
        session = NormingSession.objects.create(project=project, batch=batch, follows=first)
        NormedImage.objects.bulk_create(
            NormedImage(session=session, image_id=image, place=place) for place, image in enumerate(picked, 1)
        )
        facts = {
            "protocol": protocol,
            "people": [member.code for member in members],
            "images": len(picked),
            **({"follows": first.pk} if first else {}),
        }
        sessions.record(session, sessions.STARTED, actor, facts)
    return session


def _first(follows: NormingSession | None) -> NormingSession | None:
    """Return the session that this one follows, locked; None for a first round."""
    if follows is None:
        return None
    first = sessions.held(follows)
    if not first.is_revealed or NormingSession.objects.filter(follows=first).exists():
        raise NormingRefused(
            f"“{first.batch.name}” is not revealed yet, or has a second round already.", "no-second"
        )
    return first


def _images(
    project: Project,
    protocol: str,
    members: Sequence[Membership],
    chosen: Sequence[int],
    first: NormingSession | None,
) -> list[int]:
    pool = pool_of(project, protocol, members)
    if first is not None:
        needed, drawn = first.images.count(), _like_the_first(pool, first)
        if len(drawn) < needed:
            raise NormingRefused(
                f"Only {len(drawn)} image{'' if len(drawn) == 1 else 's'} can be used; {needed} are needed. "
                "Images of earlier sessions, of a participant’s open or skipped assignments and of their "
                "training are left out. Add images or choose other participants.",
                "pool-too-small",
            )
        return drawn
    wanted = list(dict.fromkeys(chosen))
    if not FEWEST_IMAGES <= len(wanted) <= MOST_IMAGES:
        raise NormingRefused(
            f"A norming session has {FEWEST_IMAGES} to {MOST_IMAGES} images; {len(wanted)} chosen.",
            "image-count",
        )
    free = set(pool.filter(pk__in=wanted).order_by().values_list("pk", flat=True))
    if taken := [pk for pk in wanted if pk not in free]:
        raise NormingRefused(
            f"Images that cannot be used: {len(taken)} of {len(wanted)}. They are in an earlier session, or "
            "open, skipped or seen in training by a participant. Choose other images.",
            "taken-images",
        )
    return wanted


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
        project.images.filter(IS_STUDIED)
        .exclude(display_state=Image.DisplayState.FAILED)
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


def _like_the_first(pool: QuerySet[Image], first: NormingSession) -> list[int]:
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
