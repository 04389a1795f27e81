"""References: the annotations that others are compared with."""

from __future__ import annotations

from typing import Literal

from django.http import HttpRequest
from ninja import Query
from pydantic import Field

from analysis.api import schemas
from analysis.api.images import rating_of
from analysis.api.paging import filled, page_of
from analysis.api.protocols import Naming, PagingAbout
from analysis.api.refusals import Invalid
from analysis.api.routing import Routes
from analysis.api.security import person
from annotator.models import Reference
from annotator.people.access import project_as_lead
from annotator.training.references import comparable

router = Routes("References")


class ReferenceFilters(PagingAbout):
    """Filters for references."""

    status: Literal["active", "retired"] | None = Field(
        None, description="Only references in use, or only retired ones."
    )


@router.reading("/projects/{slug:slug}/references", schemas.References, "references")
def list_references(request: HttpRequest, slug: str, asked: Query[ReferenceFilters]) -> schemas.References:
    """List a project's references with their earlier versions, in the order they were made. For leads."""
    project = project_as_lead(person(request), slug)
    if asked.protocol is not None and asked.protocol not in comparable():
        known = ", ".join(sorted(comparable()))
        raise Invalid({"protocol": [f"This protocol has no references. Known: {known}."]})
    chosen = asked.model_dump(exclude={"limit", "after"}, exclude_none=True)
    found = Reference.objects.filter(image__project=project, image__goes_at=None, **chosen)
    naming = Naming(project)

    def told(row: Reference) -> schemas.Reference:
        return filled(
            schemas.Reference,
            row,
            image=row.image.public_id,
            ratings=[rating_of(*rating) for rating in row.ratings],
            made_by=row.made_by.code if row.made_by else None,
            **naming.of(row.protocol),
        )

    return page_of(schemas.References, found.select_related("image", "made_by"), asked, told)
