"""The primary analysis of a project's comparison: declared once, before or after the results are known."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from django.db.models import OuterRef, Subquery

from annotator.database.transactions import write_transaction
from annotator.models import Event, Project, User

DECLARED: Final = "primary_analysis_declared"
LISTED: Final = 20
"""Declarations shown; the history has all."""


@dataclass(frozen=True)
class Declaration:
    """An analysis (empty for none), when it was declared, and how many comparisons were computed by then.

    `by` is the lead's code in the project, or account; empty if the server declared it.
    """

    at: datetime
    reports: int
    analysis: str = ""
    by: str = ""

    @property
    def title(self) -> str:
        """The analysis in words."""
        return name_of_analysis(self.analysis)

    @property
    def when(self) -> str:
        """Whether that was before the results were known."""
        if not self.reports:
            return "before the first report"
        return f"after {self.reports:,} report{'' if self.reports == 1 else 's'}"


def name_of_analysis(slug: str) -> str:
    """Return an analysis as words; an unknown one as it is."""
    if not slug:
        return "not declared"
    known = slug in Project.PrimaryAnalysis.values
    return Project.PrimaryAnalysis(slug).label.lower() if known else slug


def declare(*, project: Project, analysis: str, reports: int, actor: User | None) -> bool:
    """Store the primary analysis, empty for none, with an Event; return whether it changed.

    `reports` is the number of comparisons computed so far. Raises ValueError for an unknown analysis.
    """
    if analysis and analysis not in Project.PrimaryAnalysis.values:
        raise ValueError("Choose one of the listed analyses.")
    with write_transaction():
        held = Project.locked(project.pk)
        before = held.primary_analysis
        if analysis == before:
            return False
        Project.objects.filter(pk=held.pk).update(primary_analysis=analysis)
        data = {"replaced": before, "primary_analysis": analysis, "reports": reports}
        Event.objects.create(project=held, actor=actor, verb=DECLARED, data=data)
    project.primary_analysis = analysis
    return True


def declaration_of(project: Project) -> Declaration | None:
    """Return when the analysis in force was declared, None if none is; at most one query."""
    if not project.primary_analysis:
        return None
    return next(iter(declarations_of(project, 1)), None)


def declarations_of(project: Project, most: int = LISTED) -> list[Declaration]:
    """Return the newest declarations, at most `most`, newest first; one query."""
    code = project.memberships.filter(user=OuterRef("actor")).values("code")[:1]
    events = Event.objects.filter(project=project, verb=DECLARED).select_related("actor")
    return [_declaration(event) for event in events.annotate(code=Subquery(code)).order_by("-pk")[:most]]


def _declaration(event: Any) -> Declaration:
    return Declaration(
        event.created_at,
        int(event.data.get("reports") or 0),
        str(event.data.get("primary_analysis") or ""),
        event.code or (event.actor.username if event.actor else ""),
    )


def declaration_json(project: Project) -> dict[str, Any]:
    """Return the declaration for a bundle; empty if there is none."""
    found = declaration_of(project)
    if found is None:
        return {}
    return {"analysis": project.primary_analysis, "declared_at": found.at, "reports": found.reports}
