"""`python -m tests.containers`: build the image, start docker-compose.yml, and use it.

Exit status 0 where all of it works. Without podman or what it needs the check is skipped by name, which with
NOTHING_SKIPPED set is a failure.
"""

from __future__ import annotations

import io
import json
import os
import shutil
import sys
import time
import uuid
import zipfile
from collections.abc import Iterator
from typing import Any

from PIL import Image as Picture

from tests.config.deploy.team import SEED, Browser, eventually
from tests.containers.composed import (
    APP,
    IMAGE,
    ROOT,
    SERVICES,
    Composed,
    build,
    composed,
    make_missing,
    run,
    size_mb,
)
from tests.runtime.interpreters import NotInstalled
from tests.runtime.served import TOKEN, answer, exports, report

# netavark calls iptables.
PROGRAMS = ("podman", "runc", "catatonit", "iptables", "debootstrap", "openssl", "git")
NETWORKS = "netavark"  # podman's older network backend resolves no names on an internal network
RETRIES = 3  # the fewest that docker-compose.yml names
BOUNDARY = "between-the-fields-of-a-form"


def main() -> int:
    """Run the check; return the exit status."""
    missing = [name for name in PROGRAMS if not shutil.which(name)]
    if not missing and os.geteuid() != 0:
        missing = ["the rights of root"]
    if not missing and run("podman", "info", "-f", "{{.Host.NetworkBackend}}").stdout.strip() != NETWORKS:
        missing = [f"{NETWORKS} as podman's network backend, and aardvark-dns"]
    if missing:
        print(f"SKIPPED containers: {', '.join(missing)} not found")
        return 1 if os.environ.get("NOTHING_SKIPPED") else 0
    begun = time.monotonic()
    try:
        for part in check():
            print(f"Containers: {part} ({time.monotonic() - begun:.0f} s)", flush=True)
    except (AssertionError, NotInstalled) as failed:
        print(f"Containers: FAILED\n{failed}", flush=True)
        return 1
    return 0


def check() -> Iterator[str]:
    """Yield each part that works; raise AssertionError for the first that does not."""
    made = make_missing()
    yield f"base images are there, {len(made)} of them made now"
    build()
    yield f"the image is built, {size_mb():,} MB"
    _imports()
    yield "everything the product imports is in the image"
    with composed() as running:
        eventually(lambda: _listens(running))
        yield "every service of docker-compose.yml is up"
        browser = Browser(running.team)
        eventually(lambda: browser.ask("/health/ready")[0] == 200)
        # Not earlier: while all services start, another process may not get a connection in time.
        token = _seeded(running)
        for service in SERVICES:
            # Retry before giving up, as an engine does.
            has_no_check = service in ("worker", "files", "beat")  # /health/ready tells of them
            assert has_no_check or _soon(running, service), f"{service} is not healthy"
        yield "all are healthy and the site is ready"
        _upload(Browser(running.team).sign_in("lead-a"), token)
        yield "a picture is uploaded, stored by the worker, and handed out by the proxy"
        answer(running.team)
        yield "an answer is submitted"
        report(running.team, token)
        exports(running.team, token)
        yield "a report and exports are made and downloaded"
        _hardened(running)
        yield "nothing runs as root or may write outside of its volumes"


def _imports() -> None:
    """Check that the product needs none of the library parts that the image leaves out."""
    mounts = ("-v", f"{ROOT / 'tests'}:/app/tests:ro")
    limits = ("--ulimit", "nofile=1024:1024", "--ulimit", "nproc=4096:4096")
    told = ("-e", "SECRET_KEY=only-for-this-check-" + "0" * 30, "-e", "NO_BUCKET=1")
    words = ("python", "-W", "ignore", "-m", "tests.runtime.inside")
    run(
        "podman", "--runtime", "runc", "run", "--rm", "--network=none", *limits, *mounts, *told, IMAGE, *words
    )


def _listens(running: Composed) -> bool:
    try:
        return Browser(running.team).ask("/health/live")[0] == 200
    except OSError:
        return False  # not yet


def _soon(running: Composed, service: str) -> bool:
    return any(running.healthy(service) for _ in range(RETRIES))


def _seeded(running: Composed) -> str:
    said = running.manage("shell", "-c", SEED + TOKEN)
    (running.place / "seeded").write_text(said, encoding="utf-8")
    return said.split("token ")[1].strip()


def _upload(lead: Browser, token: str) -> None:
    """Upload a zip archive with one image as the page's script does, read it and store it."""
    drawn, packed = io.BytesIO(), io.BytesIO()
    Picture.new("RGB", (640, 480), (10, 120, 200)).save(drawn, "PNG")
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("painter/one-person/77.png", drawn.getvalue())
    key = json.dumps({"request_key": str(uuid.uuid4())}).encode()
    headers = {"Content_Type": "application/json", "X_CSRFToken": lead.token()}
    status, _, body = lead.ask("/projects/team/uploads/", key, **headers)
    assert status == 200, body[-2000:]
    upload = json.loads(body)
    zipped = packed.getvalue()
    _post(lead, upload["files"], zipped, name="one.zip", size=str(len(zipped)))
    _post(lead, upload["page"], action="read")
    eventually(lambda: b'value="store"' in lead.ask(upload["page"])[2])
    _post(lead, upload["page"], action="store")
    eventually(lambda: len(_images(lead, token)) == 7)
    added = next(image for image in _images(lead, token) if image["number"] == 77)
    picture = eventually(lambda: _picture(lead, token, added["picture"]))
    assert Picture.open(io.BytesIO(picture)).size == (640, 480)


def _images(browser: Browser, token: str) -> list[dict[str, Any]]:
    status, _, body = browser.ask("/api/v1/projects/team/images", Authorization=f"Bearer {token}")
    assert status == 200, body[:2000]
    return list(json.loads(body)["results"])


def _picture(browser: Browser, token: str, address: str) -> bytes:
    status, _, body = browser.ask(address, Authorization=f"Bearer {token}")
    return body if status == 200 else b""


def _post(browser: Browser, path: str, file: bytes = b"", **fields: str) -> None:
    sent = {"csrfmiddlewaretoken": browser.token(), "request_key": str(uuid.uuid4()), **fields}
    parts = [
        f'Content-Disposition: form-data; name="{name}"\r\n\r\n{text}'.encode() for name, text in sent.items()
    ]
    if file:
        head = b'Content-Disposition: form-data; name="file"; filename="one.zip"\r\n'
        parts.append(head + b"Content-Type: application/zip\r\n\r\n" + file)
    line = f"--{BOUNDARY}".encode()
    body = b"".join(line + b"\r\n" + part + b"\r\n" for part in parts) + line + b"--\r\n"
    status, _, said = browser.ask(path, body, Content_Type=f"multipart/form-data; boundary={BOUNDARY}")
    assert status == 200, (path, status, said[-2000:])


def _hardened(running: Composed) -> None:
    for service in SERVICES:
        said = run(
            "podman", "exec", running.container(service), "sh", "-c", "id -u; touch /here || echo kept"
        )
        owner, kept = said.stdout.split()
        assert (owner != "0", kept) == (True, "kept"), f"{service}: {said.stdout}"
    for service in APP:
        shown = run("podman", "inspect", running.container(service)).stdout
        secret = (running.place / "secrets" / "secret_key").read_text().strip()
        assert secret not in shown, f"{service} shows its secret key"


if __name__ == "__main__":
    sys.exit(main())
