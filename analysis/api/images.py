"""Images and their files."""

from datetime import datetime
from typing import Annotated, Any, Final, Literal
from uuid import UUID

from django.db.models import QuerySet
from django.http import FileResponse, HttpRequest
from django.urls import reverse
from ninja import Field, Query, Router, Schema
from ninja.pagination import paginate

from analysis.api.refusals import REFUSALS, Missing
from analysis.api.requests import PLAIN, Pages, person
from annotator import models
from annotator.faces.blurring import picture_response
from annotator.images.decoding import UnreadableImage
from annotator.models.images import composed_id
from annotator.models.prompts import of_prompt
from annotator.people.access import image_for, project_as_lead
from scoring.prompts import LONGEST_PROMPT

router: Final = Router(tags=["Images"])


class Image(Schema):
    """An image as leads see it."""

    id: UUID = Field(alias="public_id")
    image_id: str = Field(description="Unique in the project, as in exports.")
    generator: str
    prompt: str
    prompt_group: str
    number: int | None
    source_name: str = Field(description="Name of the uploaded file.")
    sha256: str
    format: str
    width: int
    height: int
    attributes: dict[str, Any] = Field(description="Additional columns of its manifest.")
    display_state: str = Field(description="Status of the display copy: `pending`, `ready` or `failed`.")
    created_at: datetime
    picture: str = Field(description="URL of the display copy.")

    @staticmethod
    def resolve_image_id(row: models.Image) -> str:
        """Return the Image Id as it is stored with the image."""
        return row.unique_id or composed_id(row.generator, row.prompt, row.number, row.source_name)

    @staticmethod
    def resolve_picture(row: models.Image) -> str:
        """Return the URL of the display copy."""
        return reverse("api:picture", args=[row.public_id])


class ImageFilters(Schema):
    """Filters for images."""

    generator: Annotated[str | None, Field(max_length=120, pattern=PLAIN)] = None
    prompt: Annotated[str | None, Field(max_length=LONGEST_PROMPT, pattern=PLAIN)] = None
    prompt_group: Annotated[str | None, Field(max_length=80, pattern=PLAIN)] = None
    sha256: str | None = Field(None, pattern="^[0-9a-f]{64}$", description="SHA-256 of the original file.")


class Copy(Schema):
    """The copy of an image."""

    faces: Literal["blurred"] | None = Field(None, description="`blurred` for the copy with blurred faces.")


@router.get("/projects/{slug:slug}/images", response={200: list[Image], **REFUSALS}, url_name="images")
@paginate(Pages)
def list_images(request: HttpRequest, slug: str, filters: Query[ImageFilters]) -> QuerySet[models.Image]:
    """List a project's images in upload order. For leads."""
    project = project_as_lead(person(request), slug)
    images = project.images.filter(**filters.model_dump(exclude={"prompt"}, exclude_none=True))
    return images if filters.prompt is None else images.filter(of_prompt(filters.prompt))


_FILE: Final = {"schema": {"type": "string", "format": "binary"}}


@router.get(
    "/images/{uuid:image}/picture",
    response={200: None, **REFUSALS},
    url_name="picture",
    openapi_extra={"responses": {200: {"content": {"image/jpeg": _FILE, "image/webp": _FILE}}}},
)
def read_picture(request: HttpRequest, image: UUID, asked: Query[Copy]) -> FileResponse:
    """Download the displayed image. Leads and reviewers can read all of the project, annotators those
    assigned to them; if their batch blurs faces, only with `faces=blurred`. If any batch of the project
    blurs faces, everybody gets copies with blurred faces: a bundle that says why is the only way out for
    others. Returns JPEG, or WebP if the header `Accept` names `image/webp`.
    """
    row = image_for(person(request), image, blurred=bool(asked.faces))
    try:
        return picture_response(request, row, blurred=bool(asked.faces) or row.project.blurs_faces)
    except UnreadableImage as error:
        raise Missing("This image cannot be displayed.") from error
