"""Guideline gaps: cells of adjudicated or normed images for which the guideline has no rule, and how they
were closed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final
from urllib.parse import urlencode
from uuid import UUID

from django.db.models import TextField
from django.db.models.functions import Cast
from django.utils import timezone

from annotator.guidelines.content import Content
from annotator.guidelines.examples import adjudicated
from annotator.models import NormedImage, Project
from annotator.protocols.page import Guide
from scoring.causes import Cause

GAP: Final[Cause] = "guideline_gap"


@dataclass(frozen=True)
class GuidelineGap:
    """One cell with the cause guideline gap, or with a note on the guideline in a norming session.

    `decided` is empty while no decision covers the cell, otherwise `draft` or `published`. A decision covers
    a cell if it is about the cell, its error type or its body part and was made on the day of the
    adjudication or agreed value, or later. `normed` is the image's place in a norming session; None for an
    adjudication.
    """

    image: UUID
    component: str
    note: str
    found_at: datetime
    found_by: str
    normed: NormedImage | None = None
    title: str = ""
    decided: str = ""

    @property
    def prefill(self) -> str:
        """The query of the form that writes a decision about this cell."""
        return urlencode({"about": self.component, "decision": self.note or f"{self.title}: "})


def gaps_of(
    project: Project, protocol: str, guide: Guide, draft: Content, published: Content | None
) -> list[GuidelineGap]:
    """Return the gaps of the adjudications that count and of norming sessions; two queries.

    Undecided ones come first, then the latest.
    """
    named = [*_adjudicated(project, protocol), *_normed(project, protocol)]
    named.sort(key=lambda gap: gap.found_at, reverse=True)
    found = [
        replace(
            gap,
            title=guide.titles.get(gap.component, gap.component),
            decided=_decided(gap.component, guide.components, gap.found_at, draft, published),
        )
        for gap in named
    ]
    return sorted(found, key=lambda gap: bool(gap.decided))


def _adjudicated(project: Project, protocol: str) -> Iterator[GuidelineGap]:
    rows = (
        adjudicated(project, protocol)
        .filter(causes__isnull=False)
        .annotate(as_text=Cast("causes", TextField()))
        .filter(as_text__contains=GAP)
        .order_by("-decided_at", "-pk")
        .values_list("image__public_id", "causes", "decided_at", "decided_by__code")
    )
    for image, causes, found_at, found_by in rows:
        for component, each in (causes or {}).items():
            if GAP in each["causes"]:
                yield GuidelineGap(image, component, each.get("note", ""), found_at, found_by)


def _normed(project: Project, protocol: str) -> Iterator[GuidelineGap]:
    rows = (
        NormedImage.objects.filter(session__project=project, session__batch__protocol=protocol)
        .filter(image__goes_at=None, decided_at__isnull=False)
        .select_related("image", "session__batch", "decided_by")
        .order_by("-decided_at", "-pk")
    )
    for row in rows:
        causes = row.causes or {}
        named = [component for component, each in causes.items() if GAP in each["causes"]]
        for component in dict.fromkeys([*named, *row.gaps]):
            noted, cause = row.gaps.get(component, {}), causes.get(component, {})
            # What the guideline should say is nearest to a decision.
            note = noted.get("should_say") or cause.get("note") or noted.get("says") or ""
            by = row.decided_by.code if row.decided_by else ""
            assert row.decided_at is not None  # filtered
            yield GuidelineGap(row.image.public_id, component, note, row.decided_at, by, row)


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
