"""The study of a run: people with sessions, images, assignments, and a lead's token."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from tests.config.deploy.process_set import ProcessSet

CLIENTS = 8
CSRF = "c" * 32
MARK = "seeded "

_SCRIPT = """
import io, json
from PIL import Image as Picture
from django.conf import settings
from django.test import Client
from annotator.images.display import store_image
from annotator.models import Assignment, Batch, Membership, Project, User
from annotator.people.tokens import create_token
def member(project, name, role):
    user, _ = User.objects.get_or_create(username=name, defaults={"email": name + "@example.org"})
    return Membership.objects.create(project=project, user=user, role=role, code="code-of-" + name)
def cookie(user):
    browser = Client()
    browser.force_login(user)
    return browser.cookies[settings.SESSION_COOKIE_NAME].value
def images(project, count):
    for number in range(1, count + 1):
        buffer = io.BytesIO()
        Picture.new("RGB", (16, 12), (number, len(project.slug), 120)).save(buffer, "PNG")
        yield store_image(project=project, contents=buffer.getvalue(), source_name=f"{number}.png",
                          generator="painter", prompt="person", prompt_group="individual", number=number)
saves, work = (Project.objects.create(slug=slug, name=slug) for slug in ("saves", "studied"))
people = [member(saves, f"annotator-{i}", "annotator") for i in range(CLIENTS)]
leads = [member(project, "lead-a", "lead") for project in (saves, work)]
batch = Batch.objects.create(project=saves, name="First", per_image=CLIENTS)
for place, image in enumerate(images(saves, IMAGES), 1):
    for person in people:
        Assignment.objects.create(batch=batch, image=image, annotator=person, position=place)
list(images(work, WORK_IMAGES))
_, secret = create_token(user=leads[0].user, name="faults", days=2)
print("seeded " + json.dumps({
    "token": secret,
    "lead": cookie(leads[0].user),
    "clients": [{"code": person.code, "cookie": cookie(person.user),
                 "assignments": {a.pk: a.image.number for a in person.assignments.select_related("image")}}
                for person in people],
}))
"""

_HISTORY = """
import json
from uuid import uuid4
from annotator.annotations.saving import submit_annotation
from annotator.models import Annotation, Event
kept = {}
for pk, replaced in Event.objects.filter(
    verb="draft_saved", data__replaced__isnull=False, assignment__batch__project__slug="saves"
).order_by("pk").values_list("assignment", "data__replaced").iterator(2000):
    if replaced:
        kept.setdefault(pk, []).append([replaced["version"], replaced["payload"]["note"]])
for a in Annotation.objects.filter(assignment__batch__project__slug="saves"):
    kept.setdefault(a.assignment_id, []).append([a.version, a.payload["note"]])
drafts = Annotation.objects.filter(assignment__batch__project__slug="saves", status="draft")
for a in drafts.select_related("assignment__annotator__user"):
    own = {"assignment": a.assignment, "actor": a.assignment.annotator.user, "payload": a.payload}
    submit_annotation(**own, replaces=a.version, request_key=uuid4())
print("seeded " + json.dumps(kept))
"""

_WORK = """
import json
from django.db.models import Count
from django.core.files.storage import default_storage
from analysis.models import Report
from annotator.models import Annotation, Assignment, Job
rows = Annotation.objects.filter(assignment__batch__project__slug="studied")
pairs = rows.values("assignment__image", "assignment__annotator").annotate(n=Count("pk"))
twice = pairs.filter(n__gt=1).count()
open_rows = {"status__in": ["queued", "running"]}
print("seeded " + json.dumps({
    "imported": sorted(rows.values_list("assignment__annotator__code", flat=True)),
    "twice": twice,
    "unfinished": [list(row) for model in (Job, Report)
                   for row in model.objects.filter(**open_rows).values_list("pk", "status")],
    "attempts": sorted(Job.objects.filter(attempts__gt=1).values_list("attempts", flat=True)),
}))
"""


@dataclass(frozen=True)
class Person:
    """One client: its session cookie and the image number of each assignment."""

    code: str
    cookie: str
    assignments: dict[int, int]


@dataclass(frozen=True)
class Study:
    """The clients' input."""

    people: list[Person]
    lead: str
    token: str


def seed(running: ProcessSet, images: int, work_images: int) -> Study:
    """Create the rows and return the clients' input."""
    sizes = {"CLIENTS": CLIENTS, "WORK_IMAGES": work_images, "IMAGES": images}
    script = _SCRIPT
    for name, value in sizes.items():
        script = script.replace(name, str(value))
    said = _say(running, script)
    people = [
        Person(each["code"], each["cookie"], {int(pk): number for pk, number in each["assignments"].items()})
        for each in said["clients"]
    ]
    return Study(people, said["lead"], said["token"])


def history(running: ProcessSet) -> dict[int, list[tuple[int, str]]]:
    """Return every stored version of each assignment, from events; then submit the last for the export."""
    return {int(pk): [(v, note) for v, note in rows] for pk, rows in _say(running, _HISTORY).items()}


def work_done(running: ProcessSet) -> dict[str, Any]:
    """Return the jobs' results in the database."""
    said: dict[str, Any] = _say(running, _WORK)
    return said


def _say(running: ProcessSet, script: str) -> Any:
    return json.loads(running.manage("shell", "-c", script).stdout.split(MARK)[-1])
