"""The methods paragraphs of a project's newest reports, read without their numbers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from analysis.models import KEPT_UP_TO_DATE, Report
from analysis.reports.lifecycle import finished
from analysis.tables.blinding import answered, seen_sentences
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


def methods_text(kind: str, result: Mapping[str, Any], seen: str) -> str:
    """Return a report's paragraph with what annotators saw; empty if its settings are unknown."""
    made = report_methods(kind, result)
    return f"{made} {seen}".rstrip() if made else ""


def project_methods(project: Project, protocol: str) -> list[WrittenMethods]:
    """Return the paragraphs of the newest finished report of each kind; one query each, one for batches."""
    seen = seen_sentences(answered(project))
    found = []
    for kind in sorted(KEPT_UP_TO_DATE):
        rows = finished(project, kind, protocol).values(*(f"result__{part}" for part in PARTS))
        row = rows.first()
        result = {part: value for part in PARTS if row and (value := row[f"result__{part}"]) is not None}
        if "protocol" in result:
            # Results that name their protocol are lists of tables.
            result["tables"] = []
        if text := methods_text(kind, result, seen) if result else "":
            found.append(WrittenMethods(kind, Report.Kind(kind).label, text, cited(text)))
    return found
