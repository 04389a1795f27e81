"""Template filters: the only place where exact numbers are rounded.

Moments leave the server in UTC; a script shows them in local time, with UTC on hover.
"""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal
from fractions import Fraction
from math import floor

from django import template
from django.utils.dateformat import format as formatted
from django.utils.html import format_html
from django.utils.safestring import SafeString

from annotator.demo.lessons import TAUGHT
from annotator.models import Annotation, Project
from annotator.models.work import DEFAULT_PROTOCOL
from annotator.projects.tags import tags_of
from annotator.protocols.registry import page_of, suggested_in
from scoring import service
from scoring.prompts import prompt_key
from scoring.protocol import Payload
from scoring.rounding import half_up
from scoring.service import get_protocol

register = template.Library()


@register.filter
def score(value: Fraction | str | float | None) -> str:
    """Return a score with three decimals, halves rounded up: `67/60` as 1.117; a dash for None."""
    if value is None or value == "":
        return "–"
    thousandths = floor(Fraction(value) * 1000 + Fraction(1, 2))
    return f"{thousandths // 1000}.{thousandths % 1000:03d}"


@register.filter
def headline(value: Fraction | str | float | None, protocol: str) -> str:
    """Return the headline of a protocol, by slug: a whole number for counts, otherwise a score."""
    if value is None or value == "" or not get_protocol(protocol).headline.values:
        return score(value)
    exact = Fraction(value)
    return str(exact.numerator) if exact.denominator == 1 else score(exact)


@register.filter
def tag_names(payload: Payload, project: Project) -> list[str]:
    """Return the names of the project's tags that a payload has ticked."""
    return [name for number, name in tags_of(project).items() if number in payload.get("tags", ())]


@register.filter
def protocol_title(protocol: str) -> str:
    """Return the title of a protocol, by slug; the slug of one that this version does not know."""
    known = service.PROTOCOLS.get(protocol)
    return known.title if known else protocol


@register.filter
def moment(value: datetime | None, shape: str = "j M Y, H:i") -> SafeString | str:
    """Return a moment as a `<time>`, empty for None. `shape` may have the letters j M F Y H i s."""
    if value is None or value == "":
        return ""
    utc = value.astimezone(UTC)
    return format_html(
        '<time datetime="{}" data-shape="{}" title="{} UTC">{} UTC</time>',
        utc.isoformat(timespec="seconds"),
        shape,
        formatted(utc, "Y-m-d H:i:s"),
        formatted(utc, shape),
    )


@register.filter
def hundredths(value: float) -> str:
    """Return a number with two decimals and a true minus: `−0.34`."""
    text = half_up(value, 2)
    return text.lstrip("-") if text == "-0.00" else text.replace("-", "−")


@register.filter
def percent(share: Decimal | Fraction | float) -> str:
    """Return a fraction as a percentage with at most two decimals: `0.25` as 25%."""
    return f"{float(share) * 100:.2f}".rstrip("0").rstrip(".") + "%"


@register.filter
def key_of_prompt(prompt: str) -> str:
    """Return the key of a prompt, which is short enough for an address."""
    return prompt_key(prompt)


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
def score_sum(annotation: Annotation, project: Project) -> str:
    """Return the terms whose sum is the score of an annotation; empty if it is no sum."""
    return page_of(annotation.assignment.batch.protocol).form.sum_of(annotation.payload, project.weights)


@register.filter
def draws_lessons(project: Project) -> bool:
    """Return whether there are drawn images to train with under the first protocol of a project."""
    return (project.protocols or [DEFAULT_PROTOCOL])[0] in TAUGHT


@register.filter
def blurs(project: Project) -> bool:
    """Return whether a project rates images with blurred faces; also if nobody was asked."""
    return project.protocols is None or any(page_of(slug).faces_blurred for slug in project.protocols)


register.filter("suggests", suggested_in)


@register.filter
def asks(project: Project) -> bool:
    """Return whether a project asks its own questions; also if nobody was asked."""
    return not project.protocols
