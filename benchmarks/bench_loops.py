"""Compare a loop with bare Django, with an earlier commit, and with the loop of larger projects.

    .venv/bin/python benchmarks/bench_loops.py                              on SQLite, 240 and 10,000 images
    DATABASE_URL=postgresql://… .venv/bin/python benchmarks/bench_loops.py --before ebbdf289

A loop is a submission and the next image's state; one annotator goes through a queue. The floors are bare
views behind the same middleware (`bare_urls.py`): the *bare loop* signs in, stores annotation, assignment and
Event and returns the next image, without versions, repetitions, locks, scores or summaries; the *bare INSERT*
stores one row. Real servers (gunicorn, two processes, deployed settings) with databases of their own take
turns, so that all see the same machine. *With anchors* is the same loop in a queue of which every tenth image
is an anchor or a repeat. *Told apart* is what an annotator's clock shows in a queue of work, anchors and
repeats by turns: page and submission of each, in those of the work image before. Other costs are milliseconds
of the processor for the web processes and PostgreSQL's, which other work on the machine changes least;
medians of the rounds. Trust the ratios.
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
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
QUEUE = 10_000
"""Images in a queue at most; a larger project is other people's."""

OTHERS = 20
Seen = dict[str, tuple[float, float]]
"""Milliseconds of an image's page and of its submission, by the image's purpose."""

NOW, BEFORE, ANCHORS, MIXED = "now", "before", "with anchors", "told apart"
PURPOSES = ("work", "anchor", "repeat")
"""Of the images of a mixed queue, by turns."""

BARE_LOOP, BARE = "bare loop", "bare INSERT"


def main() -> None:
    """Measure each size and print JSON."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--images", default="240,10000", help="sizes of projects, compared with the smallest")
    parser.add_argument("--before", metavar="COMMIT", help="also measure this commit")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--loops", type=int, default=10, help="loops in one turn; default 10")
    parser.add_argument("--fill", type=int, nargs=3, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.fill:
        print(json.dumps(fill(*options.fill)))
        return
    sys.path.insert(0, str(ROOT))  # not before: `fill` runs the code of its own tree
    sizes = [int(size) for size in options.images.split(",")]
    people = 4 * (options.rounds + 1)
    new = 3 * (options.rounds + 1) * options.loops
    if new > min(sizes):
        parser.error(f"{new // options.loops} queues of {options.loops} loops need {new} images")
    with ExitStack() as stack:
        trees = {NOW: ROOT}
        if options.before:
            trees[BEFORE] = stack.enter_context(checked_out(options.before))
        servers = {
            (size, name): stack.enter_context(serving(tree, size, people, options.loops))
            for size in sizes
            for name, tree in trees.items()
        }
        apart: dict[int, list[Seen]] = {size: [] for size in sizes}
        told = compared(take_turns(servers, options.rounds, options.loops, apart))
        for size, seen in apart.items():
            told[f"{size:,} images"][MIXED] = told_apart(seen)
        print(json.dumps(told, indent=2))


@contextmanager
def checked_out(commit: str) -> Iterator[Path]:
    """Have a working tree of a commit while the block runs."""
    home = Path(tempfile.mkdtemp(prefix="anatomark-before-"))
    git = ["git", "-C", str(ROOT), "worktree"]
    try:
        subprocess.run([*git, "add", "--detach", str(home / "tree"), commit], check=True, capture_output=True)
        yield home / "tree"
    finally:
        subprocess.run([*git, "remove", "--force", str(home / "tree")], check=False, capture_output=True)
        shutil.rmtree(home, ignore_errors=True)


@dataclass
class Server:
    """A running server, its database's name if on PostgreSQL, and its annotators' cookies and assignments."""

    process: subprocess.Popen[bytes]
    port: int
    database: str
    people: list[tuple[str, int]]

    def spent(self) -> tuple[float, float]:
        """Return the milliseconds of the processor that its processes and those of its database have had."""
        pids = [int(each) for each in _children(self.process.pid)]
        return sum(map(_on_processor, pids)), sum(map(_on_processor, _backends(self.database)))


@contextmanager
def serving(tree: Path, images: int, people: int, each: int) -> Iterator[Server]:
    """Fill a database with a working tree's own code, and serve it while the block runs."""
    home = Path(tempfile.mkdtemp(prefix="anatomark-loops-"))
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    where = os.environ.get("DATABASE_URL", "")
    database = f"anatomark_loops_{port}" if where else ""
    env = {
        **os.environ,
        "PYTHONPATH": str(tree),
        "VAR_DIR": str(home),
        "MEDIA_ROOT": str(home / "media"),
        "SECRET_KEY": uuid.uuid4().hex * 2,
        "QUEUE_PREFIX": f"anatomark-loops-{port}:",
        "DJANGO_SETTINGS_MODULE": "benchmarks.bare_settings",
        "WEB_WORKERS": "2",
        "WEB_BIND": f"127.0.0.1:{port}",
    }
    if where:
        _administer(f"CREATE DATABASE {database}")
        env["DATABASE_URL"] = f"{where.rpartition('/')[0]}/{database}"
    command = [sys.executable, __file__, "--fill", str(images), str(people), str(each)]
    server = None
    try:
        done = subprocess.run(command, cwd=tree, env=env, capture_output=True, text=True, check=False)
        if done.returncode:
            sys.exit(done.stderr)
        served = [sys.executable, "-m", "gunicorn", "--config", "config/deploy/web.py", "config.wsgi"]
        server = subprocess.Popen([*served, "--log-level", "error"], cwd=tree, env=env)
        _wait_for(port)
        yield Server(server, port, database, json.loads(done.stdout))
    finally:
        if server is not None:
            server.terminate()
            server.wait(60)
        if where:
            _administer(f"DROP DATABASE {database} WITH (FORCE)")
        shutil.rmtree(home, ignore_errors=True)


def fill(images: int, people: int, each: int) -> list[tuple[str, int]]:
    """Create one project; return the annotators' cookies and first assignments.

    Everybody has the same images and begins where the one before will end, so that all are new. Those of a
    large project that are in nobody's queue are other people's.
    """
    import django

    django.setup()
    from django.core.management import call_command
    from django.db import connection
    from django.db.models import F
    from django.test import Client

    from annotator.models import Assignment, Batch, Image, Membership, Project, User

    def member(name: str) -> Membership:
        users[name] = User.objects.create_user(name)
        return Membership.objects.create(project=project, user=users[name], role="annotator", code=name)

    users: dict[str, User] = {}

    call_command("migrate", verbosity=0)
    project = Project.objects.create(slug="loops", name="Loops")
    batch = Batch.objects.create(project=project, name="Loops")
    picture = {"project": project, "format": "PNG", "width": 768, "height": 512, "display_state": "ready"}
    named = {"source_name": "1.png", "file": "1.png", "generator": "generator", "prompt": "prompt"}
    Image.objects.bulk_create(
        (Image(sha256=f"{number:064x}", number=number, **picture, **named) for number in range(images)),
        batch_size=2000,
    )
    pks = list(project.images.order_by("pk").values_list("pk", flat=True))
    in_queue, rest = pks[:QUEUE], pks[QUEUE:]
    members = [member(f"a{place}") for place in range(people)]
    others = [member(f"b{place}") for place in range(OTHERS)] if rest else []
    placed = [(members[0], place, pk) for place, pk in enumerate(in_queue, 1)]
    placed += [(others[place % OTHERS], place // OTHERS + 1, pk) for place, pk in enumerate(rest)]
    Assignment.objects.bulk_create(
        (
            Assignment(batch=batch, annotator=annotator, position=place, image_id=pk)
            for annotator, place, pk in placed
        ),
        batch_size=2000,
    )
    length, table, quarter = len(in_queue), Assignment._meta.db_table, people // 4
    columns = ", ".join(
        str(field.column)
        for field in Assignment._meta.concrete_fields
        if field.name not in ("id", "annotator", "position")
    )
    with connection.cursor() as cursor:
        for turn, one in enumerate(members[1:], 1):
            # Mixed queues keep away from images of the bare loop, and no image has one purpose for all.
            begin = turn * each if turn < 3 * quarter else 2 * quarter * each + turn - 3 * quarter
            cursor.execute(
                f"INSERT INTO {table} ({columns}, annotator_id, position)"
                f" SELECT {columns}, %s, (position - 1 + %s) %% %s + 1 FROM {table} WHERE annotator_id = %s",
                [one.pk, -begin % length, length, members[0].pk],
            )
    watched = Assignment.objects.filter(annotator__in=members[2 * quarter : 3 * quarter])
    for purpose, place in (("anchor", 5), ("repeat", 15)):
        watched.alias(place=F("position") % 20).filter(place=place).update(purpose=purpose)
    mixed = Assignment.objects.filter(annotator__in=members[3 * quarter :])
    for place, purpose in enumerate(PURPOSES):
        mixed.alias(place=(F("position") - 1) % len(PURPOSES)).filter(place=place).update(purpose=purpose)
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE" if connection.vendor == "sqlite" else "VACUUM ANALYZE")
    found = []
    for one in members:
        browser = Client()
        browser.force_login(users[one.code])
        first = batch.assignments.get(annotator=one, position=1)
        found.append((browser.cookies["anatomark_session"].value, first.pk))
    return found


def take_turns(
    servers: dict[tuple[int, str], Server], rounds: int, loops: int, apart: dict[int, list[Seen]]
) -> dict[tuple[int, str], list[tuple[float, float, float]]]:
    """Return the milliseconds of web, database and clock for one loop in every round; the first warms up.

    Add what an annotator sees of mixed queues to `apart`, by size.
    """
    from benchmarks.load.walk import PAYLOAD

    acts = list(servers.items())
    for (size, name), server in servers.items():
        acts += [((size, other), server) for other in (ANCHORS, BARE_LOOP, BARE) if name == NOW]
    found: dict[tuple[int, str], list[tuple[float, float, float]]] = {key: [] for key, _ in acts}
    for turn in range(rounds + 1):
        for (size, name), server in acts:
            # Each kind of loop has annotators of its own.
            person = server.people[turn + (rounds + 1) * {BARE_LOOP: 1, ANCHORS: 2}.get(name, 0)]
            browser = Browser(
                server.port, *person, PAYLOAD, "/bare/loop" if name == BARE_LOOP else "/assignments"
            )
            act = browser.store if name == BARE else browser.loop
            (web, database), begun = server.spent(), time.perf_counter()
            for _ in range(loops):
                act()
            clock, (web_now, database_now) = time.perf_counter() - begun, server.spent()
            if turn:
                of_all = (web_now - web, database_now - database, 1000 * clock)
                found[size, name].append(tuple(total / loops for total in of_all))  # type: ignore[arg-type]
            if name == NOW:
                person = server.people[turn + (rounds + 1) * 3]
                browser = Browser(server.port, *person, PAYLOAD, "/assignments")
                seen = [{purpose: browser.seen() for purpose in PURPOSES} for _ in range(loops)]
                apart[size] += seen if turn else []
    return found


def told_apart(seen: list[Seen]) -> dict[str, dict[str, float]]:
    """Return how long the page and the submission of an anchor and a repeat take, in those of work."""
    return {
        f"{purpose} / work": {
            part: _ratio([one[purpose][place] for one in seen], [one["work"][place] for one in seen])
            for place, part in enumerate(("page", "submission and next image"))
        }
        for purpose in PURPOSES[1:]
    }


class Browser:
    """An annotator with a new connection for every request, as the proxy makes them."""

    def __init__(self, port: int, cookie: str, at: int, payload: dict[str, Any], where: str) -> None:
        token = "c" * 32
        self.headers = {
            "Cookie": f"anatomark_session={cookie}; anatomark_csrf={token}",
            "X-CSRFToken": token,
            "Content-Type": "application/json",
        }
        self.port, self.at, self.payload, self.where = port, at, payload, where

    def loop(self) -> None:
        """Submit the present image; request the next one's state unless it came along."""
        body = {"version": 0, "payload": {**self.payload, "note": ""}, "request_key": str(uuid.uuid4())}
        answer = self.send("POST", f"{self.where}/{self.at}/submit", json.dumps(body))
        state = answer.get("state") or self.send("GET", f"{answer['next'].rstrip('/')}/state")
        self.at = state["id"]

    def seen(self) -> tuple[float, float]:
        """Open the present image's page, then submit; return the milliseconds of both."""
        begun = time.perf_counter()
        self.ask("GET", f"{self.where}/{self.at}/")
        opened = time.perf_counter()
        self.loop()
        return 1000 * (opened - begun), 1000 * (time.perf_counter() - opened)

    def store(self) -> None:
        """Store one row."""
        self.send("POST", "/bare/insert/", "{}")

    def send(self, method: str, path: str, body: str = "") -> dict[str, Any]:
        """Return the JSON of the response; exit on an error."""
        said: dict[str, Any] = json.loads(self.ask(method, path, body))
        return said

    def ask(self, method: str, path: str, body: str = "") -> bytes:
        """Return the response; exit on an error."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        connection.request(method, path, body, self.headers)
        response = connection.getresponse()
        content = response.read()
        connection.close()
        if response.status != 200:
            sys.exit(f"{method} {path}: {response.status} {content[:300]!r}")
        return content


def compared(found: dict[tuple[int, str], list[tuple[float, float, float]]]) -> dict[str, Any]:
    """Return medians and ratios; ratios are medians of those of each round."""
    first = min(size for size, _ in found)
    told: dict[str, Any] = {}
    for size in sorted({size for size, _ in found}):
        kinds = {name: found[size, name] for each, name in found if each == size}
        spent = {name: [web + database for web, database, _ in rounds] for name, rounds in kinds.items()}
        ours = spent[NOW]
        told[f"{size:,} images"] = {
            "processor ms, web and database": {
                name: [round(statistics.median(part), 2) for part in list(zip(*rounds, strict=True))[:2]]
                for name, rounds in kinds.items()
            },
            "clock ms": {
                name: round(statistics.median([clock for *_, clock in rounds]), 2)
                for name, rounds in kinds.items()
            },
            "loop / bare loop": _ratio(ours, spent[BARE_LOOP]),
            "loop / bare INSERT": _ratio(ours, spent[BARE]),
            "loop with anchors / loop": _ratio(spent[ANCHORS], ours),
            **({"before / now": _ratio(spent[BEFORE], ours)} if BEFORE in spent else {}),
        }
        if size != first:
            small = [web + database for web, database, _ in found[first, NOW]]
            told[f"{size:,} images"][f"loop / loop with {first:,}"] = _ratio(ours, small)
    return told


def _ratio(mine: list[float], others: list[float]) -> float:
    return round(statistics.median(one / other for one, other in zip(mine, others, strict=True)), 2)


def _children(pid: int) -> list[str]:
    return Path(f"/proc/{pid}/task/{pid}/children").read_text().split()


def _on_processor(pid: int) -> float:
    """Return the milliseconds that all threads of a process have run; finer than its clock ticks."""
    threads = Path(f"/proc/{pid}/task").glob("*/schedstat")
    return sum(int(each.read_text().split()[0]) for each in threads) / 1e6


def _backends(database: str) -> list[int]:
    """Return PostgreSQL's processes for a database."""
    if not database:
        return []
    of_it = f"SELECT pid FROM pg_stat_activity WHERE datname = '{database}'"
    return [pid for (pid,) in _administer(of_it)]


def _administer(statement: str) -> list[Any]:
    import psycopg

    with psycopg.connect(os.environ["DATABASE_URL"], autocommit=True) as connection:
        done = connection.execute(statement)
        return done.fetchall() if done.description else []


def _wait_for(port: int) -> None:
    deadline = time.monotonic() + 120
    while True:
        try:
            socket.create_connection(("127.0.0.1", port)).close()
            return
        except OSError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.2)


if __name__ == "__main__":
    main()
