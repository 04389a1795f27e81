"""Two machines that share PostgreSQL, Redis and an object store, and no disk."""

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
from tests.support.object_store import KEYS, environment_of, keys_in, new_bucket
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
    machine = ProcessSet(
        first.home / "second",
        replace(first.ports, web=free_port()),
        python=first.python,
        extra={**first.extra, **told},
    )
    for name in ("media", "var", "logs", "temp", "static"):
        machine._own(machine.home / name)
    machine.manage("collectstatic", "--noinput", "--verbosity", "0")
    try:
        for name in ("web", "worker", "files"):
            machine.start(name)
        yield machine
    finally:
        machine.stop_all()


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
    first: ProcessSet, second: ProcessSet, store: MediaStore
) -> None:
    annotator = Browser(first).sign_in("annotator-a")
    eventually(lambda: any(key.startswith("display/") for key in keys_in(store)))
    picture = annotator.picture(annotator.assignments("annotator-a")[0])
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
