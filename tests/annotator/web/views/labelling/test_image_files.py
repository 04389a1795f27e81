"""Pictures behind signed addresses: who gets them, as what, and what the answer tells."""

from __future__ import annotations

from io import BytesIO

import pytest
from django.http import FileResponse
from django.test import Client
from PIL import Image as Picture

from annotator.images.display import store_image
from annotator.images.signed_urls import image_url
from annotator.models import Image, Membership, User
from tests.annotator.web.views.conftest import Study
from tests.factories import LEAD, make_assignment, make_member, make_project, make_user, png_bytes, user_of

pytestmark = pytest.mark.usefixtures("media")
WEBP = {"Accept": "image/avif,image/webp,image/apng,image/svg+xml,image/*,*/*;q=0.8"}
SIZE = (40, 20)


@pytest.fixture
def image(study: Study) -> Image:
    """An image with a real file, assigned to Ada."""
    stored = store_image(
        project=study.project,
        contents=png_bytes(SIZE, "teal"),
        source_name="secret-name.png",
        generator="secret-generator",
        prompt="secret-prompt",
        number=1,
    )
    make_assignment(study.ada, image=stored)
    return stored


def body(response: object) -> bytes:
    assert isinstance(response, FileResponse)
    return b"".join(response)


@pytest.mark.parametrize(
    ("accept", "kind"),
    [
        ("image/avif,image/webp,image/apng,image/svg+xml,image/*,*/*;q=0.8", "WEBP"),
        ("image/png,image/svg+xml,image/*;q=0.8,video/*;q=0.8,*/*;q=0.5", "JPEG"),
        ("image/webp;q=0, */*", "JPEG"),
        ("image/webpish", "JPEG"),
        (None, "JPEG"),
    ],
)
@pytest.mark.few(3)
def test_webp_where_it_is_named_jpeg_elsewhere(
    study: Study, as_ada: Client, image: Image, accept: str | None, kind: str
) -> None:
    headers = {} if accept is None else {"Accept": accept}
    response = as_ada.get(image_url(image, user_of(study.ada)), headers=headers)
    assert (response.status_code, response["Content-Type"]) == (200, f"image/{kind.lower()}")
    shown = Picture.open(BytesIO(body(response)))
    assert (shown.format, shown.size, shown.mode) == (kind, SIZE, "RGB")
    middle = shown.getpixel((20, 10))
    assert isinstance(middle, tuple)
    assert all(abs(value - wanted) <= 3 for value, wanted in zip(middle, (0, 128, 128), strict=True))
    assert "Accept" in response["Vary"]


@pytest.mark.parametrize("headers", [WEBP, {}])
def test_the_answer_tells_nothing_and_is_kept_by_this_browser_only(
    study: Study, as_ada: Client, image: Image, headers: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("annotator.images.signed_urls.time.time", lambda: 1_700_000_000.0)
    response = as_ada.get(image_url(image, user_of(study.ada)), headers=headers)
    assert response["Content-Disposition"] == "inline"
    assert response["Cache-Control"] == "private, max-age=2800, immutable"
    assert response["Content-Security-Policy"] == "default-src 'none'; sandbox"
    assert response["X-Content-Type-Options"] == "nosniff"
    assert response["Cross-Origin-Resource-Policy"] == "same-origin"
    told = str(response.headers)
    assert not any(word in told for word in ("secret", image.sha256, "Last-Modified", "ETag", "filename"))
    assert b"secret" not in body(response)


def test_an_address_is_no_right(study: Study, image: Image) -> None:
    """Each is correctly signed for the person that follows it."""
    root = make_user("root", is_superuser=True, is_staff=True)
    strangers = [make_member(make_project(), LEAD), make_member(make_project()), study.bob]
    for user in [root, *[user_of(member) for member in strangers]]:
        client = Client()
        client.force_login(user)
        assert client.get(image_url(image, user)).status_code == 404


@pytest.mark.parametrize("change", ["membership", "account", "assignment"])
def test_an_ended_right_ends_the_address(study: Study, as_ada: Client, image: Image, change: str) -> None:
    address = image_url(image, user_of(study.ada))
    assert as_ada.get(address).status_code == 200
    if change == "membership":
        Membership.objects.filter(pk=study.ada.pk).update(is_active=False)
    elif change == "account":
        User.objects.filter(username="ada").update(is_active=False)
    else:
        image.assignments.all().delete()
    assert as_ada.get(address).status_code == 404
