"""The methods paragraphs of a project's newest reports, read without their numbers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from analysis.models import KEPT_UP_TO_DATE, Report
from analysis.reports.stored import finished
from analysis.tables.blinding import answered, seen_sentences
from analysis.tables.checklist import checklist
from analysis.tables.generic import result_methods
from analysis.tables.methods import PARTS, cited
from annotator.models import Project


@dataclass(frozen=True)
class WrittenMethods:
    """The paragraph of one report and the sources it cites."""

    kind: str
    title: str
    text: str
    references: list[str]


def methods_text(result: Mapping[str, Any], project: Project) -> str:
    """Return a report's paragraph with what annotators saw, and the checklist of a comparison.

    It is empty for a report that no publication has.
    """
    return _with_project(result, seen_sentences(answered(project)))


def _with_project(result: Mapping[str, Any], seen: str) -> str:
    if not (made := result_methods(result)):
        return ""
    return "\n\n".join(filter(None, [" ".join(filter(None, [made, seen])), checklist(result)]))


def project_methods(project: Project, protocol: str) -> list[WrittenMethods]:
    """Return the paragraphs of the newest finished report of each kind."""
    seen = seen_sentences(answered(project))
    found = []
    for kind in sorted(KEPT_UP_TO_DATE):
        row = finished(project, kind, protocol).values(*(f"result__{part}" for part in PARTS)).first()
        result = {part: value for part in PARTS if row and (value := row[f"result__{part}"]) is not None}
        if text := _with_project(result, seen) if result else "":
            found.append(WrittenMethods(kind, Report.Kind(kind).label, text, cited(text)))
    return found
