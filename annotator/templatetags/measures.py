"""What the pages of a project show, by what it measures."""

from __future__ import annotations

from django import template

from annotator.demo.lessons import TAUGHT
from annotator.models import Project
from annotator.models.work import DEFAULT_PROTOCOL
from annotator.protocols.registry import page_of
from scoring.service import get_protocol

register = template.Library()


@register.filter
def trains(project: Project) -> bool:
    """Return whether annotations of a project can be compared with references; also if nobody was asked."""
    chosen = project.protocols
    return chosen is None or any(get_protocol(slug).compare for slug in chosen)


@register.filter
def measures(project: Project, protocol: str) -> bool:
    """Return whether a protocol is among those chosen for a project; also if nobody was asked."""
    return project.protocols is None or protocol in project.protocols


@register.filter
def draws_lessons(project: Project) -> bool:
    """Return whether there are drawn images to train with under the first protocol of a project."""
    return (project.protocols or [DEFAULT_PROTOCOL])[0] in TAUGHT


@register.filter
def blurs(project: Project) -> bool:
    """Return whether a project rates images with blurred faces; also if nobody was asked."""
    return project.protocols is None or any(page_of(slug).faces_blurred for slug in project.protocols)


@register.filter
def asks(project: Project) -> bool:
    """Return whether a project asks its own questions; also if nobody was asked."""
    return not project.protocols
