"""Images from their upload to their removal, with media in a bucket; and what happens while it is away."""

from __future__ import annotations

import time
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from django.http import FileResponse
from django.test import Client
from PIL import Image as Picture

from annotator.images.display import make_displays
from annotator.images.signed_urls import assigned_url, image_url
from annotator.models import Annotation, Assignment, Image
from annotator.work.jobs import RUN_JOB
from annotator.work.sending import MAKE_DISPLAY
from config.env import MediaStore
from tests.analysis.api.callers import calling
from tests.annotator.acting import address
from tests.annotator.uploads.bringing import bring, picture, read, store
from tests.annotator.web.views.conftest import Study
from tests.annotator.web.views.conftest import study as study
from tests.annotator.web.views.speaking import answer_body, facts, post
from tests.factories import make_assignment
from tests.support.messages import ids_sent_to
from tests.support.object_store import CLOSED, keys_in, use
from tests.support.object_store import media_store as media_store
from tests.support.object_store import object_server as object_server
from tests.support.signing_in import signed_in

pytestmark = pytest.mark.django_db
FILES = {"painter/one person/1.png": picture(1), "painter/one person/2.png": picture(2)}
WEBP = {"Accept": "image/webp"}
IN_WORDS = "The storage of images and files does not respond"


@pytest.fixture(autouse=True)
def unsent(monkeypatch: pytest.MonkeyPatch) -> None:
    """No worker hears anything."""
    ids_sent_to(monkeypatch, MAKE_DISPLAY, RUN_JOB)


@pytest.fixture
def uploaded(study: Study, media_store: MediaStore) -> list[Image]:
    """Two images that came by an upload; Ada has the first one to judge."""
    upload = bring(study.project, FILES)
    assert [job.status for job in (read(upload), store(upload))] == ["done", "done"]
    images = list(Image.objects.filter(project=study.project, source_name__in=FILES).order_by("number"))
    make_assignment(study.ada, image=images[0])
    return images


def names(image: Image) -> set[str]:
    place = f"{image.project_id}/{image.sha256[:2]}/{image.sha256}"
    return {f"originals/{place}.png", f"display/{place}.webp", f"display/{place}.jpg"}


def body(response: object) -> bytes:
    assert isinstance(response, FileResponse)
    return b"".join(response)


def test_an_upload_ends_in_the_bucket(uploaded: list[Image], media_store: MediaStore, tmp_path: Path) -> None:
    kept = {key for key in keys_in(media_store) if not key.startswith("receiving/")}
    assert kept == {image.file.name for image in uploaded}
    assert not list((tmp_path / "media").rglob("*"))
    for image in uploaded:
        make_displays([image.pk])
        image.refresh_from_db()
        assert image.display_state == "ready"
        assert names(image) - set(keys_in(media_store)) == {name for name in names(image) if "jpg" in name}


@pytest.mark.parametrize("by_proxy", [False, True])
def test_a_picture_is_for_who_may_see_it(
    uploaded: list[Image], study: Study, media_store: MediaStore, settings: Any, by_proxy: bool
) -> None:
    settings.MEDIA_BY_PROXY = by_proxy
    ada, bob, lead = (signed_in(member) for member in (study.ada, study.bob, study.lead))
    assert study.ada.user is not None
    own = Assignment.objects.get(annotator=study.ada, image=uploaded[0])
    page = ada.get(address(own)).content.decode()
    src = assigned_url(own, study.ada.user)
    assert src in page
    for word in (media_store.bucket, media_store.endpoint, "X-Amz", uploaded[0].sha256, "originals"):
        assert word not in page
    for headers in (WEBP, {}):
        answer = ada.get(src, headers=headers)
        assert answer.status_code == 200
        assert answer["X-Content-Type-Options"] == "nosniff"
        assert answer["Content-Security-Policy"] == "default-src 'none'; sandbox"
        assert ("X-Object-Address" in answer) is by_proxy
        if not by_proxy:
            shown = Picture.open(BytesIO(body(answer)))
            assert f"image/{(shown.format or '').lower()}" == answer["Content-Type"]
            assert int(answer["Content-Length"]) > 0
            assert not any(media_store.bucket in text for text in answer.headers.values())
    for other in (bob, lead, Client()):
        refused = other.get(src, headers=WEBP)
        assert refused.status_code == 404
        assert "X-Object-Address" not in refused
        assert media_store.bucket not in refused.content.decode() + str(refused.headers)
    caller = calling(study.ada)
    assert caller.get(f"/images/{uploaded[0].public_id}/picture").status_code == 200
    refused = calling(study.bob).get(f"/images/{uploaded[0].public_id}/picture")
    assert (refused.status_code, "X-Object-Address" in refused) == (404, False)


@pytest.mark.thorough
def test_the_proxy_is_given_an_address_for_a_minute_and_the_store_says_the_rest(
    uploaded: list[Image], study: Study, media_store: MediaStore, settings: Any
) -> None:
    settings.MEDIA_BY_PROXY = True
    assert study.ada.user is not None
    answer = signed_in(study.ada).get(image_url(uploaded[0], study.ada.user), headers=WEBP)
    assert answer["X-Accel-Redirect"] == "/protected-object"
    assert answer.content == b""
    for header in ("Content-Type", "Content-Disposition", "Cache-Control"):
        assert header not in answer
    signed = answer["X-Object-Address"]
    assert signed.startswith(f"{media_store.endpoint}/{media_store.bucket}/team/one/display/")
    for words in (
        *("X-Amz-Expires=60", "response-content-type=image%2Fwebp", "response-content-disposition=inline"),
        "response-cache-control=private%2C%20max-age%3D",
    ):
        assert words in signed


@pytest.fixture
def away(uploaded: list[Image], media_store: MediaStore, settings: Any) -> MediaStore:
    """The store does not answer any more."""
    make_displays([uploaded[0].pk])
    use(settings, replace(media_store, endpoint=CLOSED))
    return media_store


def test_while_it_is_away_answers_are_saved(away: MediaStore, study: Study, uploaded: list[Image]) -> None:
    ada = signed_in(study.ada)
    own = Assignment.objects.get(annotator=study.ada, image=uploaded[0])
    begun = time.monotonic()
    assert ada.get(address(own)).status_code == 200
    for version in range(20):
        saved = post(ada, "answer_save", own, answer_body(version=version))
        assert (saved.status_code, facts(saved)["version"]) == (200, version + 1)
    assert time.monotonic() - begun < 10
    assert Annotation.objects.get(assignment=own).version == 20


@pytest.mark.thorough
@pytest.mark.slow  # a client that tries again
def test_pictures_without_it(away: MediaStore, study: Study, uploaded: list[Image], settings: Any) -> None:
    assert study.ada.user is not None
    src = image_url(uploaded[0], study.ada.user)
    for by_proxy in (False, True):
        settings.MEDIA_BY_PROXY = by_proxy
        answer = signed_in(study.ada).get(src, headers=WEBP)
        assert (answer.status_code, answer["Retry-After"], answer["Cache-Control"]) == (503, "10", "no-store")
        assert IN_WORDS in answer.content.decode()
    refused = calling(study.ada).get(f"/images/{uploaded[0].public_id}/picture")
    assert (refused.status_code, refused.json()["error"]["code"]) == (503, "unavailable")
    assert refused.json()["error"]["message"].startswith(IN_WORDS)
