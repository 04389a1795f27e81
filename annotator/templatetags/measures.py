"""What the pages of a project show, by what it measures."""

from __future__ import annotations

from django import template

from annotator.models import Project
from annotator.protocols.registry import page_of
from scoring.service import get_protocol

register = template.Library()


@register.filter
def trains(project: Project) -> bool:
    """Return whether annotations of a project can be compared with references; also if nobody was asked."""
    chosen = project.protocols
    return chosen is None or any(get_protocol(slug).compare for slug in chosen)


@register.filter
def blurs(project: Project) -> bool:
    """Return whether a project rates images with blurred faces; also if nobody was asked."""
    return project.protocols is None or any(page_of(slug).faces_blurred for slug in project.protocols)


@register.filter
def asks(project: Project) -> bool:
    """Return whether a project asks its own questions; also if nobody was asked."""
    return not project.protocols
