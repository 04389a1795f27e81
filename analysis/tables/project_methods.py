"""The methods paragraphs of a project's newest reports, read without their numbers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.db.models import BooleanField, ExpressionWrapper, Q

from analysis.models import KEPT_UP_TO_DATE, Report
from analysis.reports.lifecycle import finished
from analysis.tables.blinding import answered, seen_sentences
from analysis.tables.checklist import checklist
from analysis.tables.methods import PARTS, cited
from analysis.tables.report import report_methods
from annotator.models import Project


@dataclass(frozen=True)
class WrittenMethods:
    """The paragraph of one report and the sources it cites."""

    kind: str
    title: str
    text: str
    references: list[str]


def methods_text(kind: str, result: Mapping[str, Any], project: Project) -> str:
    """Return a report's paragraph with what annotators saw, and the checklist of a comparison.

    It is empty if the report's settings are unknown.
    """
    return _with_project(kind, result, seen_sentences(answered(project)))


def _with_project(kind: str, result: Mapping[str, Any], seen: str) -> str:
    if not (made := report_methods(kind, result)):
        return ""
    return "\n\n".join(filter(None, [" ".join(filter(None, [made, seen])), checklist(result)]))


def project_methods(project: Project, protocol: str) -> list[WrittenMethods]:
    """Return the paragraphs of the newest finished report of each kind."""
    seen = seen_sentences(answered(project))
    found = []
    for kind in sorted(KEPT_UP_TO_DATE):
        # Whether a result is a list of tables, without reading them.
        is_listed = ExpressionWrapper(Q(result__has_key="tables"), BooleanField())
        rows = finished(project, kind, protocol).annotate(is_listed=is_listed)
        row = rows.values("is_listed", *(f"result__{part}" for part in PARTS)).first()
        result = {part: value for part in PARTS if row and (value := row[f"result__{part}"]) is not None}
        if row and row["is_listed"]:
            result["tables"] = []
        if text := _with_project(kind, result, seen) if result else "":
            found.append(WrittenMethods(kind, Report.Kind(kind).label, text, cited(text)))
    return found
