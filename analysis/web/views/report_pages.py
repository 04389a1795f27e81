"""The context of pages with a finished report."""

from __future__ import annotations

from typing import Any, Final

from analysis.first_screen.basis import BY_IMAGE
from analysis.models import Report
from analysis.sections import page_of_report
from analysis.web.views.weights import weights_context
from annotator.models import Project

FILE_FORMS: Final = (("svg", "SVG"), ("png", "PNG"), ("csv", "CSV"))


def reading_context(report: Report, project: Project, unit: str = BY_IMAGE) -> dict[str, Any]:
    """Return the report's sections and the form for other weights."""
    reading = page_of_report(report, project, by_annotation=unit != BY_IMAGE)
    return {"reading": reading, "file_forms": FILE_FORMS, **weights_context(reading.result)}
