"""Serve image files through signed URLs, which are valid for one user and a short time."""

from __future__ import annotations

from uuid import UUID

from django.http import FileResponse, Http404, HttpRequest
from django.views.decorators.http import require_safe

from annotator.faces.blurring import picture_response
from annotator.faces.decisions import image_to_draw_for
from annotator.guidelines.examples import example_image_for
from annotator.images.decoding import UnreadableImage
from annotator.images.signed_urls import SignedUrl, faces_key, read_link
from annotator.models import Image
from annotator.people.access import Visitor, assigned_image_for, image_for


@require_safe
def image_picture(request: HttpRequest, token: str) -> FileResponse:
    """Stream the display copy, or that with blurred faces, without revealing the image's origin."""
    link = read_link(token, request.user.pk)
    if link is None:
        raise Http404("No such image.")
    image = _image(request.user, link)
    try:
        response = picture_response(request, image, blurred=link.faces is not None)
    except UnreadableImage as error:
        raise Http404("This image cannot be displayed.") from error
    response["Cache-Control"] = f"private, max-age={link.seconds_left}, immutable"
    response["Content-Security-Policy"] = "default-src 'none'; sandbox"
    response["Cross-Origin-Resource-Policy"] = "same-origin"
    return response


def _image(user: Visitor, link: SignedUrl) -> Image:
    """Return the image of a link if the user may see this copy of it; raises Http404."""
    blurred = link.faces is not None
    if isinstance(link.target, int):
        image = assigned_image_for(user, link.target, blurred=blurred)
    else:
        image = _named_image(user, link.target, blurred=blurred)
    # The address of an earlier decision leads nowhere, or browsers would keep its copy.
    if blurred and (image.faces is None or faces_key(link.target, image) != link.faces):
        raise Http404("No such image.")
    return image


def _named_image(user: Visitor, public_id: UUID, *, blurred: bool) -> Image:
    try:
        return image_for(user, public_id, blurred=blurred)
    except Http404:
        shown = example_image_for(user, public_id, blurred=blurred)
        if shown is None and not blurred:
            shown = image_to_draw_for(user, public_id)
        if shown is None:
            raise
        return shown
