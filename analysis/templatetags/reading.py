"""Filters of report pages: numbers in sentences do not break across lines; values by key; tabs."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from django import template

from analysis.reports.suggestions import has_suggestions
from annotator.gallery import filters
from annotator.models import Project
from annotator.protocols.page import SUGGESTIONS
from annotator.protocols.registry import page_of
from scoring.protocol import Protocol

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


@register.filter
def shows_suggestions(project: Project, protocol: str) -> bool:
    """Tell whether annotators saw suggestions under a protocol."""
    return SUGGESTIONS in page_of(protocol).settings and has_suggestions(project, protocol)


@register.filter
def has_cells(protocol: Protocol) -> bool:
    """Tell whether annotations under a protocol have a place on a body."""
    return filters.has_cells(protocol)
