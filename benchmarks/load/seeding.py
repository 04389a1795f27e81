"""Makes the project of a run, inside the process set: people with sessions, images, who owes what.

Rows that are alike are copied inside the database from one that the product made, whatever columns it has.
"""

from __future__ import annotations

import io
import json
from typing import Any
from uuid import uuid4

from django.conf import settings
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.db import connection
from django.db.models import Count, Min, Model
from django.test import Client
from PIL import Image as Picture

from annotator.annotations.saving import submit_annotation
from annotator.models import Annotation, Assignment, Batch, Event, Image, Membership, Project, User
from benchmarks.load.size import MARK, queue, submitted_before
from benchmarks.load.walk import PAYLOAD


def make(images: int, people: int) -> None:
    """Create the project `load-<images>` and print cookie and first assignment of each annotator."""
    project = Project.objects.create(slug=f"load-{images}", name=f"{images} images")
    members = [_member(project, number) for number in range(people)]
    _images(project, images)
    batch = Batch.objects.create(project=project, name="First", coders=2)
    _assignments(batch, members, queue(images, people))
    if each := submitted_before(images, people):
        _answers(batch, each)
    with connection.cursor() as cursor:
        cursor.execute("VACUUM ANALYZE")
    waiting = batch.assignments.filter(status=Assignment.Status.OPEN)
    firsts = dict(waiting.order_by().values_list("annotator").annotate(Min("pk")))
    _say([{"cookie": _cookie(member.user), "at": firsts[member.pk]} for member in members])


def stored(images: int) -> None:
    """Print the contents of `load-<images>`: submissions, events by verb, bytes of rows."""
    submitted = Annotation.objects.filter(
        assignment__batch__project__slug=f"load-{images}", status=Annotation.Status.SUBMITTED
    )
    acts = Event.objects.filter(project__slug=f"load-{images}").order_by().values_list("verb")
    _say(
        {
            "submitted": list(submitted.values_list("assignment", flat=True)),
            "acts": dict(acts.annotate(Count("pk"))),
            "bytes": {
                "image": _bytes(Image, "true"),
                "assignment": _bytes(Assignment, "true"),
                "annotation": _bytes(Annotation, "version > 1"),
                "event": _bytes(Event, "data ->> 'version' > '1'"),
            },
        }
    )


def _say(said: Any) -> None:
    print(MARK + json.dumps(said))


def _bytes(model: type[Model], like: str) -> int:
    """Return the bytes of one row with its share of the indexes, 0 without any that `like` selects in SQL."""
    table = model._meta.db_table
    rows = f"SELECT avg(pg_column_size(t.*)) FROM {table} t WHERE {like}"
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT ({rows}) + pg_indexes_size('{table}')::float / count(*) FROM {table}")
        [size] = cursor.fetchone()
    return int(size or 0)


def _member(project: Project, number: int) -> Membership:
    user = User.objects.create_user(f"{project.slug}-{number}")
    return Membership.objects.create(project=project, user=user, role="annotator", code=str(number))


def _cookie(user: User | None) -> str:
    assert user is not None
    browser = Client()
    browser.force_login(user)
    return browser.cookies[settings.SESSION_COOKIE_NAME].value


def _images(project: Project, count: int) -> None:
    drawn = io.BytesIO()
    Picture.effect_noise((768, 512), 60).convert("RGB").save(drawn, "WEBP", quality=60)
    first = Image.objects.create(
        project=project,
        file="1.png",
        sha256=f"{1:064x}",
        source_name="1.png",
        format="PNG",
        width=768,
        height=512,
        generator="generator",
        prompt="prompt",
        number=1,
        display=default_storage.save("display/load.webp", ContentFile(drawn.getvalue())),
        display_state="ready",
    )
    different = {"public_id": "gen_random_uuid()", "number": "n", "sha256": "lpad(to_hex(n), 64, '0')"}
    _copy(first, f"generate_series(2, {count}) n", different)


def _assignments(batch: Batch, members: list[Membership], length: int) -> None:
    images = list(batch.project.images.order_by("pk").values_list("pk", flat=True))
    first = Assignment.objects.create(batch=batch, image_id=images[0], annotator=members[0], position=1)
    # Each starts seven images after the end of the previous one, so that small queues differ too.
    turn = f"1 + mod((m.n - 1) * {length + 7} + q - 1, {len(images)})"
    source = f"""unnest(%s::bigint[]) WITH ORDINALITY m(id, n)
        CROSS JOIN generate_series(1, {length}) q
        JOIN unnest(%s::bigint[]) WITH ORDINALITY i(id, n) ON i.n = {turn}"""
    different = {"annotator_id": "m.id", "image_id": "i.id", "position": "q"}
    _copy(
        first,
        source,
        different,
        [member.pk for member in members],
        images,
        only="NOT (m.n = 1 AND q = 1) ORDER BY m.n, q",
    )


def _answers(batch: Batch, each: int) -> None:
    """Submit the first `each` of every queue: one through the product, the others as its copies."""
    first = batch.assignments.select_related("batch__project", "annotator__user").order_by("pk")[0]
    payload = {**PAYLOAD, "note": ""}
    actor = first.annotator.user
    assert actor is not None
    answer = submit_annotation(
        assignment=first, actor=actor, payload=payload, replaces=0, request_key=uuid4()
    )
    event = Event.objects.get(assignment=first)
    source = "annotator_assignment a JOIN annotator_membership m ON m.id = a.annotator_id"
    which = f"a.batch_id = {batch.pk} AND a.position <= {each} AND a.id <> {first.pk}"
    _copy(answer, source, {"assignment_id": "a.id"}, only=which)
    whose = {"assignment_id": "a.id", "actor_id": "m.user_id", "request_key": "gen_random_uuid()"}
    _copy(event, source, whose, only=which)
    batch.assignments.filter(position__lte=each).update(status=Assignment.Status.DONE)


def _copy(row: Model, source: str, different: dict[str, str], *values: list[int], only: str = "true") -> None:
    """Insert a copy of `row` for each of `source`, with the differing columns given in SQL."""
    table = row._meta.db_table
    columns = [str(field.column) for field in row._meta.concrete_fields if not field.primary_key]
    chosen = ", ".join(different.get(column, f"t.{column}") for column in columns)
    statement = f"INSERT INTO {table} ({', '.join(columns)}) SELECT {chosen} FROM {table} t, {source}"
    with connection.cursor() as cursor:
        cursor.execute(f"{statement} WHERE t.id = {row.pk} AND {only}", values or None)
