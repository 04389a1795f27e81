"""Pages and JSON are compressed here, files and streams are not."""

from __future__ import annotations

import gzip
from io import BytesIO

import pytest
from django.http import FileResponse, HttpRequest, HttpResponse, JsonResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.test import Client, RequestFactory

from config.middleware import CompressingMiddleware

PAGE = b"<p>Cells are marked.</p>" * 100


def answered(response: HttpResponseBase, accepted: str = "gzip, deflate, br") -> HttpResponseBase:
    """The answer to a browser that accepts these encodings."""

    def view(_: HttpRequest) -> HttpResponseBase:
        return response

    request = RequestFactory().get("/", HTTP_ACCEPT_ENCODING=accepted)
    result: HttpResponseBase = CompressingMiddleware(view)(request)  # type: ignore[assignment]
    return result


@pytest.mark.parametrize(
    "kind", ["text/html; charset=utf-8", "application/json", "text/csv", "image/svg+xml"]
)
def test_texts_are_a_fraction_and_padded_by_a_random_length(kind: str) -> None:
    sizes = set()
    for _ in range(20):
        answer = answered(HttpResponse(PAGE, content_type=kind, headers={"ETag": '"one"'}))
        assert isinstance(answer, HttpResponse)
        assert gzip.decompress(answer.content) == PAGE
        assert (answer["Content-Encoding"], answer["Vary"]) == ("gzip", "Accept-Encoding")
        assert answer["ETag"] == 'W/"one"'
        assert int(answer["Content-Length"]) == len(answer.content) < len(PAGE) / 5
        sizes.add(len(answer.content))
    assert len(sizes) > 1


@pytest.mark.parametrize(
    "response",
    [
        JsonResponse({"version": 1}),
        HttpResponse(PAGE, content_type="image/webp"),
        HttpResponse(PAGE, content_type="application/zip"),
        HttpResponse(PAGE, headers={"Content-Encoding": "br"}),
        FileResponse(BytesIO(PAGE), content_type="text/csv"),
        StreamingHttpResponse([PAGE], content_type="text/csv"),
    ],
)
def test_small_answers_images_files_and_streams_are_not(response: HttpResponseBase) -> None:
    before = dict(response.items())
    after = dict(answered(response).items())
    after.pop("Vary", None)
    assert after == before


def test_who_accepts_no_gzip_gets_none() -> None:
    assert "Content-Encoding" not in answered(HttpResponse(PAGE), accepted="br")


@pytest.mark.django_db
def test_the_site_does_it(client: Client) -> None:
    plain = client.get("/accounts/login/", follow=True)
    packed = client.get("/accounts/login/", follow=True, HTTP_ACCEPT_ENCODING="gzip")
    assert "Content-Encoding" not in plain
    assert packed["Content-Encoding"] == "gzip"
    # Each page has secrets and a padding of its own, so the sizes differ from one request to the next.
    assert len(gzip.decompress(packed.content)) == len(plain.content)
    assert len(packed.content) < len(plain.content)
