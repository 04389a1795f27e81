"""Decide where the faces of images are, replace a decision, and take it back."""

from __future__ import annotations

import logging
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import partial
from typing import Any, Final
from uuid import UUID, uuid4

from django.contrib.auth.models import AnonymousUser
from django.db import connection, transaction
from django.db.models import Exists, F, Func, IntegerField, OuterRef, QuerySet
from django.utils import timezone

from annotator.database.slices import slices
from annotator.database.transactions import write_transaction
from annotator.faces.blurring import MAKE_BLURRED, remove_copies
from annotator.faces.rectangles import checked
from annotator.inputs.refusal import Refusal
from annotator.models import Assignment, Batch, Event, FaceDecision, Image, Membership, Project, User
from annotator.people.access import may_draw
from annotator.work.sending import send_all

DECIDED: Final = "faces_decided"
WITHDRAWN: Final = "faces_withdrawn"
RIGHT_CHANGED: Final = "faces_right_changed"
IMPORTED: Final = "faces_imported"
LOOKED_AT: Final = "faces_looked_at"
_MOST_SENT: Final = 200
_PIECE: Final = 500

log = logging.getLogger(__name__)


class FacesRefused(Refusal, ValueError):
    """A decision on faces that is refused; the message names the cause and the remedy."""


def images_to_draw(member: Membership) -> QuerySet[Image]:
    """Return the images whose faces a member may be shown: all but those that they rate without faces."""
    rated = Assignment.objects.filter(
        image=OuterRef("pk"), annotator=member, batch__picture=Batch.Picture.FACES_BLURRED
    )
    return Image.objects.filter(~Exists(rated), project=member.project_id)


def waiting_proposals(images: QuerySet[Image]) -> QuerySet[Image]:
    """Return those of the images with proposals that nobody has looked at yet, most faces first."""
    proposals = images.filter(
        face_decisions__replaced_at=None, face_decisions__looked_at=None, faces__isnull=False
    )
    length = "jsonb_array_length" if connection.vendor == "postgresql" else "json_array_length"
    count = Func(F("face_decisions__rectangles"), function=length, output_field=IntegerField())
    return proposals.order_by(count.desc(), "pk")


def image_to_draw_for(user: User | AnonymousUser, public_id: UUID) -> Image | None:
    """Return an image whose faces the user may mark as an annotator with that right; None otherwise."""
    image = Image.objects.filter(public_id=public_id, project__goes_at=None).first()
    if image is None or not isinstance(user, User):
        return None
    own = Membership.objects.filter(user=user, user__is_active=True, is_active=True, project=image.project_id)
    member = own.first()
    if member is None or not may_draw(member) or not images_to_draw(member).filter(pk=image.pk).exists():
        return None
    return image


def let_draw(member: Membership, *, allowed: bool, actor: User) -> bool:
    """Let an annotator mark faces, or no longer, with an Event; return whether anything changed."""
    with write_transaction():
        rows = Membership.objects.filter(
            pk=member.pk, role=Membership.Role.ANNOTATOR, draws_faces=not allowed
        )
        if not rows.update(draws_faces=allowed):
            return False
        data = {"code": member.code, "draws_faces": allowed}
        Event.objects.create(project_id=member.project_id, actor=actor, verb=RIGHT_CHANGED, data=data)
    return True


def decide(*, image: Image, rectangles: Iterable[Sequence[float]], member: Membership) -> FaceDecision:
    """Store what a member drew on an image, with an Event, and return the decision; [] means no face.

    The same rectangles again change nothing but who has seen the faces. Raises InvalidRectangle;
    FacesRefused if the member may not decide, or rates the image.
    """
    faces = checked(rectangles, image.width, image.height)
    with write_transaction():
        project = _held(image.project_id)
        member = _marking(member)
        if not images_to_draw(member).filter(pk=image.pk).exists():
            raise FacesRefused(
                "You rate this image with its faces blurred, so somebody else must mark them.", "rates-it"
            )
        before = current_of([image.pk]).get(image.pk)
        known = before is not None and before.rectangles == faces and before.looked_at is not None
        if before and known and before.decided_by_id == member.pk:
            return before
        [made] = _store({image.pk: faces}, FaceDecision.Source.DRAWN, member)
        _record(project, DECIDED, member.user, image, faces, before)
    return made


def decide_from_file(
    *,
    project: Project,
    faces: Mapping[int, list[list[float]]],
    actor: User | None,
    facts: Mapping[str, Any],
    proposals: bool = False,
) -> int:
    """Store checked rectangles by image id, with one Event; return how many images changed.

    As `proposals` they wait until somebody has looked at them, and replace no decision but other proposals.
    In short transactions: after a crash, storing the file again completes it. Raises FacesRefused if the
    project or one of the images is being deleted.
    """
    member = Membership.objects.filter(project=project, user=actor).first() if actor else None
    images = Image.objects.filter(project=project)
    if gone := len(faces.keys() - set(images.values_list("pk", flat=True))):
        raise FacesRefused(f"{gone:,} of the images were deleted. Check the file again.", "images-gone")
    counts = {"images": 0, "replaced": 0}
    for keys in slices(sorted(faces), _PIECE):
        with write_transaction():
            _held(project.pk)
            there = set(images.filter(pk__in=keys).values_list("pk", flat=True))
            known = current_of(keys)
            same = {pk for pk, decision in known.items() if _stays(decision, faces[pk], proposals)}
            new = {pk: faces[pk] for pk in keys if pk in there - same}
            _store(new, FaceDecision.Source.FILE, member, proposals=proposals)
        counts["images"] += len(new)
        counts["replaced"] += len(new.keys() & known.keys())
    if counts["images"]:
        Event.objects.create(project=project, actor=actor, verb=IMPORTED, data={**facts, **counts})
    return counts["images"]


def look_at(*, keys: Collection[UUID], member: Membership) -> int:
    """Record that a member has looked at these proposals, named by key, with an Event; return how many.

    Proposals that were replaced in the meantime, and images that the member rates, are left out. Raises
    FacesRefused if the member may not decide.
    """
    with write_transaction():
        project = _held(member.project_id)
        member = _marking(member)
        waiting = FaceDecision.objects.filter(key__in=keys, replaced_at=None, looked_at=None)
        looked = list(waiting.filter(image__in=images_to_draw(member)).values_list("pk", "image__sha256"))
        FaceDecision.objects.filter(pk__in=[pk for pk, _ in looked]).update(
            looked_at=timezone.now(), source=FaceDecision.Source.SEEN, decided_by=member
        )
        if looked:
            data = {"code": member.code, "images": sorted(sha256 for _, sha256 in looked)}
            Event.objects.create(project=project, actor=member.user, verb=LOOKED_AT, data=data)
    return len(looked)


def take_back(*, image: Image, member: Membership) -> bool:
    """Withdraw the decision on an image, with an Event; return False if there is none.

    Raises FacesRefused while a batch that is not closed shows the image with its faces blurred.
    """
    with write_transaction():
        project = _held(image.project_id)
        before = current_of([image.pk]).get(image.pk)
        if before is None:
            return False
        shown = Assignment.objects.filter(image=image, batch__picture=Batch.Picture.FACES_BLURRED)
        batch = Batch.objects.filter(pk__in=shown.values("batch")).exclude(status=Batch.Status.CLOSED).first()
        if batch is not None:
            raise FacesRefused(
                f"“{batch.name}” shows this image with its faces blurred. Replace the rectangles instead, or "
                "close the batch first.",
                "in-batch",
            )
        _replace([image.pk])
        Image.objects.filter(pk=image.pk).update(faces=None)
        _record(project, WITHDRAWN, member.user, image, [], before)
    return True


def current_of(images: Collection[int]) -> dict[int, FaceDecision]:
    """Return the current decisions by image id."""
    rows = FaceDecision.objects.filter(image__in=images, replaced_at=None).select_related("decided_by")
    return {row.image_id: row for row in rows}


def _held(project: int) -> Project:
    """Lock a project, as a release does; raises FacesRefused if it is being deleted."""
    held = Project.locked(project)
    if held.goes_at is not None:
        raise FacesRefused("The project is being deleted. Undo the deletion first.", "deleted")
    return held


def _marking(member: Membership) -> Membership:
    """Return a member as stored; raises FacesRefused if they may not decide."""
    stored = Membership.objects.select_related("user").get(pk=member.pk)
    if not (stored.is_active and may_draw(stored)):
        raise FacesRefused("You may no longer mark faces in this project. Ask a lead.", "no-right")
    return stored


def _stays(decision: FaceDecision, found: list[list[float]], proposals: bool) -> bool:
    """Return whether a file leaves a decision as it is."""
    if proposals and decision.looked_at is not None:
        return True
    return decision.rectangles == found and (proposals or decision.looked_at is not None)


def _store(
    faces: Mapping[int, list[list[float]]],
    source: FaceDecision.Source,
    member: Membership | None,
    *,
    proposals: bool = False,
) -> list[FaceDecision]:
    """Replace decisions, inside a transaction; workers then make the copies."""
    made = [
        FaceDecision(
            image_id=pk,
            key=uuid4(),
            rectangles=rectangles,
            source=source,
            decided_by=member,
            looked_at=None if proposals else timezone.now(),
            # An image without a face is shown unchanged.
            state=FaceDecision.State.PENDING if rectangles else FaceDecision.State.READY,
        )
        for pk, rectangles in faces.items()
    ]
    _replace([decision.image_id for decision in made])
    FaceDecision.objects.bulk_create(made)
    Image.objects.bulk_update(
        [Image(pk=decision.image_id, faces=decision.key) for decision in made], ["faces"]
    )
    waiting = [decision.pk for decision in made if decision.rectangles][:_MOST_SENT]
    transaction.on_commit(partial(send_all, MAKE_BLURRED, waiting))
    return made


def _replace(images: Collection[int]) -> None:
    """Mark current decisions as replaced and remove their copies after the commit."""
    replaced = list(FaceDecision.objects.filter(image__in=images, replaced_at=None).select_related("image"))
    FaceDecision.objects.filter(pk__in=[decision.pk for decision in replaced]).update(
        replaced_at=timezone.now()
    )
    transaction.on_commit(partial(_clear, [decision for decision in replaced if decision.rectangles]))


def _clear(replaced: Sequence[FaceDecision]) -> None:
    for decision in replaced:
        try:
            remove_copies(decision)
        except OSError as error:
            # No address leads to it any more; the purge of the image tries again.
            log.warning("A blurred copy could not be removed: %s.", error.strerror or error)


def _record(
    project: Project,
    verb: str,
    actor: User | None,
    image: Image,
    found: list[list[float]],
    before: FaceDecision | None,
) -> None:
    data: dict[str, Any] = {"image": str(image.public_id), "sha256": image.sha256, "rectangles": found}
    if before is not None:
        data["replaced"] = {"rectangles": before.rectangles, "source": before.source}
    Event.objects.create(project=project, actor=actor, verb=verb, data=data)
