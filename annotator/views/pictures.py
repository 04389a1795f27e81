"""The pictures themselves."""

from __future__ import annotations

from uuid import UUID

from django.contrib.auth.decorators import login_required
from django.http import FileResponse, Http404, HttpRequest
from django.views.decorators.http import require_safe

from annotator.access import image_for
from annotator.images import UnreadableImage, open_display

YEAR_SECONDS = 365 * 24 * 60 * 60


@require_safe
@login_required
def image_display(request: HttpRequest, public_id: UUID) -> FileResponse:
    """Stream the copy for display. Nothing in the answer tells where the picture comes from."""
    image = image_for(request.user, public_id)
    try:
        picture = open_display(image)
    except UnreadableImage as error:
        raise Http404("This picture cannot be shown.") from error
    response = FileResponse(picture, content_type="image/webp")
    # FileResponse offers the name in the storage, which is the content's hash.
    response["Content-Disposition"] = "inline"
    response["Cache-Control"] = f"private, max-age={YEAR_SECONDS}, immutable"
    response["Content-Security-Policy"] = "default-src 'none'; sandbox"
    response["Cross-Origin-Resource-Policy"] = "same-origin"
    response["X-Content-Type-Options"] = "nosniff"
    return response
