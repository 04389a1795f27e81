"""Start a norming session: its images, its participants, and the batch in which they answer blind."""

from __future__ import annotations

import secrets
from collections import Counter
from collections.abc import Sequence

from annotator.batches.assignments import (
    assign_in_order,
    check_settings,
    create_batch,
    record_release,
    refuse_faces,
)
from annotator.database.transactions import write_transaction
from annotator.models import Assignment, Batch, Image, Membership, NormedImage, NormingSession, Project, User
from annotator.norming import picking, sessions
from annotator.norming.picking import SEEDS, Picked
from annotator.norming.sessions import FEWEST_IMAGES, FEWEST_PEOPLE, MOST_IMAGES, MOST_PEOPLE, NormingRefused
from annotator.training.references import is_comparable
from scoring.service import get_protocol


def start_session(
    *,
    project: Project,
    name: str,
    protocol: str,
    people: Sequence[Membership],
    picked: str,
    count: int,
    images: Sequence[int] = (),
    follows: NormingSession | None = None,
    seed: int | None = None,
    actor: User,
) -> NormingSession:
    """Store a session and the batch of its first answers, and return it; all or nothing.

    Every participant gets every image, in the same order. `picked` is one of `NormingSession.Picked`;
    `images` are the ids of the chosen ones, `count` is how many to pick otherwise. A second round `follows` a
    revealed session, whose protocol it has. Raises NormingRefused and InvalidBatch.
    """
    _check_protocol(protocol)
    check_settings(name, protocol, Batch.ScoreShown.CHOICE)
    seed = secrets.randbelow(SEEDS) if seed is None else seed
    with write_transaction():
        # Serialises sessions, so that no image is normed in two that start at once.
        Project.locked(project.pk)
        lead = sessions.lead_of(project.pk, actor)
        first = _first(project, follows, protocol)
        members = _members(project, people)
        found = _images(project, protocol, members, picked, count, images, first, seed)
        refuse_faces(project, protocol, found.images, [member.pk for member in members])
        batch = create_batch(project=project, name=name, protocol=protocol, per_image=len(members))
        assign_in_order(batch, members, found.images, Assignment.Purpose.NORMING)
        by_chance = picked in (NormingSession.Picked.RANDOM, NormingSession.Picked.ALIKE)
        session = NormingSession.objects.create(
            project=project,
            batch=batch,
            picked=picked,
            seed=seed if by_chance else None,
            follows=first,
            made_by=lead,
        )
        NormedImage.objects.bulk_create(
            NormedImage(session=session, image_id=image, place=place)
            for place, image in enumerate(found.images, 1)
        )
        owed = Counter({member.code: len(found.images) for member in members})
        record_release(batch, owed, actor, {"images": len(found.images), "purpose": "norming"})
        facts = {
            "protocol": protocol,
            "picked": str(picked),
            "seed": session.seed,
            "people": [member.code for member in members],
            "images": len(found.images),
            **({"follows": first.pk, "alike": found.alike} if first else {}),
        }
        sessions.record(session, sessions.STARTED, actor, facts)
    return session


def _check_protocol(protocol: str) -> None:
    if not is_comparable(protocol):
        raise NormingRefused(
            f"Annotations under “{get_protocol(protocol).title}” cannot be compared, so this protocol has no "
            "norming sessions.",
            "not-comparable",
        )


def _first(project: Project, follows: NormingSession | None, protocol: str) -> NormingSession | None:
    """Return the session that this one follows, locked; None for a first round."""
    if follows is None:
        return None
    first = sessions.held(follows)
    alike = NormingSession.objects.filter(pk=first.pk, project=project, batch__protocol=protocol)
    if not alike.exists():
        raise NormingRefused("The first round belongs to another project or protocol.", "other-protocol")
    if not first.is_revealed:
        raise NormingRefused(
            "The first round has not been revealed, so there is nothing to follow. Reveal it first.",
            "not-revealed",
        )
    if NormingSession.objects.filter(follows=first).exists():
        raise NormingRefused(
            f"“{first.batch.name}” already has a second round. Start the next one from that.", "has-second"
        )
    return first


def _members(project: Project, people: Sequence[Membership]) -> list[Membership]:
    """Return the participants by code, reloaded; the project is locked, so nobody leaves in the meantime."""
    asked = {person.pk: person.code for person in people}
    if len(asked) < FEWEST_PEOPLE:
        raise NormingRefused(
            f"A norming session needs at least {FEWEST_PEOPLE} participants; {len(asked)} chosen.",
            "too-few-people",
        )
    if len(asked) > MOST_PEOPLE:
        raise NormingRefused(
            f"A norming session has at most {MOST_PEOPLE} participants; {len(asked)} chosen.",
            "too-many-people",
        )
    able = Membership.objects.filter(
        project=project,
        pk__in=asked,
        is_active=True,
        role=Membership.Role.ANNOTATOR,
        user__is_active=True,
    )
    active = list(able.order_by("code"))
    if missing := sorted(asked.keys() - {person.pk for person in active}):
        named = ", ".join(asked[pk] for pk in missing)
        raise NormingRefused(
            f"Not an active annotator of this project: {named}. Choose other participants.", "left"
        )
    return active


def _images(
    project: Project,
    protocol: str,
    members: Sequence[Membership],
    picked: str,
    count: int,
    chosen: Sequence[int],
    first: NormingSession | None,
    seed: int,
) -> Picked:
    pool = picking.pool_of(project, protocol, members)
    if picked == NormingSession.Picked.CHOSEN:
        wanted = list(dict.fromkeys(chosen))
        _check_count(len(wanted), "chosen")
        free = set(pool.filter(pk__in=wanted).order_by().values_list("pk", flat=True))
        if taken := [pk for pk in wanted if pk not in free]:
            raise NormingRefused(f"{_named(project, taken)} {_WHY_NOT} Choose other images.", "taken-images")
        return Picked(wanted)
    if picked == NormingSession.Picked.ALIKE:
        if first is None:
            raise NormingRefused("Only a second round can have images like the first.", "no-first")
        count = first.images.count()
        found = picking.like_the_first(pool, first, seed)
    else:
        _check_count(count, "asked for")
        apart = picked == NormingSession.Picked.APART
        found = (
            picking.furthest_apart(pool, project, protocol, count)
            if apart
            else picking.at_random(pool, count, seed)
        )
    if len(found.images) < count:
        there = len(found.images)
        more = " that two annotators have annotated" if picked == NormingSession.Picked.APART else ""
        raise NormingRefused(
            f"Only {there} image{'' if there == 1 else 's'}{more} can be used; {count} are needed. Images of "
            "earlier sessions, of a participant’s open or skipped assignments and of their training are left "
            "out. "
            "Choose fewer images or other participants.",
            "pool-too-small",
        )
    return found


_WHY_NOT = (
    "cannot be used: in an earlier session, open or skipped for a participant, or seen in their training."
)


def _check_count(count: int, how: str) -> None:
    if not FEWEST_IMAGES <= count <= MOST_IMAGES:
        raise NormingRefused(
            f"A norming session has {FEWEST_IMAGES} to {MOST_IMAGES} images; {count} {how}.", "image-count"
        )


def _named(project: Project, images: Sequence[int]) -> str:
    """Return up to three file names, and how many more there are."""
    names = list(
        Image.objects.filter(project=project, pk__in=images).values_list("source_name", flat=True)[:3]
    )
    unnamed = len(images) - len(names)
    more = f"{unnamed} other image{'' if unnamed == 1 else 's'}" if unnamed else ""
    return " and ".join(filter(None, (", ".join(names), more)))
