"""Compare *next* and *save* on the server with a bare Django view and a single INSERT in the same run.

    .venv/bin/python benchmarks/bench_server.py [--rounds 200] [--images 240,100000]

Real gunicorn (one process, threads, as in the demo), SQLite, one annotator on one kept connection. The
kinds of request take turns, so that all see the same machine. `next` is the state of an assignment,
`save` a draft with five marks. `next with anchors` is the same in a queue of the same length of which every
tenth image is an anchor or a repeat. Both databases sizes run the same requests. Trust the ratios.
"""

from __future__ import annotations

import argparse
import http.client
import json
import os
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import uuid
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))
LIMIT, LIMIT_ANCHORS = 12.0, 1.05
PASSWORD = "only-for-this-run"


def main() -> None:
    """Measure each size in a separate process and print JSON."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=200)
    parser.add_argument("--images", default="240,100000")
    parser.add_argument("--one", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        print(json.dumps(measure_in_new_home(options.one, options.rounds)))
        return
    results = {}
    for images in options.images.split(","):
        command = [sys.executable, __file__, "--one", images, "--rounds", str(options.rounds)]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
        if done.returncode:
            sys.exit(done.stderr)
        results[f"{int(images):,} images"] = json.loads(done.stdout)
    print(json.dumps(results, indent=2))


def measure_in_new_home(images: int, rounds: int) -> dict[str, float]:
    """Fill a database, serve it, measure, delete it."""
    home = Path(tempfile.mkdtemp(prefix="anatomark-bench-"))
    os.environ |= {"VAR_DIR": str(home), "MEDIA_ROOT": str(home / "media")}
    os.environ["DJANGO_SETTINGS_MODULE"] = "benchmarks.bare_settings"
    os.environ.pop("DATABASE_URL", None)
    os.environ.pop("REDIS_URL", None)
    try:
        return serve_and_measure(fill(images), fill_with_anchors(images), rounds)
    finally:
        shutil.rmtree(home, ignore_errors=True)


def fill(images: int, protocol: str = "anatomy") -> int:
    """Assign all images of one project, without faces, to one annotator; return an assignment's id."""
    import django

    django.setup()
    from django.core.management import call_command

    call_command("migrate", verbosity=0)
    return queue_of(images, "annotator", protocol)[images // 2]


def fill_with_anchors(images: int) -> int:
    """Fill a project in whose queue every tenth image is an anchor or a repeat; return an assignment's id."""
    from annotator.models import Assignment

    rows = queue_of(images, "watched", "anatomy")
    for purpose, place in (("anchor", 5), ("repeat", 15)):
        found = Assignment.objects.filter(pk__in=rows[place::20])
        found.update(purpose=purpose)
    return rows[images // 2]


def queue_of(images: int, name: str, protocol: str) -> list[int]:
    """Store a project whose images are one annotator's work; return the assignments in order."""
    from annotator.batches.assignments import create_batch
    from annotator.faces.decisions import decide_from_file
    from annotator.models import Assignment, Image, Membership, Project, User

    project = Project.objects.create(slug=f"bench-{name}", name="Bench")
    user = User.objects.create_user(name, password=PASSWORD)
    member = Membership.objects.create(project=project, user=user, role="annotator", code="annotator")
    Image.objects.bulk_create(
        (
            Image(
                project=project,
                file=f"{number}.png",
                sha256=f"{number:064x}",
                source_name=f"{number}.png",
                format="PNG",
                width=768,
                height=512,
                generator=f"generator {number % 3}",
                prompt=f"prompt {number % 10}",
                number=number,
                display_state="ready",
            )
            for number in range(images)
        ),
        batch_size=2000,
    )
    queue = list(project.images.order_by("pk").values_list("pk", flat=True))
    faces: dict[int, list[list[float]]] = {pk: [] for pk in queue}
    decide_from_file(project=project, faces=faces, actor=None, facts={"file": "bench.csv"})
    batch = create_batch(project=project, name="Bench", protocol=protocol)
    Assignment.objects.bulk_create(
        Assignment(batch=batch, image_id=pk, annotator=member, position=place)
        for place, pk in enumerate(queue, 1)
    )
    return list(batch.assignments.order_by("position").values_list("pk", flat=True))


def serve_and_measure(assignment: int, among_anchors: int, rounds: int) -> dict[str, float]:
    """Return the medians of the requests in milliseconds, and the ratios."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    options = ["--bind", f"127.0.0.1:{port}", "--workers", "1", "--worker-class", "gthread", "--threads", "8"]
    # Two clients take turns on connections that stay open.
    options += ["--keep-alive", "60"]
    command = [sys.executable, "-m", "gunicorn", "config.wsgi", *options, "--log-level", "error"]
    server = subprocess.Popen(command, cwd=ROOT)
    try:
        client, watched = Client(port), Client(port)
        client.sign_in("annotator")
        watched.sign_in("watched")
        return client.compare(assignment, watched, among_anchors, rounds)
    finally:
        server.terminate()
        server.wait(60)


class Client:
    """A browser-like connection that stays open."""

    def __init__(self, port: int) -> None:
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
        self.cookies: dict[str, str] = {}
        deadline = time.monotonic() + 30
        while True:
            try:
                self.connection.connect()
                return
            except OSError:
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.1)

    def send(self, method: str, path: str, body: bytes = b"", kind: str = "application/json") -> bytes:
        """Return the response's body; exit on an error."""
        headers = {"Cookie": "; ".join(f"{k}={v}" for k, v in self.cookies.items()), "Content-Type": kind}
        headers["X-CSRFToken"] = self.cookies.get("anatomark_csrf", "")
        self.connection.request(method, path, body, headers)
        response = self.connection.getresponse()
        for value in response.headers.get_all("Set-Cookie") or []:
            name, _, rest = value.partition("=")
            self.cookies[name] = rest.partition(";")[0]
        content = response.read()
        if response.status >= 400:
            sys.exit(f"{method} {path}: {response.status} {content[:300]!r}")
        return content

    def sign_in(self, name: str) -> None:
        """Sign in through the form."""
        self.send("GET", "/accounts/login/")
        token = self.cookies["anatomark_csrf"]
        form = f"username={name}&password={PASSWORD}&csrfmiddlewaretoken={token}".encode()
        self.send("POST", "/accounts/login/", form, "application/x-www-form-urlencoded")

    def compare(self, assignment: int, watched: Client, among_anchors: int, rounds: int) -> dict[str, float]:
        """Send the kinds alternately; the first tenth is a warm-up."""
        base = f"/assignments/{assignment}"
        kinds = ("bare view", "next", "next with anchors", "bare INSERT", "save")
        times: dict[str, list[float]] = {name: [] for name in kinds}
        version = 0
        # Both states hold a draft.
        payload = json.loads(watched.send("GET", f"/assignments/{among_anchors}/state"))["payload"]
        draft = {"version": 0, "payload": with_marks(payload, 0), "request_key": str(uuid.uuid4())}
        watched.send("POST", f"/assignments/{among_anchors}/save", json.dumps(draft).encode())
        for _ in range(rounds + rounds // 10):
            watched.timed(times["next with anchors"], "GET", f"/assignments/{among_anchors}/state")
            payload = json.loads(self.timed(times["next"], "GET", f"{base}/state"))["payload"]
            self.timed(times["bare view"], "GET", "/bare/")
            body = {
                "version": version,
                "payload": with_marks(payload, version),
                "request_key": str(uuid.uuid4()),
            }
            answer = self.timed(times["save"], "POST", f"{base}/save", json.dumps(body).encode())
            version = json.loads(answer)["version"]
            self.timed(times["bare INSERT"], "POST", "/bare/insert/", b"{}")
        medians = {name: statistics.median(found[rounds // 10 :]) * 1000 for name, found in times.items()}
        return {
            **{f"{name} ms": round(value, 2) for name, value in medians.items()},
            "next / bare view": round(medians["next"] / medians["bare view"], 2),
            "save / bare INSERT": round(medians["save"] / medians["bare INSERT"], 2),
            "allowed": LIMIT,
            "next with anchors / next": round(medians["next with anchors"] / medians["next"], 3),
            "allowed with anchors": LIMIT_ANCHORS,
        }

    def timed(self, into: list[float], method: str, path: str, body: bytes = b"") -> bytes:
        """Send a request and record the seconds."""
        begun = time.perf_counter()
        content = self.send(method, path, body)
        into.append(time.perf_counter() - begun)
        return content


def with_marks(payload: dict[str, object], turn: int) -> dict[str, object]:
    """Return a payload with five marks that differ each time."""
    cells = [("missing", "limbs"), ("missing", "hands"), ("extra", "feet"), ("configuration", "hands")]
    marks = [
        {
            "type": kind,
            "part": part,
            "severity": "b",
            "affected": 1,
            "total": 4,
            "own_total": True,
            "pins": [],
        }
        for kind, part in cells
    ]
    return {**payload, "marks": marks, "note": f"turn {turn}"}


if __name__ == "__main__":
    main()
