"""References: the annotations that others are compared with."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from django.http import HttpRequest
from ninja import Query
from pydantic import BaseModel, Field

from analysis.api import schemas
from analysis.api.images import rating_of
from analysis.api.paging import filled, page_of
from analysis.api.protocols import Naming, PagingAbout
from analysis.api.refusals import Invalid
from analysis.api.routing import Routes
from analysis.api.security import person
from annotator import models
from annotator.people.access import project_as_lead
from annotator.training.references import ReferenceRefused, require_comparable
from scoring.service import UnknownProtocol

router = Routes("References")


class Reference(BaseModel):
    """An annotation of an image that others are compared with, in training for example."""

    id: int
    image: UUID
    protocol: str | None = schemas.NAMED
    version: int = Field(description="A changed value is a new version; the previous one is retired.")
    status: str = Field(description="`active` or `retired`. An image has at most one active reference.")
    origin: str = Field(description="`adjudicated`, `imported`, `planted` or `normed`.")
    payload: dict[str, Any] = Field(description="The value, in the form of an annotation.")
    ratings: list[schemas.Rating]
    rationales: dict[str, str] = Field(
        description="The lead's reasons by cell.", examples=[{"missing.hands": "The hand ends early."}]
    )
    made_by: str | None = Field(description="The code of the lead; null if a command made it.")
    made_at: datetime


class References(schemas.Page[Reference]):
    """A page of references."""


class ReferenceFilters(PagingAbout):
    """Filters for references."""

    status: Literal["active", "retired"] | None = Field(
        None, description="Only references in use, or only retired ones."
    )


@router.reading("/projects/{slug:slug}/references", References, "references")
def list_references(request: HttpRequest, slug: str, asked: Query[ReferenceFilters]) -> References:
    """List a project's references with their earlier versions, in the order they were made. For leads."""
    project = project_as_lead(person(request), slug)
    chosen = asked.model_dump(exclude={"limit", "after"}, exclude_none=True)
    require_compared(chosen.get("protocol"))
    found = models.Reference.objects.filter(image__project=project, image__goes_at=None, **chosen)
    naming = Naming(project)

    def told(row: models.Reference) -> Reference:
        return filled(
            Reference,
            row,
            image=row.image.public_id,
            ratings=[rating_of(*rating) for rating in row.ratings],
            made_by=row.made_by.code if row.made_by else None,
            **naming.of(row.protocol),
        )

    return page_of(References, found.select_related("image", "made_by"), asked, told)


def require_compared(slug: str | None) -> None:
    """Raise Invalid for a protocol filter whose annotations cannot be compared with references."""
    if slug is None:
        return
    try:
        require_comparable(slug)
    except (ReferenceRefused, UnknownProtocol) as refused:
        raise Invalid({"protocol": [str(refused)]}) from refused
