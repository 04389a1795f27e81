"""Tags of leads' pages: numbers that do not break, values by key, what waits for review, alpha by item."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from django import template

from analysis.home.reviewing import at_most, waiting_for_review
from analysis.models import Report
from analysis.reports.stored import finished
from analysis.stats.generic.tables import rows_of
from analysis.tables.wording import PLACES, rounded
from annotator.models import Project

register = template.Library()

NO_BREAK: Final = "\N{NO-BREAK SPACE}"
# Spaces inside `p < 0.001`, `t = 2.1`, `± 0.10`, `62% [53, 70]` and `0.55 [0.28, 0.73]`.
INSIDE: Final = re.compile(
    r"(?<=\bp) (?=[<=])|(?<=[)tg]) (?==)|(?<=[<=±]) (?=[−\d])|(?<=[\d%]) (?=\[)|(?<=\d,) (?=[−\d.]+\])"
)


@register.filter
def unbroken(text: str) -> str:
    """Return the text with no-break spaces inside its numbers; for pages only."""
    return INSIDE.sub(NO_BREAK, text)


@register.filter
def of(values: Mapping[str, Any], key: str) -> Any:
    """Return the value of a key, None without one."""
    return values.get(key)


@register.simple_tag(takes_context=True)
def waiting(context: dict[str, Any], project: Project) -> str:
    """Return how much waits for a decision, “999+” at most, counted once a page; empty if nothing does."""
    if "review_count" not in context:
        # At the bottom of the stack: the navigation is drawn twice.
        context.dicts[0]["review_count"] = waiting_for_review(project)  # type: ignore[attr-defined]
    count = context["review_count"]
    return at_most(count) if count else ""


@register.simple_tag
def alphas(project: Project, protocol: str) -> dict[str, str]:
    """Return alpha of each measure by its title, as the newest agreement report has it; {} without one."""
    reports = finished(project, Report.Kind.AGREEMENT, protocol)
    tables = reports.values_list("result__tables", flat=True).first()
    rows = rows_of({"tables": tables or []}, "agreement")
    return {
        row["variable"]: rounded(row["pooled"]["value"], PLACES)
        for row in reversed(rows)
        if row["pooled"]["value"] is not None
    }


register.filter("shows_suggestions", Project.shows_suggestions)
