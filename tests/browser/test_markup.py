"""Markup in every text of a project, every page of every role opened: nothing of it becomes part of a page.

The policy that pages are sent with would stop a script; that one was stopped is a failure here too.
"""

from __future__ import annotations

import re
from typing import Any, Final
from zlib import crc32

import pytest
from django.apps import apps
from django.db import connection, models
from django.test import Client
from django.urls import reverse
from playwright.sync_api import Page

from annotator.exchange.import_jobs import request_reading
from annotator.models import User
from annotator.work.jobs import run_job
from scoring.grid.taxonomy import CELLS, SHEET_COLUMNS
from tests.browser.conftest import OpenPage
from tests.permissions.table import READ, TABLE
from tests.permissions.world import Side, make_side

# None needs more than 60 characters: the shortest field holds 80.
PAYLOADS: Final = (
    '"><img src=x onerror=alert(1)><x-injected>',
    "</script><script>alert(1)</script><x-injected>",
    "'-alert(1)-'\"><x-injected onpointerover=alert(1)>",
    "<svg/onload=alert(1)><x-injected>",
    "</title></textarea><iframe srcdoc=<script>alert(1)>",
    "javascript:alert(1)//--><x-injected style=color:red>",
    "{{constructor.constructor('alert(1)')()}}<x-injected>",
)
CANARY: Final = re.compile(r"Canary1\w*")
ROLES: Final = {"lead": "lead", "reviewer": "reviewer", "annotator A": "a", "annotator B": "b"}
# What is checked by asking, not by looking: pictures and files to be stored.
LOOKED_AT: Final = "text/html"
ADMIN: Final = ("user", "project")
LISTENS: Final = """
    window.injected = [];
    addEventListener("securitypolicyviolation", (event) => window.injected.push(event.violatedDirective));
    window.alert = () => window.injected.push("ran");
"""
FOUND: Final = """() => [
    ...window.injected,
    ...Array.from(document.querySelectorAll("x-injected, img[src='x'], iframe, a[href^='javascript:' i]"),
                  (element) => element.outerHTML.slice(0, 80)),
]"""


def poisoned(value: Any) -> Any:
    """The value with markup in front of every canary, keys included; the same one wherever it stands."""
    if isinstance(value, str):
        return CANARY.sub(lambda found: PAYLOADS[crc32(found[0].encode()) % len(PAYLOADS)] + found[0], value)
    if isinstance(value, list):
        return [poisoned(each) for each in value]
    if isinstance(value, dict):
        return {poisoned(name): poisoned(each) for name, each in value.items()}
    return value


def poison_everything() -> set[str]:
    """Put markup into every text of every row, past all checks; return which columns it is in."""
    reached: set[str] = set()
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":  # or what is written could not be changed
            cursor.execute("ALTER TABLE annotator_event DISABLE TRIGGER annotator_event_append_only")
        for name in ("annotator", "analysis"):
            for model in apps.get_app_config(name).get_models():
                reached |= _poison(model)
        if connection.vendor == "postgresql":
            cursor.execute("ALTER TABLE annotator_event ENABLE TRIGGER annotator_event_append_only")
    return reached


def _poison(model: type[models.Model]) -> set[str]:
    reached = set()
    texts = (models.CharField, models.TextField, models.JSONField)
    fields = [field for field in model._meta.concrete_fields if isinstance(field, texts)]
    for row in model._base_manager.all():
        wanted = {}
        for field in fields:
            value = getattr(row, field.attname)
            new = poisoned(value)
            if new != value:
                wanted[field.attname] = new[: field.max_length] if isinstance(new, str) else new
                reached.add(f"{model._meta.model_name}.{field.name}")
        if wanted:
            model._base_manager.filter(pk=row.pk).update(**wanted)
    return reached


def read_a_sheet_of_markup(side: Side) -> Any:
    """A worker's reading of a CSV file with markup in its name and every cell."""
    rows = [",".join(SHEET_COLUMNS), *(_row(payload) for payload in PAYLOADS)]
    contents = "\n".join(rows).encode()
    job = request_reading(
        project=side.project, name=f"{PAYLOADS[0]}.csv", contents=contents, actor=side.lead.user
    )
    assert run_job(job.pk)
    return job


def _row(payload: str) -> str:
    cell = '"' + payload.replace('"', '""') + '"'
    return ",".join([cell] * (len(CELLS) + 6))


def pages_of(side: Side, who: str, client: Client) -> list[str]:
    """Return every address that answers this person with a page, each once."""
    found = []
    for line in TABLE:
        if who not in line.who or not set(READ) <= set(line.methods):
            continue
        address = reverse(line.name, args=line.parts(side))
        answer = client.get(address)
        kind = answer.headers.get("Content-Type", "")
        if answer.status_code == 200 and kind.startswith(LOOKED_AT) and address not in found:
            found.append(address)
        elif answer.status_code == 200:
            assert answer.headers["X-Content-Type-Options"] == "nosniff", address
    return found


def looked_at(page: Page, addresses: list[str]) -> dict[str, list[str]]:
    """Open the pages one after the other; return what became of the markup where anything did."""
    found = {}
    for address in addresses:
        page.goto(address)
        # What scripts draw is there once they have run; no page goes on drawing by itself.
        page.wait_for_function("() => document.readyState === 'complete'")
        if seen := page.evaluate(FOUND):
            found[address] = seen
    return found


@pytest.fixture
def side(transactional_db: None) -> Side:
    """A project in which everything has happened once, and every text of it is markup."""
    side = make_side(1)
    reached = poison_everything()
    assert {
        "user.username",
        "project.name",
        "membership.code",
        "batch.name",
        "image.generator",
        "image.prompt",
        "image.prompt_group",
        "image.source_name",
        "annotation.payload",
        "uploadedfile.name",
        "apitoken.name",
        "job.error",
        "report.result",
        "event.data",
    } <= reached
    return side


def test_markup_stays_text_on_every_page_of_every_role(open_page: OpenPage, side: Side) -> None:
    """Opens every page there is, which takes its time: some 150, at a tenth of a second each."""
    reading = read_a_sheet_of_markup(side)
    opened = 0
    for who, attribute in ROLES.items():
        account = User.objects.get(pk=getattr(side, attribute).user_id)
        client = Client()
        client.force_login(account)
        addresses = pages_of(side, who, client)
        if who == "lead":
            addresses.append(reverse("rows_reading", args=[side.slug, "answers", reading.pk]))
            addresses.append(f"{reverse('history', args=[side.slug])}?kind=answers")
        assert len(addresses) > 5, who
        page = open_page(account.username)
        page.add_init_script(LISTENS)
        assert looked_at(page, addresses) == {}, who
        opened += len(addresses)
        page.close()
    assert opened > 90


def test_markup_stays_text_in_the_admin(open_page: OpenPage, side: Side) -> None:
    root = User.objects.create_superuser(PAYLOADS[0])
    page = open_page(root.username)
    page.add_init_script(LISTENS)
    addresses = ["/admin/"]
    for name in ADMIN:
        row = apps.get_model("annotator", name)._base_manager.order_by("pk").first()
        assert row is not None
        addresses.append(reverse(f"admin:annotator_{name}_changelist"))
        addresses.append(reverse(f"admin:annotator_{name}_change", args=[row.pk]))
    assert looked_at(page, addresses) == {}
