"""Store the assignments of a batch when it is released."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final

from django.db import IntegrityError, transaction

from annotator.database.transactions import write_transaction
from annotator.faces.gate import drawn_by, undecided_among, unlooked_among
from annotator.inputs.plain_text import TURNED, turns_text_round
from annotator.inputs.refusal import Refusal
from annotator.models import Annotation, Assignment, Batch, Event, Membership, Project, User
from annotator.models.work import DEFAULT_PROTOCOL
from annotator.people.standings import lacking
from annotator.protocols.registry import PAGES, page_of
from scoring.protocol import PREFIX
from scoring.service import UnknownProtocol, get_protocol


class InvalidBatch(Refusal, ValueError):
    """A batch that cannot be released; the message names the cause."""


FORM_GONE: Final = "This rating form has been replaced or removed. Choose another."


def check_settings(name: str, protocol: str, own_settings: Mapping[str, object] | None = None) -> None:
    """Raise InvalidBatch for an invalid name or setting, or UnknownProtocol."""
    try:
        get_protocol(protocol)
    except UnknownProtocol as error:
        raise InvalidBatch(FORM_GONE, "no-form") if protocol.startswith(PREFIX) else error from None
    if not name.strip() or len(name) > 120 or "\0" in name:
        raise InvalidBatch("Enter a batch name of 1 to 120 characters.")
    if turns_text_round(name):
        raise InvalidBatch(f"The batch’s name: {TURNED}")
    if own_settings:
        try:
            page_of(protocol).checked(own_settings)
        except ValueError as error:
            raise InvalidBatch(str(error)) from error


def check_blinding(protocol: str, *, show_prompt: bool = False, show_generator: bool = False) -> None:
    """Raise InvalidBatch if a batch would show what its protocol hides, or hide the prompt it asks about."""
    shown = [name for name, on in (("prompt", show_prompt), ("generator", show_generator)) if on]
    page = PAGES.get(protocol)
    if page is not None and page.needs_prompt and not show_prompt:
        raise InvalidBatch("This form asks about the prompt. Show it to annotators.", "needs-prompt")
    if shown and page is not None and page.blind:
        title = get_protocol(protocol).title
        raise InvalidBatch(
            f"Annotators under “{title}” must not see the {' or the '.join(shown)}: it would bias their "
            "ratings. Leave it hidden.",
            "blind",
        )


def check_follows(protocol: str, followed: int | None) -> None:
    """Raise InvalidBatch if a batch must follow another, but follows none."""
    page = PAGES.get(protocol)
    if page is not None and page.follows and followed is None:
        raise InvalidBatch(
            f"A batch under “{get_protocol(protocol).title}” follows a closed batch of {page.follows.named}. "
            "Open that batch, and choose “New second stage”.",
            "follows-nothing",
        )


def refuse_unfit(
    project: Project,
    protocol: str,
    work: Collection[int],
    anchors: Collection[int],
    members: Collection[int],
    *,
    needs_standing: bool = False,
) -> None:
    """Raise InvalidBatch if these members must not get these images under a protocol, as work or anchors.

    Valid until the end of a transaction that has locked the project; a preview asks without.
    """
    if needs_standing:
        refuse_unqualified(project, protocol, members)
    _refuse_trained(work, members)
    _refuse_known_anchors(anchors, members)
    images = {*work, *anchors}
    refuse_faces(project, protocol, images, members)


def refuse_unqualified(project: Project, protocol: str, members: Collection[int]) -> None:
    """Raise InvalidBatch if some of these members, by id, are neither qualified nor exempt."""
    if lack := lacking(project, protocol, members):
        raise InvalidBatch(
            f"Not qualified: {', '.join(member.code for member in lack)}. Leave them out, or exempt them "
            "under Training, Qualification.",
            "not-qualified",
        )


def _refuse_trained(images: Collection[int], members: Collection[int]) -> None:
    """Raise InvalidBatch if one of these members knows one of these images.

    Training shows the reference of an image, a norming session everybody's annotations, and an anchor was
    judged before.
    """
    if anchors := _had((Assignment.Purpose.ANCHOR,), images, members):
        raise InvalidBatch(
            "Some images are anchors for annotators who would also annotate them as work. Choose other "
            f"images or annotators. Images that are anchors: {by_code(anchors)}.",
            "anchors",
        )
    if trained := _had((Assignment.Purpose.TRAINING, Assignment.Purpose.NORMING), images, members):
        raise InvalidBatch(
            "Some of these annotators have seen an annotation or a reference of these images in training "
            "or a norming session. Choose other images or annotators. Images seen in a session or in "
            f"training: {by_code(trained)}.",
            "trained",
        )


def by_code(counts: Mapping[str, int]) -> str:
    """Return the counts of annotators in words: `ann1 (3), ann2 (1)`."""
    return ", ".join(f"{code} ({count})" for code, count in sorted(counts.items()))


def refuse_faces(project: Project, protocol: str, images: Collection[int], members: Collection[int]) -> None:
    """Raise InvalidBatch if a protocol that blurs faces would show one, or somebody has drawn these faces.

    Call it in the transaction that releases the batch, after locking the project: decisions lock it, too.
    """
    if picture_under(protocol) != Batch.Picture.FACES_BLURRED:
        return
    if missing := len(undecided_among(project, images)):
        raise InvalidBatch(
            f"{missing:,} of the {len(images):,} images {'has' if missing == 1 else 'have'} no decision on "
            "faces. Import rectangles or mark the faces first; “no face” is a decision, too. Whoever marks "
            "them never rates the image.",
            "faces-undecided",
        )
    if waiting := len(unlooked_among(images)):
        raise InvalidBatch(
            f"Nobody has looked at the proposed faces of {waiting:,} of the {len(images):,} images. Look at "
            "them first: Images, Faces, “To look at”.",
            "faces-unlooked",
        )
    if drawn := drawn_by(members, images):
        raise InvalidBatch(
            "Anyone who has marked or looked at the faces of an image has seen them and must not rate it. "
            f"Choose other images or annotators. Images whose faces they saw: {by_code(drawn)}.",
            "faces-drawn",
        )


def _had(
    purposes: Collection[Assignment.Purpose], images: Collection[int], members: Collection[int]
) -> Counter[str]:
    """Count by code which of these images these members have for these purposes."""
    shown = Assignment.objects.filter(purpose__in=purposes, annotator__in=members)
    rows = shown.order_by().values_list("image", "annotator__code").distinct()
    return Counter(code for image, code in rows if image in images)


def _refuse_known_anchors(anchors: Collection[int], members: Collection[int]) -> None:
    """Raise InvalidBatch if one of these images has been anything but an anchor for one of these members."""
    known = Assignment.objects.filter(image__in=anchors, annotator__in=members).exclude(
        purpose=Assignment.Purpose.ANCHOR
    )
    if anchors and (count := known.values("image").distinct().count()):
        raise InvalidBatch(
            f"{count} of the {len(anchors)} anchors were assigned to these annotators since the preview. "
            "Check the balance again.",
            "anchors-known",
        )


def picture_under(protocol: str) -> Batch.Picture:
    """Return the copy of an image that annotators under a protocol see."""
    page = PAGES.get(protocol)
    return Batch.Picture.FACES_BLURRED if page and page.faces_blurred else Batch.Picture.DISPLAY


def create_batch(*, project: Project, name: str, **fields: object) -> Batch:
    """Create the row, inside a transaction; raises InvalidBatch if the name is taken.

    Also for a rating form that the project does not have. The protocol decides whether its annotators see
    the faces.
    """
    protocol = str(fields.get("protocol", DEFAULT_PROTOCOL))
    if not project.may_use(protocol):
        raise InvalidBatch(FORM_GONE, "no-form")
    try:
        with transaction.atomic():
            return Batch.objects.create(project=project, name=name, picture=picture_under(protocol), **fields)
    except IntegrityError as error:
        if not Batch.objects.filter(project=project, name=name).exists():
            raise
        raise InvalidBatch(f"Project {project.slug} already has a batch named {name!r}.", "taken") from error


def assign_in_order(
    batch: Batch,
    members: Sequence[Membership],
    images: Sequence[int],
    purpose: Assignment.Purpose,
    *,
    after: int = 0,
    pass_no: int = 0,
) -> None:
    """Store assignments of every image to every member, in this order behind the position `after`."""
    shared: dict[str, Any] = {"batch": batch, "purpose": purpose, "pass_no": pass_no}
    Assignment.objects.bulk_create(
        Assignment(image_id=image, annotator=member, position=position, **shared)
        for member in members
        for position, image in enumerate(images, after + 1)
    )


def record_release(
    batch: Batch, owed: Mapping[str, int], actor: User | None, made: Mapping[str, object] | None = None
) -> None:
    """Record the release as an Event: `owed` assignments by code, and how the plan was `made`."""
    same = ("name", "protocol", "per_image", "seed", "show_prompt", "show_generator", "guided")
    data = {
        "batch": batch.pk,
        **{name: getattr(batch, name) for name in same},
        "overlap": str(batch.overlap),
        "score_shown": str(batch.score_shown),
        **({"settings": batch.settings} if batch.settings else {}),
        **({"needs_standing": True} if batch.needs_standing else {}),
        **({"picture": str(batch.picture)} if batch.is_blurred else {}),
        "assignments": dict(sorted(owed.items())),
        **(made or {}),
    }
    Event.objects.create(project=batch.project, actor=actor, verb="batch_released", data=data)


def change_batch_settings(
    *, batch: Batch, actor: User | None, own_settings: Mapping[str, object] | None = None, **wanted: Any
) -> Batch:
    """Change columns and own settings of a batch, with the previous ones in an Event if anything changes.

    Once annotations exist, showing or hiding something is recorded as seen for part of the time. Raises
    ValueError for `own_settings` that its protocol does not have; InvalidBatch for showing what a blind
    protocol hides.
    """
    shown = {name: wanted.get(name, getattr(batch, name)) for name in ("show_prompt", "show_generator")}
    check_blinding(batch.protocol, **shown)
    if own_settings:
        page = page_of(batch.protocol)
        page.checked(own_settings)
        if fixed := [one.title for one in page.settings if one.is_fixed and one.name in own_settings]:
            raise ValueError(f"{fixed[0]}: this is fixed when the batch is released.")
    with write_transaction():
        current = Batch.objects.select_for_update().get(pk=batch.pk)
        wanted |= _varied(current, wanted)
        if own_settings:
            wanted["settings"] = {**current.settings, **own_settings}
        replaced = {name: getattr(current, name) for name in wanted}
        if replaced != wanted:
            Batch.objects.filter(pk=batch.pk).update(**wanted)
            data = {"batch": batch.pk, "replaced": replaced, "settings": wanted}
            Event.objects.create(
                project_id=batch.project_id, actor=actor, verb="batch_settings_changed", data=data
            )
    batch.refresh_from_db()
    return batch


def _varied(batch: Batch, wanted: Mapping[str, Any]) -> dict[str, str]:
    """Return what was shown for only part of the annotations: changes after the first was started."""
    changed = {
        f"{thing}_seen": Batch.Seen.VARIED.value
        for thing, shown in (("prompt", batch.show_prompt), ("generator", batch.show_generator))
        if getattr(batch, f"{thing}_seen") == Batch.Seen.AS_SET
        and wanted.get(f"show_{thing}", shown) != shown
    }
    return changed if changed and Annotation.objects.filter(assignment__batch=batch).exists() else {}


def state_seen(batch: Batch, seen: Collection[str], actor: User | None) -> None:
    """Record, with an Event, whether annotators saw `prompt` and `generator` when they judged elsewhere."""
    states: dict[str, Any] = {
        f"{thing}_seen": Batch.Seen.SHOWN if thing in seen else Batch.Seen.HIDDEN
        for thing in ("prompt", "generator")
    }
    change_batch_settings(batch=batch, actor=actor, **states)
