"""Images in templates."""

from __future__ import annotations

from typing import Any

from django import template
from django.conf import settings

from annotator.images.signed_urls import assigned_url, image_url
from annotator.models import Assignment, Batch, Image

register = template.Library()


@register.simple_tag(takes_context=True)
def picture_url(context: dict[str, Any], image: Image) -> str:
    """Return the signed URL of an image as annotators see it: without faces where the project blurs them.

    Until a decision on its faces, nobody annotates the image, and there is no blurred copy.
    """
    blurred = image.faces is not None and context["project"].blurs_faces
    return image_url(image, context["request"].user, blurred=blurred)


@register.simple_tag(takes_context=True)
def picture_with_faces_url(context: dict[str, Any], image: Image) -> str:
    """Return the signed URL of an image for somebody who marks its faces."""
    return image_url(image, context["request"].user)


@register.simple_tag(takes_context=True)
def assigned_picture_url(context: dict[str, Any], assignment: Assignment) -> str:
    """Return the signed URL of the image of the signed-in user's own assignment."""
    return assigned_url(assignment, context["request"].user)


@register.simple_tag(takes_context=True)
def normed_picture_url(context: dict[str, Any], image: Image, batch: Batch) -> str:
    """Return the signed URL of an image of a norming session, which no batch repeats."""
    return image_url(image, context["request"].user, blurred=batch.is_blurred)


@register.simple_tag
def image_limits() -> str:
    """Return the limits of one image, as words."""
    pixels, size = settings.MAX_IMAGE_PIXELS / 1e6, settings.MAX_IMAGE_BYTES // 2**20
    least = settings.MIN_IMAGE_SIDE
    return f"each up to {pixels:g} megapixels and {size} MB, each side at least {least} pixels"
