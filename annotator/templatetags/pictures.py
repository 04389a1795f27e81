"""Images in templates."""

from __future__ import annotations

from typing import Any

from django import template

from annotator.images.signed_urls import image_url
from annotator.models import Image

register = template.Library()


@register.simple_tag(takes_context=True)
def picture_url(context: dict[str, Any], image: Image) -> str:
    """Return the signed URL of an image for the signed-in user."""
    return image_url(image, context["request"].user)
