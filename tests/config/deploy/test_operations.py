"""What operators rely on, on the running set: a drill, clean settings, one line a fault, lights, logs."""

from __future__ import annotations

import json
import shutil
import threading

import psycopg
import pytest

from tests.config.deploy.process_set import ProcessSet
from tests.config.deploy.team import PASSWORD, PEOPLE, Browser, eventually

pytestmark = pytest.mark.timeout(600)

READ_BACK = f"""
import hashlib, json
from django.contrib.auth import authenticate
from django.core.files.storage import default_storage
from annotator.models import Annotation, Event, Image
answers = {{a.assignment_id: [a.version, a.payload["note"]] for a in Annotation.objects.all()}}
events = [list(row) for row in Event.objects.filter(verb="saved").values_list("assignment", "data")]
people = [name for name in {list(PEOPLE)!r} if authenticate(username=name, password={PASSWORD!r})]
wrong = [i.pk for i in Image.objects.all()
         if hashlib.sha256(default_storage.open(i.file.name).read()).hexdigest() != i.sha256]
print("read back " + json.dumps([answers, people, wrong, Image.objects.count()]))
"""


class Saver(threading.Thread):
    """A client that saves one assignment again and again, and keeps what was acknowledged."""

    def __init__(self, browser: Browser, pk: int, stop: threading.Event) -> None:
        super().__init__(daemon=True)
        self.browser, self.pk, self.stop = browser, pk, stop
        self.version = int(browser.state(pk)["version"])
        self.failed = ""

    def run(self) -> None:
        while not self.stop.is_set():
            said = self.browser.answer(self.pk, version=self.version, note=f"note {self.version + 1}")
            if said["http"] != 200:
                self.failed = json.dumps(said)
                return
            self.version = int(said["version"])
            self.stop.wait(0.05)


def test_a_backup_under_load_holds_all_that_was_acknowledged_before_it(team: ProcessSet) -> None:
    stop = threading.Event()
    savers = []
    # Assignments that no other test of this process set submits.
    for username, place in (("annotator-a", 2), ("annotator-a", 3), ("annotator-a", 4), ("annotator-b", 5)):
        browser = Browser(team).sign_in(username)
        savers.append(Saver(browser, browser.assignments(username)[place], stop))
    for saver in savers:
        saver.start()
    eventually(lambda: all(saver.version >= 3 or saver.failed for saver in savers))
    before = {saver.pk: saver.version for saver in savers}
    target = team.home / "backups" / "drill"
    try:
        team.run("config/backup.sh", "write", str(target))
    finally:
        after = {saver.pk: saver.version for saver in savers}
        stop.set()
        for saver in savers:
            saver.join(60)
    assert [saver.failed for saver in savers] == [""] * 4
    assert any(after[pk] > before[pk] for pk in before)  # people really went on working meanwhile
    # An empty machine.
    elsewhere = team.home / "temp" / "elsewhere"
    changed = {
        "DATABASE_URL": team.environment["DATABASE_URL"].removesuffix("anatomark") + "restored",
        "MEDIA_ROOT": str(elsewhere / "media"),
        "VAR_DIR": str(elsewhere / "var"),
    }
    with psycopg.connect(
        team.environment["DATABASE_URL"], password=team.secret("postgres_password"), autocommit=True
    ) as server:
        server.execute("create database restored")
    team.run("config/backup.sh", "restore", str(target), changed=changed)
    said = team.manage("shell", "-c", READ_BACK, changed=changed).stdout
    answers, people, wrong, images = json.loads(said.split("read back ")[1])
    for pk, version in before.items():
        stored, note = answers[str(pk)]
        assert stored >= version
        assert note == f"note {stored}"
    assert people == list(PEOPLE)
    assert (wrong, images) == ([], 6)
    shutil.rmtree(elsewhere)


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"SECRET_KEY_FILE": ""}, "SECRET_KEY is not set"),
        ({"SECRET_KEY_FILE": "/nowhere"}, "SECRET_KEY_FILE cannot be read (No such file or directory)"),
        ({"SECRET_KEY_FILE": "", "SECRET_KEY": "change-me-" * 6}, "SECRET_KEY is a default or a pattern"),
        ({"DATABASE_PASSWORD_FILE": "", "DATABASE_PASSWORD": "postgres"}, "is a well-known default"),
        (
            {"DATABASE_PASSWORD_FILE": "", "DATABASE_PASSWORD": "wrong-password-1"},
            "password authentication failed",
        ),
        ({"DATABASE_URL": "postgresql://anatomark@127.0.0.1:1/anatomark"}, "Connection refused"),
        ({"MEDIA_ROOT": "/proc/nothing"}, "Media: the folder is not writable"),
    ],
)
def test_nothing_starts_with_a_bad_configuration_and_one_line_says_why(
    team: ProcessSet, changed: dict[str, str], words: str
) -> None:
    done = team.manage("ready", "--to-start", "The web server", check=False, changed=changed)
    assert done.returncode == 1
    said = done.stderr.strip().splitlines()
    assert len(said) == 1, done.stderr
    assert words in said[0]


def test_health_through_the_proxy(team: ProcessSet) -> None:
    stranger = Browser(team)
    assert stranger.ask("/health/live")[::2] == (200, b"alive\n")
    # Once the worker was heard of: it starts after the web.
    ready = eventually(lambda: (found := stranger.ask("/health/ready"))[0] == 200 and found[2].decode())
    parts = ("database", "migrations", "media", "libraries", "queue", "workers")
    assert ready.splitlines() == ["ready", *(f"{part}: good" for part in parts)]
    assert team.manage("ready").stdout.split(":")[0] == "Ready"


def test_logs_are_json_and_hold_no_secret_and_no_person(team: ProcessSet, invitation: str) -> None:
    browser = Browser(team)
    browser.ask("/accounts/login/")
    browser.ask("/accounts/login/", b"username=annotator-a&password=wrong-word-1&csrfmiddlewaretoken=x")
    assert browser.ask(f"/join/{invitation}/")[0] == 200
    browser.ask(f"/join/{invitation}x/?name=annotator-a&email=annotator-a@example.org")
    browser.ask("/nowhere/?q=code-of-annotator-a", Authorization="Bearer anm_not-a-token")
    team.stop("web")
    assert browser.ask(f"/join/{invitation}/")[0] == 502
    team.start("web")
    logs = {name: team.log(name).read_text().splitlines() for name in ("proxy", "web", "worker", "beat")}
    assert [(name, line) for name, lines in logs.items() for line in lines if not line.startswith("{")] == []
    assert all(json.loads(line)["time"] for lines in logs.values() for line in lines)
    assert sum(map(len, logs.values())) > 30
    secrets = [team.secret(name) for name in ("secret_key", "postgres_password", "redis_password")]
    hidden = [*secrets, invitation, PASSWORD, *PEOPLE, "code-of-", "example.org", "wrong-word-1", "anm_not"]
    for name in ("proxy", "web", "worker", "beat", "postgres", "redis"):
        text = team.log(name).read_text()
        assert [word for word in hidden if word in text] == [], name
    ids = {json.loads(line).get("request") for line in team.log("proxy").read_text().splitlines()}
    told = {json.loads(line).get("request") for line in team.log("web").read_text().splitlines()} - {None}
    assert told
    assert told <= ids
