"""The pictures themselves, behind addresses that work for one person and a short while."""

from __future__ import annotations

from django.http import FileResponse, Http404, HttpRequest
from django.utils.cache import patch_vary_headers
from django.views.decorators.http import require_safe

from annotator.images.display import UnreadableImage, open_display, open_display_jpeg
from annotator.images.signed_urls import read_link
from annotator.people.access import image_for


@require_safe
def image_picture(request: HttpRequest, token: str) -> FileResponse:
    """Stream the copy for display. Nothing in the answer tells where the picture comes from."""
    link = read_link(token, request.user.pk)
    if link is None:
        raise Http404("No such picture.")
    image = image_for(request.user, link.public_id)
    webp = _takes_webp(request)
    try:
        picture = open_display(image) if webp else open_display_jpeg(image)
    except UnreadableImage as error:
        raise Http404("This picture cannot be shown.") from error
    response = FileResponse(picture, content_type="image/webp" if webp else "image/jpeg")
    # FileResponse offers the name in the storage, which is the content's hash.
    response["Content-Disposition"] = "inline"
    response["Cache-Control"] = f"private, max-age={link.seconds_left}, immutable"
    response["Content-Security-Policy"] = "default-src 'none'; sandbox"
    response["Cross-Origin-Resource-Policy"] = "same-origin"
    response["X-Content-Type-Options"] = "nosniff"
    patch_vary_headers(response, ["Accept"])
    return response


def _takes_webp(request: HttpRequest) -> bool:
    """Tell whether the browser names WebP: those that cannot show it say `image/*` or `*/*` as well."""
    return any((kind.main_type, kind.sub_type) == ("image", "webp") for kind in request.accepted_types)
