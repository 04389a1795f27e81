"""Pictures in templates."""

from __future__ import annotations

from typing import Any

from django import template

from annotator.models import Image
from annotator.picture_links import image_url

register = template.Library()


@register.simple_tag(takes_context=True)
def picture_url(context: dict[str, Any], image: Image) -> str:
    """Return the address under which the signed-in person sees an image."""
    return image_url(image, context["request"].user)
