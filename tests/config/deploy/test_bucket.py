"""A team's process set with media in a bucket: the proxy fetches what the app has allowed, and no more."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from config.env import MediaStore
from tests.config.deploy.conftest import running_team
from tests.config.deploy.process_set import ProcessSet
from tests.config.deploy.team import Browser, eventually
from tests.support.object_store import KEYS, client_of, environment_of, keys_in, new_bucket
from tests.support.object_store import object_server as object_server

pytestmark = pytest.mark.timeout(300)

EXPORTED = """
from analysis.exports.requests import request_export
from analysis.exports.requests import ExportRequest
from annotator.models import Project
job = request_export(project=Project.objects.get(slug="team"), request=ExportRequest("images"), actor=None)
print("job", job.pk)
"""


@pytest.fixture(scope="module")
def store(object_server: str) -> MediaStore:
    """The bucket."""
    return MediaStore(new_bucket(object_server), "team", object_server, "us-east-1", **KEYS)


@pytest.fixture(scope="module")
def team_with_bucket(store: MediaStore) -> Iterator[ProcessSet]:
    """The whole set, with everything it needs said of the bucket."""
    with running_team(environment_of(store)) as running:
        yield running


@pytest.fixture(scope="module")
def annotator(team_with_bucket: ProcessSet) -> Browser:
    return Browser(team_with_bucket).sign_in("annotator-a")


@pytest.fixture(scope="module")
def picture(annotator: Browser, store: MediaStore) -> str:
    """The address of a picture that a worker has drawn."""
    eventually(lambda: len([name for name in keys_in(store) if name.startswith("display/")]) == 6)
    return annotator.picture(annotator.assignments("annotator-a")[0])


def test_a_picture_comes_by_the_proxy_as_it_does_from_a_folder(
    annotator: Browser, picture: str, store: MediaStore
) -> None:
    status, headers, body = annotator.ask(picture, Accept="image/webp")
    assert status == 200, body[:500]
    assert headers["Content-Type"] == "image/webp"
    assert headers["Content-Security-Policy"] == "default-src 'none'; sandbox"
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Cache-Control"].startswith("private, max-age=")
    assert headers["Content-Disposition"] == "inline"
    assert headers["Cross-Origin-Resource-Policy"] == "same-origin"
    assert headers["Vary"] == "Accept, Cookie"
    assert "max-age=31536000" in headers["Strict-Transport-Security"]
    client = client_of(store.endpoint)
    stored = [
        client.get_object(Bucket=store.bucket, Key=f"team/{name}")["Body"].read()
        for name in keys_in(store)
        if name.startswith("display/")
    ]
    assert body in stored
    status, ranged, part = annotator.ask(picture, Accept="image/webp", Range="bytes=5-14")
    placed = {name.lower(): text for name, text in ranged.items()}["content-range"]
    assert (status, part, placed) == (206, body[5:15], f"bytes 5-14/{len(body)}")
    status, headed, nothing = annotator.ask(picture, method="HEAD", Accept="image/webp")
    assert (status, nothing, headed["Content-Length"]) == (200, b"", str(len(body)))
    assert not {"etag", "last-modified"} & {name.lower() for name in headers}
    assert annotator.ask(picture, Accept="image/jpeg")[1]["Content-Type"] == "image/jpeg"


def test_nobody_else_gets_it_and_nothing_leads_there(
    team_with_bucket: ProcessSet, annotator: Browser, picture: str, store: MediaStore
) -> None:
    for stranger in (Browser(team_with_bucket), Browser(team_with_bucket).sign_in("annotator-b")):
        status, headers, body = stranger.ask(picture)
        assert status == 404
        assert store.bucket not in f"{headers}{body!r}"
    name = next(iter(keys_in(store)))
    for path in ("/protected-object", f"/protected-object/{name}", f"/protected-media/{name}", f"/{name}"):
        assert annotator.ask(path, X_Object_Address=f"{store.endpoint}/{store.bucket}/team/{name}")[0] == 404
    logs = "".join(team_with_bucket.log(name).read_text() for name in ("proxy", "web", "worker"))
    assert '"path":"/protected-object"' in logs
    assert "X-Amz" not in logs
    assert KEYS["secret_key"] not in logs


def test_an_export_is_made_by_the_worker_and_fetched_by_the_lead(
    team_with_bucket: ProcessSet, annotator: Browser, store: MediaStore
) -> None:
    pk = int(team_with_bucket.manage("shell", "-c", EXPORTED).stdout.split("job ")[1])
    lead = Browser(team_with_bucket).sign_in("lead-a")
    address = f"/projects/team/exports/{pk}/file/"
    eventually(lambda: any(name.startswith("exports/") for name in keys_in(store)))
    _, headers, body = eventually(
        lambda: (found := lead.ask(address)) and found[1].get("Content-Type", "")[:8] == "text/csv" and found
    )
    assert headers["Content-Type"] == "text/csv; charset=utf-8"
    assert headers["Content-Disposition"].startswith('attachment; filename="team-images')
    (name,) = (name for name in keys_in(store) if name.startswith("exports/"))
    kept = client_of(store.endpoint).get_object(Bucket=store.bucket, Key=f"team/{name}")["Body"].read()
    assert body == kept
    assert body.startswith(b"Image Id,Model,Prompt")
    assert annotator.ask(address)[0] == 404
