"""The charset of requests: UTF-8."""

from __future__ import annotations

import codecs

from django.utils.http import parse_header_parameters


def is_utf8(content_type: str) -> bool:
    """Return whether a Content-Type names UTF-8 or no charset."""
    try:
        named = parse_header_parameters(content_type)[1].get("charset", "utf-8")
        return codecs.lookup(named).name == "utf-8"
    except (LookupError, ValueError):
        return False
