"""The primary analysis of a project's comparison: declared once, before or after the results are known."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from annotator.database.transactions import write_transaction
from annotator.models import Event, Project, User

DECLARED: Final = "primary_analysis_declared"


@dataclass(frozen=True)
class Declaration:
    """When the analysis in force was declared, and how many comparisons had been computed by then."""

    at: datetime
    reports: int

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
    event = Event.objects.filter(project=project, verb=DECLARED).order_by("-pk").first()
    if event is None:
        return None
    # A project restored from a bundle keeps the time of its first life.
    at = (
        datetime.fromisoformat(event.data["declared_at"])
        if event.data.get("declared_at")
        else event.created_at
    )
    return Declaration(at, int(event.data.get("reports") or 0))


def declaration_json(project: Project) -> dict[str, Any]:
    """Return the declaration for a bundle; empty if there is none."""
    found = declaration_of(project)
    if found is None:
        return {}
    return {"analysis": project.primary_analysis, "declared_at": found.at, "reports": found.reports}


def restore(project: Project, told: Mapping[str, Any], actor: User | None) -> None:
    """Store the declaration of a bundle in a new project, with its time; in the caller's transaction."""
    if told:
        Project.objects.filter(pk=project.pk).update(primary_analysis=told["analysis"])
        data = {
            "replaced": project.primary_analysis,
            "primary_analysis": told["analysis"],
            "declared_at": told["declared_at"],
            "reports": told["reports"],
        }
        Event.objects.create(project=project, actor=actor, verb=DECLARED, data=data)
