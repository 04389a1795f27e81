"""Guideline gaps: cells of adjudicated images for which the guideline has no rule, and how they were
closed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final
from urllib.parse import urlencode
from uuid import UUID

from django.db.models import TextField
from django.db.models.functions import Cast
from django.utils import timezone

from annotator.guidelines.content import Content
from annotator.guidelines.examples import settled
from annotator.models import Project
from annotator.protocols.page import Guide
from scoring.causes import Cause

GAP: Final[Cause] = "guideline_gap"


@dataclass(frozen=True)
class GuidelineGap:
    """One cell with the cause guideline gap.

    `decided` is empty while no decision covers the cell, otherwise `draft` or `published`. A decision covers
    a cell if it is about the cell, its error type or its body part and was made on the day of the
    adjudication or later.
    """

    image: UUID
    component: str
    title: str
    note: str
    found_at: datetime
    found_by: str
    decided: str = ""

    @property
    def prefill(self) -> str:
        """The query of the form that writes a decision about this cell."""
        return urlencode({"about": self.component, "decision": self.note or f"{self.title}: "})


def gaps_of(
    project: Project, protocol: str, guide: Guide, draft: Content, published: Content | None
) -> list[GuidelineGap]:
    """Return the gaps of the adjudications that count, undecided ones first, then the latest; one query."""
    rows = (
        settled(project, protocol)
        .filter(causes__isnull=False)
        .annotate(as_text=Cast("causes", TextField()))
        .filter(as_text__contains=GAP)
        .order_by("-decided_at", "-pk")
        .values_list("image__public_id", "causes", "decided_at", "decided_by__code")
    )
    found = [
        GuidelineGap(
            image,
            component,
            guide.titles.get(component, component),
            each.get("note", ""),
            found_at,
            found_by,
            _decided(component, guide.components, found_at, draft, published),
        )
        for image, causes, found_at, found_by in rows
        for component, each in (causes or {}).items()
        if GAP in each["causes"]
    ]
    return sorted(found, key=lambda gap: bool(gap.decided))


def _decided(
    component: str,
    blocks: Mapping[str, Sequence[str]],
    found_at: datetime,
    draft: Content,
    published: Content | None,
) -> str:
    covering = {component, *blocks.get(component, ())}
    day = timezone.localdate(found_at).isoformat()
    for name, content in (("published", published), ("draft", draft)):
        if content and any(one.about in covering and one.made_on >= day for one in content.decisions):
            return name
    return ""
