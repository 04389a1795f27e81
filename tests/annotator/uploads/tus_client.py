"""A tus client for tests: the requests that a browser's script sends, through Django's test client."""

from __future__ import annotations

import base64
from typing import Any

from django.test import Client
from django.urls import reverse

from annotator.models import Membership, Upload
from annotator.uploads.receiving import begin_upload
from tests.factories import LEAD, make_member, make_project

VERSION = {"Tus-Resumable": "1.0.0"}
BYTES = "application/offset+octet-stream"


def signed_in(member: Membership, *, checked: bool = False) -> Client:
    """A browser of theirs; `checked`: which has to prove that requests come from our pages."""
    client = Client(enforce_csrf_checks=checked)
    assert member.user is not None
    client.force_login(member.user)
    return client


def make_upload() -> tuple[Client, Upload]:
    """A lead's browser, signed in, and an upload of theirs."""
    lead = make_member(make_project(), LEAD)
    return signed_in(lead), begin_upload(project=lead.project, actor=lead.user)


def named(name: str | bytes) -> str:
    """The metadata that tell a name."""
    raw = name if isinstance(name, bytes) else name.encode()
    return f"filename {base64.b64encode(raw).decode()}"


def announce(
    client: Client, upload: Upload, name: str | bytes, size: int, body: bytes = b"", **headers: str
) -> Any:
    """Announce a file, with its first bytes if there are any."""
    sent = {**VERSION, "Upload-Length": str(size), "Upload-Metadata": named(name), **headers}
    kind = BYTES if body else "text/plain"
    return client.generic("POST", reverse("upload_files", args=[upload.public_id]), body, kind, headers=sent)


def patch(client: Client, address: str, offset: int | str, body: bytes, **headers: str) -> Any:
    """Send bytes that begin at an offset."""
    length = {"Content-Length": str(len(body)), "Content-Type": BYTES}
    sent = {**VERSION, **length, "Upload-Offset": str(offset), **headers}
    return client.generic("PATCH", address, body, headers=sent)


def head(client: Client, address: str) -> Any:
    """Ask how far a file is."""
    return client.head(address, headers=VERSION)


def delete(client: Client, address: str) -> Any:
    """Remove a file."""
    return client.delete(address, headers=VERSION)
