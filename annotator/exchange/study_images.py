"""Store the images of a study, one at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from django.conf import settings
from django.db import IntegrityError
from django.db.models import Q

from annotator.database.transactions import write_transaction
from annotator.exchange.formats.names import normal_form
from annotator.exchange.formats.report import RejectedFile, StudyImport, StudyRefused
from annotator.exchange.formats.sheet import Place
from annotator.exchange.matching import MatchedFile, Spelling
from annotator.exchange.study_files import open_file
from annotator.images.decoding import UnreadableImage, content_hash, decode_contents, read_limited
from annotator.images.display import store_image
from annotator.models import Event, Image, Project, User
from annotator.models.prompts import of_prompt
from annotator.work.machine_faults import blames_machine
from annotator.work.sending import DisplaySender


@dataclass(frozen=True)
class StoredFile:
    """A file of this folder in the project, with its placement there."""

    shown: str
    place: Place
    number: int | None


class ImageRefused(Exception):
    """A refused file; the message is the reason."""


def store_images(
    placements: Iterable[MatchedFile],
    *,
    project: Project,
    actor: User | None,
    report: StudyImport,
    step: Callable[[], None],
) -> list[StoredFile]:
    """Store new files, count stored ones, and report refused ones.

    Holds one file in memory at a time. Idempotent: images are identified by content.
    """
    with DisplaySender() as sender:
        return _store_all(placements, project, actor, report, step, sender)


def _store_all(
    placements: Iterable[MatchedFile],
    project: Project,
    actor: User | None,
    report: StudyImport,
    step: Callable[[], None],
    sender: DisplaySender,
) -> list[StoredFile]:
    stored: list[StoredFile] = []
    seen: dict[str, str] = {}
    for placement in placements:
        try:
            contents = _read(placement)
            digest = content_hash(contents)
            if digest in seen:
                raise ImageRefused(f"the same image as {seen[digest]}")
            seen[digest] = placement.file.shown
            image = _known(project, digest, placement, actor)
            added = None if image else _add(project, contents, placement)
            # None from both: another import stored this image in the meantime.
            image = image or added or _known(project, digest, placement, actor)
            if image is None:
                raise ImageRefused("another import is storing this image; import again")
            if added is None:
                report.images_existing += 1
            else:
                report.images_added += 1
                sender.send(added.pk)
            place = (normal_form(image.generator), normal_form(image.prompt))
            stored.append(StoredFile(placement.file.shown, place, image.number))
        except OSError as error:
            # All further files would meet the same full disk.
            raise StudyRefused(
                f"{placement.file.shown} could not be stored ({error.strerror}). {report.images_added} new "
                "images are stored; import again to resume."
            ) from error
        except (ImageRefused, UnreadableImage) as error:
            report.rejected_files.append(RejectedFile(placement.file.shown, str(error)))
        step()
    return stored


def respell(project: Project, spelling: Spelling, actor: User | None) -> None:
    """Respell the project's generators and prompts as in the annotation file and the manifest."""
    for column, spelt in (("generator", spelling.generator), ("prompt", spelling.prompt)):
        for name in project.images.order_by().values_list(column, flat=True).distinct():
            if spelt(name) != name:
                _rename(project, column, name, spelt(name), actor)


def _rename(project: Project, column: str, old: str, new: str, actor: User | None) -> None:
    try:
        with write_transaction():
            changed = project.images.filter(**{column: old}).update(**{column: new})
            data = {"column": column, "old": old, "new": new, "images": changed}
            Event.objects.create(project=project, actor=actor, verb="images_respelt", data=data)
    except IntegrityError as error:
        message = f"The project has images of {column} “{old}” and “{new}” with the same numbers."
        raise StudyRefused(f"{message} Give them names that differ in more than spelling.") from error


def _read(placement: MatchedFile) -> bytes:
    with open_file(placement.file) as file:
        try:
            return read_limited(file, max_bytes=settings.MAX_IMAGE_BYTES)
        except OSError as error:
            if blames_machine(error):
                raise
            raise UnreadableImage(f"cannot be read: {error.strerror}") from error


def _add(project: Project, contents: bytes, placement: MatchedFile) -> Image | None:
    """Return the new image; None if its content or number was stored concurrently."""
    _check_free(project, placement, None)
    decoded = decode_contents(contents, max_pixels=settings.MAX_IMAGE_PIXELS)
    twin = Image.everything.filter(project=project, pixels=decoded.pixels).first()
    if twin is not None and twin.sha256 != decoded.sha256:
        raise ImageRefused(f"the same picture, with other metadata, is already in the project as {twin}")
    try:
        return store_image(
            project=project,
            decoded=decoded,
            source_name=placement.file.shown,
            generator=placement.generator,
            prompt=placement.prompt,
            prompt_group=placement.prompt_group,
            number=placement.number,
            attributes=dict(placement.attributes),
        )
    except IntegrityError:
        return None


def _known(project: Project, digest: str, placement: MatchedFile, actor: User | None) -> Image | None:
    """Return the image with this content, updated to its current placement; None if it is new."""
    image = Image.everything.filter(project=project, sha256=digest).first()
    if image is None:
        return None
    changes = _changes(image, placement)
    if changes:
        old = {column: getattr(image, column) for column in changes}
        with write_transaction():
            Image.objects.filter(pk=image.pk).update(**changes)
            data = {"image": str(image.public_id), "old": old, "new": changes}
            Event.objects.create(project=project, actor=actor, verb="image_changed", data=data)
        image.refresh_from_db()
    return image


def _changes(image: Image, placement: MatchedFile) -> dict[str, object]:
    wanted: dict[str, object] = {}
    if placement.prompt_group:
        wanted["prompt_group"] = placement.prompt_group
    if placement.attributes:
        wanted["attributes"] = dict(placement.attributes)
    moved = placement.place != (normal_form(image.generator), normal_form(image.prompt))
    if moved:
        if not placement.firm or image.assignments.exists():
            raise ImageRefused(f"the same image is already in the project as {image} ({image.source_name})")
        wanted |= {"generator": placement.generator, "prompt": placement.prompt}
    if placement.number != image.number and placement.number is not None:
        if image.number is not None and placement.firm and image.assignments.exists():
            raise ImageRefused(f"it is already annotated as {image}, so its number stays")
        if image.number is None or placement.firm:
            wanted["number"] = placement.number
    changes = {column: value for column, value in wanted.items() if getattr(image, column) != value}
    if moved or "number" in changes:
        _check_free(image.project, placement, image)
    return changes


def _check_free(project: Project, placement: MatchedFile, own: Image | None) -> None:
    """Raise Refused if another image already has this number."""
    if placement.number is None:
        return
    place = Q(project=project, generator=placement.generator, number=placement.number)
    taken = Image.everything.filter(place, of_prompt(placement.prompt))
    other = next((image for image in taken if own is None or image.pk != own.pk), None)
    if other is not None:
        raise ImageRefused(f"another image is already {other} ({other.source_name})")
