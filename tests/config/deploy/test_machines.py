"""Media in a bucket: the proxy fetches what the app has allowed, and no more.

Then two machines that share PostgreSQL, Redis and the object store, and no disk.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from dataclasses import replace
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest
from PIL import Image as Picture

from config.env import MediaStore
from tests.annotator.uploads.bringing import encoded, zipped
from tests.config.deploy.conftest import running_team
from tests.config.deploy.process_set import SECRETS, ProcessSet, free_port
from tests.config.deploy.team import Browser, eventually
from tests.support.object_store import KEYS, client_of, environment_of, keys_in, new_bucket
from tests.support.object_store import object_server as object_server

pytestmark = pytest.mark.timeout(300)

NEW_UPLOAD = """
from annotator.models import Project, User
from annotator.uploads.receiving import begin_upload
lead = User.objects.get(username="lead-a")
print("upload", begin_upload(project=Project.objects.get(slug="team"), actor=lead).public_id)
"""
READ = """
from annotator.models import Upload
from annotator.uploads.upload_jobs import request_reading
request_reading(upload=Upload.objects.get(public_id="{upload}"), actor=None)
"""
STORE = READ.replace("request_reading", "request_storing").replace("actor=None", "actor=None, sure=True")
STATUS = """
from annotator.models import Upload
print("status", Upload.objects.get(public_id="{upload}").status)
"""


EXPORTED = """
from analysis.exports.requests import request_export
from analysis.exports.requests import ExportRequest
from annotator.models import Project
job = request_export(project=Project.objects.get(slug="team"), request=ExportRequest("images"), actor=None)
print("job", job.pk)
"""


@pytest.fixture(scope="module")
def store(object_server: str) -> MediaStore:
    return MediaStore(new_bucket(object_server), "team", object_server, "us-east-1", **KEYS)


@pytest.fixture(scope="module")
def first(store: MediaStore) -> Iterator[ProcessSet]:
    """The whole set on one machine."""
    with running_team(environment_of(store)) as running:
        yield running


@pytest.fixture(scope="module")
def second(first: ProcessSet) -> Iterator[ProcessSet]:
    """Web and workers of another machine, with folders of its own."""
    told = {f"{name.upper()}_FILE": str(first.home / "secrets" / name) for name in SECRETS}
    told |= {"DATABASE_PASSWORD_FILE": told.pop("POSTGRES_PASSWORD_FILE")}
    # What both would make alike, and slowly.
    shared = {name: first.environment[name] for name in ("STATIC_ROOT", "PYTHONPYCACHEPREFIX")}
    machine = ProcessSet(
        first.home / "second",
        replace(first.ports, web=free_port()),
        python=first.python,
        extra={**first.extra, **told, **shared},
    )
    for name in ("media", "var", "logs", "temp"):
        machine._own(machine.home / name)
    try:
        for name in ("web", "worker", "files"):
            machine.start(name)
        yield machine
    finally:
        machine.stop_all()


@pytest.fixture(scope="module")
def annotator(first: ProcessSet) -> Browser:
    return Browser(first).sign_in("annotator-a")


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
    first: ProcessSet, annotator: Browser, picture: str, store: MediaStore
) -> None:
    for stranger in (Browser(first), Browser(first).sign_in("annotator-b")):
        status, headers, body = stranger.ask(picture)
        assert status == 404
        assert store.bucket not in f"{headers}{body!r}"
    name = next(iter(keys_in(store)))
    for path in ("/protected-object", f"/protected-object/{name}", f"/protected-media/{name}", f"/{name}"):
        assert annotator.ask(path, X_Object_Address=f"{store.endpoint}/{store.bucket}/team/{name}")[0] == 404
    logs = "".join(first.log(name).read_text() for name in ("proxy", "web", "worker"))
    assert '"path":"/protected-object"' in logs
    assert "X-Amz" not in logs
    assert KEYS["secret_key"] not in logs


def asked(machine: ProcessSet, browser: Browser, path: str) -> tuple[int, dict[str, str]]:
    """Ask the web of one machine, as the proxy would."""
    cookies = "; ".join(f"{cookie.name}={cookie.value}" for cookie in browser.cookies)
    headers = {"Cookie": cookies, "X-Forwarded-Proto": "https", "Host": "localhost", "Accept": "image/webp"}
    request = Request(f"http://127.0.0.1:{machine.ports.web}{path}", headers=headers)
    try:
        with urlopen(request, timeout=30) as answer:
            return answer.status, dict(answer.headers)
    except HTTPError as refused:
        return refused.code, dict(refused.headers)


def said(machine: ProcessSet, program: str, **names: Any) -> str:
    """What a program prints on a machine, after a word."""
    return machine.manage("shell", "--no-imports", "-c", program.format(**names)).stdout.strip()


def test_files_received_by_one_are_read_by_the_other(
    first: ProcessSet, second: ProcessSet, store: MediaStore
) -> None:
    for name in ("worker", "files"):
        first.stop(name)
    lead = Browser(first).sign_in("lead-a")
    upload = said(first, NEW_UPLOAD).split()[-1]
    noise = {number: encoded(Picture.effect_noise((80, 80), number)) for number in (101, 102, 103)}
    archive = zipped({f"painter/one person/{number}.png": picture for number, picture in noise.items()})
    assert sent(lead, upload, "all.zip", archive) == 200
    said(first, READ, upload=upload)
    eventually(lambda: said(first, STATUS, upload=upload) == "status ready")
    before = len([key for key in keys_in(store) if key.startswith("originals/")])
    said(first, STORE, upload=upload)
    eventually(lambda: said(first, STATUS, upload=upload) == "status stored")
    assert len([key for key in keys_in(store) if key.startswith("originals/")]) == before + 3
    assert asked(first, lead, "/health/ready")[0] == 200  # it has heard of the other's worker
    kept = {
        path.relative_to(machine.home).parts[1]
        for machine in (first, second)
        for part in ("var", "media")
        for path in (machine.home / part).rglob("*")
        if path.is_file()
    }
    assert kept <= {"beat-schedule", "beat-schedule.db"}


def test_both_show_the_same_pictures_to_whoever_signed_in_at_one(
    first: ProcessSet, second: ProcessSet, annotator: Browser, picture: str
) -> None:
    for machine in (first, second):
        status, headers = asked(machine, annotator, picture)
        assert (status, headers["X-Accel-Redirect"]) == (200, "/protected-object")
    assert asked(second, Browser(first), picture)[0] == 404


def sent(lead: Browser, upload: str, name: str, contents: bytes) -> int:
    """The status of the answer to a file's request."""
    boundary = uuid.uuid4().hex
    fields = {"name": name, "size": str(len(contents)), "csrfmiddlewaretoken": lead.token()}
    parts = [
        f'--{boundary}\r\nContent-Disposition: form-data; name="{field}"\r\n\r\n{value}\r\n'
        for field, value in fields.items()
    ]
    head = "".join(parts) + (
        f'--{boundary}\r\nContent-Disposition: form-data; name="file"; filename="file"\r\n'
        "Content-Type: application/octet-stream\r\n\r\n"
    )
    body = head.encode() + contents + f"\r\n--{boundary}--\r\n".encode()
    kind = f"multipart/form-data; boundary={boundary}"
    return lead.ask(f"/uploads/{upload}/files/", body, Content_Type=kind)[0]


def test_an_export_is_made_by_the_worker_and_fetched_by_the_lead(
    first: ProcessSet, annotator: Browser, store: MediaStore
) -> None:
    pk = int(first.manage("shell", "-c", EXPORTED).stdout.split("job ")[1])
    lead = Browser(first).sign_in("lead-a")
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
