"""The pages from which a queue is taken away, and the people of a Label Studio export."""

from __future__ import annotations

import io

import openpyxl
import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from annotator.models import Event, Job, Membership, User
from tests.factories import make_assignment, make_batch, make_member, make_project
from tests.support.codes import codes, said

pytestmark = pytest.mark.django_db


def account(member: Membership) -> User:
    assert member.user
    return member.user


def first_column(contents: bytes) -> list[str]:
    sheet = openpyxl.load_workbook(io.BytesIO(contents)).worksheets[0]
    return [str(cell.value) for cell in sheet["A"][1:]]


def test_a_lead_takes_the_queue_of_one_annotator(client: Client) -> None:
    project = make_project("pilot")
    lead, person = make_member(project, role="lead"), make_member(project, code="annotator-a")
    batch = make_batch(project)
    mine = make_assignment(person, batch=batch)
    make_assignment(make_member(project, code="annotator-b"), batch=batch)
    client.force_login(account(lead))
    address = f"/batches/{batch.pk}/"
    page = client.get(address).content.decode()
    assert '<option value="annotator-a">' in page
    answer = client.post(f"{address}sheet/", {"annotator": "annotator-a"})
    assert 'filename="pilot-queue-annotator-a-' in answer["Content-Disposition"]
    assert first_column(answer.content) == [f"pilot/{mine.pk}/{mine.image.public_id}"]
    refused = client.post(f"{address}sheet/", {"annotator": "nobody"}, follow=True)
    assert "“nobody”" in said(refused, "empty")
    assert Event.objects.filter(verb="sheet_taken").count() == 1


def test_an_annotator_takes_their_own_queue_and_no_other(client: Client) -> None:
    project = make_project("pilot")
    person, other = make_member(project, code="annotator-a"), make_member(project, code="annotator-b")
    batch, foreign = make_batch(project, name="one"), make_batch(project, name="two")
    mine = make_assignment(person, batch=batch)
    make_assignment(other, batch=batch)
    make_assignment(other, batch=foreign)
    client.force_login(account(person))
    assert f'name="batch" value="{batch.pk}"' in client.get("/projects/pilot/queue/").content.decode()
    address = "/projects/pilot/queue/sheet/"
    answer = client.post(address, {"batch": batch.pk})
    assert first_column(answer.content) == [f"pilot/{mine.pk}/{mine.image.public_id}"]
    for asked in (foreign.pk, "x", ""):
        assert client.post(address, {"batch": asked})["Location"] == "/projects/pilot/queue/"
    assert Event.objects.filter(verb="sheet_taken").count() == 1


@pytest.mark.parametrize(("text", "kept"), [("3=A, 7 = B", {"3": "A", "7": "B"}), ("", {})])
def test_the_people_of_an_export_are_named_on_the_page(
    client: Client, text: str, kept: dict[str, str]
) -> None:
    project = make_project("pilot")
    client.force_login(account(make_member(project, role="lead")))
    key = "5b0b5f3e-3f0c-4f53-9d52-6d5a3a0c2d10"
    form = {"file": SimpleUploadedFile("a.json", b"[]"), "people": text, "request_key": key}
    assert client.post("/projects/pilot/answers/", form).status_code == 302
    assert Job.objects.get().data["people"] == kept


def test_people_that_cannot_be_read_are_told(client: Client) -> None:
    project = make_project("pilot")
    client.force_login(account(make_member(project, role="lead")))
    form = {"file": SimpleUploadedFile("a.json", b"[]"), "people": "3A"}
    answer = client.post("/projects/pilot/answers/", form)
    assert answer.status_code == 422
    assert "pairs" in codes(answer)
    assert not Job.objects.exists()
