"""Moments: in UTC as they leave the server; a script shows them in local time, with UTC on hover."""

from __future__ import annotations

from datetime import UTC, datetime

from django import template
from django.utils.dateformat import format as formatted
from django.utils.html import format_html
from django.utils.safestring import SafeString

register = template.Library()


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
