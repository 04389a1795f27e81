"""Images and their files."""

from __future__ import annotations

from datetime import datetime
from fractions import Fraction
from typing import Literal
from uuid import UUID

from django.http import FileResponse, HttpRequest
from django.shortcuts import get_object_or_404
from django.urls import reverse
from ninja import Query
from pydantic import BaseModel, Field

from analysis.api import schemas
from analysis.api.paging import PLAIN, Paging, Parameters, filled, page_of
from analysis.api.protocols import LONGEST, Naming, require_known
from analysis.api.refusals import Missing
from analysis.api.routing import Routes
from analysis.api.security import person
from annotator.annotations.adjudication import adjudications_of, annotations_by_protocol, is_outdated
from annotator.faces.blurring import open_blurred
from annotator.faces.decisions import current_of
from annotator.images.display import UnreadableImage, open_display, open_display_jpeg
from annotator.models import Adjudication, FaceDecision, Image
from annotator.models.prompts import of_prompt
from annotator.models.work import DEFAULT_PROTOCOL
from annotator.people.access import blurred_image_for, image_for, project_as_lead
from scoring.prompts import LONGEST_PROMPT


def rating_of(variable: str, component: str, value: str) -> schemas.Rating:
    """Return a stored rating as an exact fraction and as a number."""
    return schemas.Rating(variable=variable, component=component, value=value, number=float(Fraction(value)))


router = Routes("Images")


class Faces(BaseModel):
    """A decision on the faces of an image."""

    rectangles: list[list[float]] = Field(
        description="`[x, y, width, height]` in pixels of the upright original; empty if it shows no face."
    )
    source: Literal["file", "drawn"] = Field(description="From a file, or drawn by a person.")
    decided_by: str | None = Field(description="The code of the person who decided; null for a command.")
    decided_at: datetime


class FacesOfImage(Faces):
    """A decision with its image, in force or replaced."""

    id: int
    image: UUID
    replaced_at: datetime | None = Field(description="Null while the decision is in force.")


class FaceDecisions(schemas.Page[FacesOfImage]):
    """A page of decisions on faces."""


class FaceFilters(Paging):
    """Filters for decisions on faces."""

    image: UUID | None = Field(None, description="Only decisions on this image.")
    replaced: bool | None = Field(None, description="Only replaced decisions, or only those in force.")


class ImageDetails(schemas.Image):
    """An image, its adjudication and the decision on its faces."""

    faces: Faces | None = Field(description="Null without a decision on faces.")
    adjudicated: schemas.Adjudicated | None = Field(description="Null if not adjudicated.")


class ImageFilters(Paging):
    """Filters for images."""

    generator: str | None = Field(None, max_length=120, pattern=PLAIN, description="Only this generator.")
    prompt: str | None = Field(
        None, max_length=LONGEST_PROMPT, pattern=PLAIN, description="Only this prompt."
    )
    prompt_group: str | None = Field(None, max_length=80, pattern=PLAIN, description="Only this group.")
    sha256: str | None = Field(None, pattern="^[0-9a-f]{64}$", description="SHA-256 of the original file.")


class Settled(Parameters):
    """The protocol of an adjudication."""

    protocol: str | None = Field(
        None,
        max_length=LONGEST,
        pattern=PLAIN,
        description="Protocol of the adjudication; default that of the image's latest batch.",
    )


class Shown(Parameters):
    """The copy of an image."""

    faces: Literal["blurred"] | None = Field(None, description="`blurred` for the copy with blurred faces.")


@router.reading("/projects/{slug:slug}/images", schemas.Images, "images")
def list_images(request: HttpRequest, slug: str, asked: Query[ImageFilters]) -> schemas.Images:
    """List a project's images in upload order. For leads."""
    project = project_as_lead(person(request), slug)
    chosen = asked.model_dump(exclude={"limit", "after", "prompt"}, exclude_none=True)
    images = project.images.filter(**chosen)
    if asked.prompt is not None:
        images = images.filter(of_prompt(asked.prompt))
    return page_of(schemas.Images, images, asked, _image)


@router.reading("/projects/{slug:slug}/images/{uuid:image}", ImageDetails, "image")
def read_image(request: HttpRequest, slug: str, image: UUID, asked: Query[Settled]) -> ImageDetails:
    """Read one image, its adjudication and where its faces are. For leads."""
    project = project_as_lead(person(request), slug)
    found = get_object_or_404(project.images, public_id=image)
    require_known(project, asked.protocol)
    adjudicated = _adjudicated(found, asked.protocol, Naming(project))
    details = _image(found).model_dump()
    return ImageDetails(**details, adjudicated=adjudicated, faces=_faces(found))


@router.reading("/projects/{slug:slug}/faces", FaceDecisions, "faces")
def list_faces(request: HttpRequest, slug: str, asked: Query[FaceFilters]) -> FaceDecisions:
    """List the decisions on a project's faces, replaced ones too, in the order they were made. For leads."""
    project = project_as_lead(person(request), slug)
    found = FaceDecision.objects.filter(image__project=project, image__goes_at=None)
    if asked.image is not None:
        found = found.filter(image__public_id=asked.image)
    if asked.replaced is not None:
        found = found.filter(replaced_at__isnull=not asked.replaced)
    return page_of(FaceDecisions, found.select_related("image", "decided_by"), asked, _of_image)


@router.sending("/images/{uuid:image}/picture", "picture", "The display copy.", ("image/jpeg", "image/webp"))
def read_picture(request: HttpRequest, image: UUID, asked: Query[Shown]) -> FileResponse:
    """Download the displayed image. Leads and reviewers can read all of the project, annotators those
    assigned to them; if their batch blurs faces, only with `faces=blurred`. Returns JPEG, or WebP if the
    header `Accept` names `image/webp`.
    """
    may_see = blurred_image_for if asked.faces else image_for
    found = may_see(person(request), image)
    webp = any(kind.main_type == "image" and kind.sub_type == "webp" for kind in request.accepted_types)
    try:
        if asked.faces:
            picture = open_blurred(found, webp=webp)
        else:
            picture = open_display(found) if webp else open_display_jpeg(found)
    except UnreadableImage as error:
        raise Missing("This image cannot be displayed.") from error
    response = FileResponse(picture, content_type="image/webp" if webp else "image/jpeg")
    # FileResponse would offer the name in the storage, which is the hash of the content.
    response["Content-Disposition"] = "inline"
    response["X-Content-Type-Options"] = "nosniff"
    response["Vary"] = "Accept"
    return response


def picture_of(image: Image, *, blurred: bool = False) -> str:
    """Return the URL of an image's file, or of its copy with blurred faces."""
    address = reverse("api:picture", args=[image.public_id])
    return f"{address}?faces=blurred" if blurred else address


def _faces(image: Image) -> Faces | None:
    """Return the decision on an image that is in force, if any."""
    row = current_of([image.pk]).get(image.pk)
    return None if row is None else filled(Faces, row, decided_by=_code(row))


def _of_image(row: FaceDecision) -> FacesOfImage:
    return filled(FacesOfImage, row, image=row.image.public_id, decided_by=_code(row))


def _code(row: FaceDecision) -> str | None:
    return row.decided_by.code if row.decided_by else None


def _adjudicated(image: Image, protocol: str | None, naming: Naming) -> schemas.Adjudicated | None:
    answers = annotations_by_protocol(image)
    row = adjudications_of(image).get(protocol or next(reversed(answers), DEFAULT_PROTOCOL))
    if row is None or not row.is_settled:
        return None
    return filled(
        schemas.Adjudicated,
        row,
        ratings=[rating_of(*rating) for rating in row.ratings],
        settled_from=[pk for pk, _ in row.settled_from],
        outdated=is_outdated(row, answers.get(row.protocol, [])),
        causes=_causes(row),
        decided_by=row.decided_by.code,
        **naming.of(row.protocol),
    )


def _causes(row: Adjudication) -> list[schemas.NamedCauses] | None:
    if row.causes is None:
        return None
    return [
        schemas.NamedCauses(component=component, **{"note": "", **each})
        for component, each in row.causes.items()
    ]


def _image(row: Image) -> schemas.Image:
    facts = {"id": row.public_id, "picture": picture_of(row), "scaled_from": row.scaled_from}
    return filled(schemas.Image, row, **facts)
