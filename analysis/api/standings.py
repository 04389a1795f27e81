"""Standings: who may be given work that needs a qualification, by pseudonym."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from django.http import HttpRequest
from ninja import Query
from pydantic import BaseModel, Field

from analysis.api import schemas
from analysis.api.paging import filled, page_of
from analysis.api.protocols import Naming, PagingAbout
from analysis.api.references import require_compared
from analysis.api.routing import Routes
from analysis.api.security import person
from analysis.pseudonyms import pseudonyms
from annotator import models
from annotator.people.access import project_as_lead
from annotator.people.standings import lapse_due

router = Routes("Standings")


class Standing(BaseModel):
    """The standing of an annotator under a protocol; without one, nobody has qualified them yet."""

    annotator: str = Field(description="The annotator's pseudonym, as in exports.", examples=["p-4kq7x2mz"])
    protocol: str | None = schemas.NAMED
    state: str = Field(description="`none`, `training`, `qualified`, `lapsed` or `waived`.")
    permits_work: bool = Field(description="Whether it permits work that needs a qualification.")
    guideline: str = Field(description="The guideline's version that it rests on; empty without one.")
    evidence: int = Field(description="Number of annotations that it rests on.")
    changed_at: datetime


class Standings(schemas.Page[Standing]):
    """A page of standings."""


class StandingFilters(PagingAbout):
    """Filters for standings."""

    state: Literal["none", "training", "qualified", "lapsed", "waived"] | None = Field(
        None, description="Only standings in this state."
    )


@router.reading("/projects/{slug:slug}/standings", Standings, "standings")
def list_standings(request: HttpRequest, slug: str, asked: Query[StandingFilters]) -> Standings:
    """List a project's standings by pseudonym, in the order they were first given. For leads.

    Those that are due lapse first. Reasons are left out: they may name people.
    """
    project = project_as_lead(person(request), slug)
    chosen = asked.model_dump(exclude={"limit", "after"}, exclude_none=True)
    require_compared(chosen.get("protocol"))
    lapse_due(project)
    found = models.Standing.objects.filter(membership__project=project, **chosen)
    naming, names = Naming(project), pseudonyms(project)

    def told(row: models.Standing) -> Standing:
        return filled(
            Standing,
            row,
            annotator=names[row.membership.code],
            evidence=len(row.evidence),
            **naming.of(row.protocol),
        )

    return page_of(Standings, found.select_related("membership"), asked, told)
