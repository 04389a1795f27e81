"""Second opinions: an image goes to one more annotator because of what was said about it.

The assignment is `targeted`, in a batch without a plan whose settings are those of the batch that the image
is judged in. Its name tells annotators nothing; their queue shows it like any other batch.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from typing import Final

from django.db.models import Count, Exists, Max, OuterRef, Q, QuerySet

from annotator.batches.assignments import (
    InvalidBatch,
    check_settings,
    create_batch,
    picture_under,
    refuse_faces,
)
from annotator.database.transactions import write_transaction
from annotator.models import Assignment, Batch, Event, Image, Membership, Plan, Project, User
from annotator.models.counting import is_work
from annotator.people.standings import lacking

ASKED: Final = "second_opinion_asked"
NAME: Final = "Further images"
"""It does not reveal why somebody is asked, because annotators see it."""
MOST_PEOPLE: Final = 200
"""Annotators whom a page offers."""

_ALIKE: Final = ("show_prompt", "show_generator", "guided", "score_shown", "settings", "needs_standing")
"""What two annotators of one image must have in common besides the protocol."""


def opinions_on(image: Image, protocol: str) -> QuerySet[Assignment]:
    """Return the second opinions on an image that were asked and not withdrawn, the latest last."""
    asked = _work_on(image, protocol).filter(drawn=Assignment.Drawn.TARGETED, position__isnull=False)
    return asked.select_related("annotator").order_by("pk")


def people_to_ask(image: Image, protocol: str) -> list[Membership]:
    """Return the annotators who can be asked: active, never assigned the image for any purpose.

    Where the image's batch needs a qualification, only those who have it. Whoever was asked for the fewest
    second opinions comes first, then by code; `MOST_PEOPLE` at most. None if the image is nobody's work.
    """
    source = _source(image, protocol)
    if source is None:
        return []
    had = Assignment.objects.filter(image=image, annotator=OuterRef("pk"))
    asked = Q(assignments__batch__in=list(_batches_of_opinions(image.project_id)))
    found = Membership.objects.filter(
        ~Exists(had), project=image.project_id, is_active=True, role=Membership.Role.ANNOTATOR
    )
    ordered = found.annotate(asked=Count("assignments", filter=asked)).order_by("asked", "code")
    people: list[Membership] = list(ordered[:MOST_PEOPLE])
    if not source.needs_standing:
        return people
    barred = {one.pk for one in lacking(image.project, protocol, [one.pk for one in people])}
    return [one for one in people if one.pk not in barred]


def ask_second_opinion(*, image: Image, protocol: str, actor: User, code: str = "") -> Assignment:
    """Assign an image to one more annotator; by code, or else to the one asked least often.

    Raises InvalidBatch if the image is nobody's work under the protocol, if an opinion is still open, or if
    nobody, or not the person named, can be asked.
    """
    with write_transaction():
        # Serialises leads: the second of two finds the opinion that the first one asked for.
        project = Project.locked(image.project_id)
        if not Image.objects.filter(pk=image.pk).exists():
            raise InvalidBatch("The image is being deleted. Undo the deletion before you ask.", "deleted")
        source = _source(image, protocol)
        if source is None:
            raise InvalidBatch(
                "No annotator has this image yet, so it cannot have a second opinion. Release it in a batch "
                "first.",
                "no-opinion",
            )
        waiting = opinions_on(image, protocol).filter(status=Assignment.Status.OPEN)
        if first := waiting.filter(batch__status=Batch.Status.OPEN).first():
            raise InvalidBatch(
                f"{first.annotator.code} has already been asked and has not annotated it yet.",
                "already-asked",
            )
        check_settings(NAME, protocol, source.score_shown, source.settings)
        person = _person(image, protocol, code)
        refuse_faces(project, protocol, [image.pk], [person.pk])
        batch = _batch_like(source, project)
        queue = Assignment.objects.filter(batch=batch, annotator=person)
        last = queue.aggregate(place=Max("position"))["place"] or 0
        made = Assignment.objects.create(
            batch=batch,
            image=image,
            annotator=person,
            position=last + 1,
            drawn=Assignment.Drawn.TARGETED,
        )
        data = {
            "code": person.code,
            "image": str(image.public_id),
            "protocol": protocol,
            "batch": batch.pk,
            "name": batch.name,
        }
        Event.objects.create(project=project, actor=actor, verb=ASKED, data=data)
    return made


def _person(image: Image, protocol: str, code: str) -> Membership:
    people = people_to_ask(image, protocol)
    chosen = [one for one in people if not code or one.code == code]
    if chosen:
        return chosen[0]
    if not code or not people:
        raise InvalidBatch(
            "Nobody can be asked: every active annotator knows this image or lacks the qualification of its "
            "batch. Invite another annotator, or let one qualify first.",
            "nobody-to-ask",
        )
    raise InvalidBatch(
        f"{code} cannot be asked: not an active annotator, assigned the image before, or not qualified. "
        f"You can ask {', '.join(one.code for one in people[:20])}.",
        "cannot-be-asked",
    )


def _work_on(image: Image, protocol: str) -> QuerySet[Assignment]:
    return Assignment.objects.filter(is_work(), image=image, batch__protocol=protocol)


def _source(image: Image, protocol: str) -> Batch | None:
    """Return the latest batch that gave the image to somebody as work other than as a second opinion."""
    given = _work_on(image, protocol).filter(position__isnull=False)
    given = given.exclude(batch__status=Batch.Status.PREPARING)
    # Images of a second stage are themselves targeted, by a plan.
    planned = Exists(Plan.objects.filter(batch=OuterRef("batch")))
    first = given.filter(~Q(drawn=Assignment.Drawn.TARGETED) | planned)
    row = first.select_related("batch").order_by("-batch", "pk").first()
    return row.batch if row else None


def _batch_like(source: Batch, project: Project) -> Batch:
    """Return the open batch of second opinions with the settings of another batch, created if needed."""
    settings = {name: getattr(source, name) for name in _ALIKE}
    alike = _batches_of_opinions(project.pk).filter(
        protocol=source.protocol,
        picture=picture_under(source.protocol),
        status=Batch.Status.OPEN,
        prompt_seen=Batch.Seen.AS_SET,
    )
    # Locked, because another lead may be closing it.
    for batch in alike.order_by("pk").select_for_update(no_key=True):
        if batch.status == Batch.Status.OPEN and all(
            getattr(batch, name) == value for name, value in settings.items()
        ):
            return batch
    taken = set(project.batches.filter(name__startswith=NAME).values_list("name", flat=True))
    name = next(name for name in _names() if name not in taken)
    return create_batch(project=project, name=name, protocol=source.protocol, **settings)


def _batches_of_opinions(project: int) -> QuerySet[Batch]:
    """Return the batches without a plan in which every assignment is targeted."""
    held = Assignment.objects.filter(batch=OuterRef("pk"))
    others = held.exclude(drawn=Assignment.Drawn.TARGETED)
    planned = Plan.objects.filter(batch=OuterRef("pk"))
    return Batch.objects.filter(Exists(held), ~Exists(others), ~Exists(planned), project=project)


def _names() -> Iterator[str]:
    yield NAME
    yield from (f"{NAME} {number}" for number in count(2))
