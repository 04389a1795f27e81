"""The addresses of guidelines."""

from __future__ import annotations

from urllib.parse import urlencode

from django.urls import reverse

from annotator.models import Project
from annotator.protocols.registry import page_of
from annotator.web.views.protocol_choice import PARAMETER


def guideline_address(project: Project, protocol: str) -> str:
    """Return the address of a project's guideline for a protocol.

    It is ours if a project cannot edit it, and empty if the protocol has none.
    """
    guide = page_of(protocol).guide
    if guide is None:
        return ""
    page = reverse("guideline", args=[project.slug]) if guide.blocks else reverse("guide")
    return f"{page}?{urlencode({PARAMETER: protocol})}"
