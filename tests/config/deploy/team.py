"""The process set for tests: on free ports, in a folder of its own, with a small project, and a browser."""

from __future__ import annotations

import http.cookiejar
import json
import os
import re
import shutil
import ssl
import stat
import subprocess
import sys
import time
import urllib.error
import urllib.parse
import urllib.request
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from uuid import uuid4

from tests.config.deploy.process_set import ProcessSet

PATIENCE_SECONDS = 90.0
PASSWORD = "seven-green-lamps-9"
PEOPLE = {"annotator-a": "annotator", "annotator-b": "annotator", "lead-a": "lead"}

SEED = f"""
import io
from PIL import Image as Picture
from annotator.images.display import store_image
from uuid import uuid4
from annotator.people.invitations import secret_of
from annotator.people.inviting_many import invite_many
from annotator.models import Assignment, Batch, Membership, Project, User
project = Project.objects.create(slug="team", name="Team study")
people = {{}}
for name, role in {PEOPLE!r}.items():
    user = User.objects.create_user(name, email=name + "@example.org", password={PASSWORD!r})
    people[name] = Membership.objects.create(project=project, user=user, role=role, code="code-of-" + name)
User.objects.create_superuser("operator-a", password={PASSWORD!r})
batch = Batch.objects.create(project=project, name="First", per_image=2)
for number in range(1, 7):
    buffer = io.BytesIO()
    Picture.new("RGB", (64, 48), (number * 30, 90, 120)).save(buffer, "PNG")
    image = store_image(project=project, contents=buffer.getvalue(), source_name=f"{{number}}.png",
                        generator="painter", prompt="one person", prompt_group="individual", number=number)
    for name in ("annotator-a", "annotator-b"):
        Assignment.objects.create(batch=batch, image=image, annotator=people[name], position=number)
lead = people["lead-a"].user
[(_, made)] = invite_many(project=project, text="code-of-annotator-c", request_key=uuid4(), actor=lead)
for name in ("annotator-a", "annotator-b"):
    owned = Assignment.objects.filter(annotator=people[name]).order_by("position")
    print(name, *owned.values_list("pk", flat=True))
print("invitation", secret_of(made))
"""


_ABOUT = """
import json, os, sys, sysconfig
real = os.path.realpath(sys.executable)
print(json.dumps([real, sys.base_prefix, f"python{sys.version_info[0]}.{sys.version_info[1]}",
                  sysconfig.get_path("purelib")]))
"""


def interpreter(home: Path, python: Path = Path(sys.executable)) -> tuple[tuple[str, ...], dict[str, str]]:
    """The Python that an unprivileged account may run in place of `python`, and what it has to be told.

    One that lies below root's home is copied to where others may read it, once for each `home`.
    """
    said = subprocess.run([str(python), "-c", _ABOUT], capture_output=True, text=True, check=True).stdout
    real, prefix, version, libraries = json.loads(said)
    if os.geteuid() != 0 or _reachable(Path(real)):
        return (str(python),), {}
    own, copy = Path(prefix), home / "python"
    if not copy.exists():
        left = ("test", "site-packages", "__pycache__", "config-*", "idlelib", "tkinter")
        standard = own / "lib" / version
        shutil.copytree(standard, copy / "lib" / version, ignore=shutil.ignore_patterns(*left))
        for library in (own / "lib").glob("libpython*.so*"):
            shutil.copy(library, copy / "lib")
        (copy / "bin").mkdir()
        shutil.copy(real, copy / "bin" / version)
    told = {"PYTHONHOME": str(copy), "LD_LIBRARY_PATH": str(copy / "lib"), "PYTHONPATH": libraries}
    return (str(copy / "bin" / version),), told


def _reachable(path: Path) -> bool:
    return all(place.stat().st_mode & stat.S_IXOTH for place in (path, *path.parents))


@dataclass
class Browser:
    """One person's browser: cookies, TLS checked against the set's own certificate, no redirects hidden."""

    team: ProcessSet
    cookies: http.cookiejar.CookieJar = field(default_factory=http.cookiejar.CookieJar)

    def ask(
        self, path: str, data: bytes | None = None, *, method: str | None = None, **headers: str
    ) -> tuple[int, dict[str, str], bytes]:
        """Status, headers and body of an answer; refusals are answers too."""
        context = ssl.create_default_context(cafile=str(self.team.home / "secrets" / "tls.crt"))
        opener = urllib.request.build_opener(
            urllib.request.HTTPSHandler(context=context),
            urllib.request.HTTPCookieProcessor(self.cookies),
            urllib.request.ProxyHandler({}),
        )
        address = f"https://localhost:{self.team.ports.https}"
        request = urllib.request.Request(f"{address}{path}", data, {"Referer": f"{address}/"}, method=method)
        for name, value in headers.items():
            request.add_header(name.replace("_", "-"), value)
        try:
            with opener.open(request, timeout=60) as answer:
                return answer.status, dict(answer.headers), answer.read()
        except urllib.error.HTTPError as refused:
            return refused.code, dict(refused.headers), refused.read()

    def assignments(self, username: str) -> list[int]:
        """A person's assignments, in their order, as SEED has made them."""
        said = (self.team.home / "seeded").read_text()
        return [int(pk) for pk in said.split(f"{username} ")[1].splitlines()[0].split()]

    def picture(self, pk: int) -> str:
        """The address of an assignment's picture."""
        _, _, page = self.ask(f"/assignments/{pk}/")
        found = re.search(r"/pictures/[\w.=-]+", page.decode())
        assert found, page[:300]
        return found[0]

    def token(self) -> str:
        return next(cookie.value or "" for cookie in self.cookies if cookie.name == "anatomark_csrf")

    def sign_in(self, username: str) -> Browser:
        """Sign in; the first answer makes the cookie."""
        self.ask("/accounts/login/")
        fields = {"username": username, "password": PASSWORD, "csrfmiddlewaretoken": self.token()}
        status, _, body = self.ask("/accounts/login/", urllib.parse.urlencode(fields).encode())
        assert status == 200, body[:500]
        assert b"Sign out" in body
        return self

    def answer(
        self, pk: int, verb: str = "save", *, version: int | None = None, note: str = ""
    ) -> dict[str, Any]:
        """Save or submit one assignment; returns what the server said, its status included."""
        if version is None:
            version = int(self.state(pk)["version"])
        payload: dict[str, Any] = {
            "people": None,
            "counts": {"expected": {}, "visible": {}},
            "counts_set": {"expected": [], "visible": []},
            "marks": [],
            "no_errors": True,
            "flag": None,
            "note": note,
        }
        sent = {"version": version, "payload": payload, "request_key": str(uuid4())}
        headers = {"Content_Type": "application/json", "X_CSRFToken": self.token()}
        status, _, body = self.ask(f"/assignments/{pk}/{verb}", json.dumps(sent).encode(), **headers)
        return {"http": status, **(json.loads(body) if body.startswith(b"{") else {})}

    def state(self, pk: int) -> dict[str, Any]:
        """How an assignment stands."""
        status, _, body = self.ask(f"/assignments/{pk}/state")
        assert status == 200, body[:500]
        return dict(json.loads(body))


def newest_report(lead: Browser) -> bytes:
    """The newest comparison, empty where there is none or nobody answers."""
    status, _, body = lead.ask("/projects/team/reports/comparison.json")
    return body if status == 200 else b""


def eventually(what: Any, seconds: float = PATIENCE_SECONDS) -> Any:
    """Return what `what()` returns once that is true; fails after a while."""
    deadline = time.monotonic() + seconds
    while not (found := what()):
        assert time.monotonic() < deadline, f"nothing came of it within {seconds:.0f} s"
        time.sleep(0.3)
    return found
