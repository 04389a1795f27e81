"""What the API tells: the same as the pages, in pages of bounded length and a fixed number of queries."""

from __future__ import annotations

from io import BytesIO
from typing import Any
from uuid import uuid4

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from PIL import Image as Picture

from analysis.reports.lifecycle import request_report, run_report
from annotator.annotations.reopening import reopen_for_annotator
from annotator.models import Assignment, Batch, FaceDecision, Image, Membership
from tests.analysis.api.callers import Caller, calling, items
from tests.analysis.api.conftest import Study
from tests.annotator.acting import save, submit
from tests.annotator.settling import SETTLED, make_case, settle, submit_again, withdraw
from tests.factories import (
    LEAD,
    decide_faces,
    make_assignment,
    make_batch,
    make_image,
    make_member,
    make_project,
    make_user,
)

pytestmark = pytest.mark.django_db


def test_projects_are_those_of_the_person(study: Study, ada: Caller) -> None:
    make_member(make_project("other"), user=make_user("x"))
    row = {"slug": "pilot", "name": "Pilot", "role": "annotator", "code": "ada", "owed": 3, "waiting": 2}
    assert items(ada.get("/projects")) == [row]
    assert ada.get("/projects/pilot").json() == {**row, "weights": None, "counts": None}
    assert ada.get("/projects/other").status_code == 404


def test_a_lead_sees_a_projects_size(lee: Caller) -> None:
    facts = lee.get("/projects/pilot").json()
    assert facts["counts"] == {"images": 3, "assignments": 6, "done": 2}
    assert facts["weights"] == {"a": "0.2", "b": "0.5", "c": "1"}


def test_people(lee: Caller) -> None:
    found = {
        row["code"]: (row["role"], row["owed"], row["done"])
        for row in items(lee.get("/projects/pilot/people"))
    }
    assert found == {
        "lee": ("lead", 0, 0),
        "ada": ("annotator", 3, 1),
        "bob": ("annotator", 3, 1),
        "rex": ("reviewer", 0, 0),
    }


def test_images_and_their_filters(study: Study, lee: Caller) -> None:
    make_image(study.project, generator="other")
    first = study.queue[0].image
    [row] = items(lee.get(f"/projects/pilot/images?sha256={first.sha256}"))
    details = lee.get(f"/projects/pilot/images/{first.public_id}").json()
    assert details == {**row, "adjudicated": None, "faces": None}
    assert (row["id"], row["generator"], row["number"]) == (str(first.public_id), "secret-generator", 1)
    assert row["picture"] == f"/api/v1/images/{first.public_id}/picture"
    assert len(items(lee.get("/projects/pilot/images?generator=secret-generator"))) == 3
    assert len(items(lee.get("/projects/pilot/images?generator=secret-generator&prompt=none"))) == 0


def test_decisions_on_faces_are_told_to_leads(study: Study, lee: Caller, ada: Caller) -> None:
    image = study.queue[0].image
    decide_faces([image], [[1, 1, 2, 2]])
    address = f"/projects/pilot/images/{image.public_id}"
    found = lee.get(address).json()["faces"]
    assert found.pop("decided_at")
    assert found == {"rectangles": [[1.0, 1.0, 2.0, 2.0]], "source": "file", "decided_by": None}
    # Who rates the image learns nothing of it.
    assert ada.get(address).status_code == 404


def test_decisions_on_faces_are_listed_with_replaced_ones(study: Study, lee: Caller, ada: Caller) -> None:
    image = study.queue[0].image
    decide_faces([image], [[1, 1, 2, 2]])
    decide_faces([image, study.queue[1].image])
    address = "/projects/pilot/faces"
    first, *others = items(lee.get(address))
    assert first.pop("decided_at")
    assert first.pop("replaced_at")
    decisions = FaceDecision.objects.order_by("pk")
    assert first == {
        "id": decisions[0].pk,
        "image": str(image.public_id),
        "rectangles": [[1.0, 1.0, 2.0, 2.0]],
        "source": "file",
        "decided_by": None,
    }
    assert [(one["rectangles"], one["replaced_at"]) for one in others] == [([], None), ([], None)]
    of_image = items(lee.get(f"{address}?image={image.public_id}"))
    assert [one["id"] for one in of_image] == [decisions[0].pk, decisions[1].pk]
    assert [one["id"] for one in items(lee.get(f"{address}?replaced=true"))] == [decisions[0].pk]
    assert ada.get(address).status_code == 404


def test_what_was_settled_is_told_to_leads(study: Study, lee: Caller, ada: Caller) -> None:
    case = make_case(study.project)
    address = f"/projects/pilot/images/{case.image.public_id}"
    settle(case, note="Seen twice.")
    assert lee.get(address).json()["adjudicated"]["causes"] is None
    settle(case, note="Seen twice.", replaces=1, causes={})
    found = lee.get(address).json()["adjudicated"]
    assert (found["version"], found["payload"], found["note"]) == (2, SETTLED, "Seen twice.")
    assert found["causes"] == [
        {"component": "missing.limbs", "causes": ["missed"], "proposed": ["missed"], "note": ""}
    ]
    assert found["ratings"][0] == {
        "variable": "cumulative_score",
        "component": "",
        "value": "7/24",
        "number": pytest.approx(7 / 24),
    }
    assert (found["settled_from"], found["outdated"]) == ([case.a.pk, case.b.pk], False)
    assert (found["decided_by"], ada.get(address).status_code) == ("lead", 404)
    submit_again(case.b, SETTLED)
    assert lee.get(address).json()["adjudicated"]["outdated"]
    withdraw(case, replaces=2)
    assert lee.get(address).json()["adjudicated"] is None


@pytest.mark.parametrize(("accept", "kind"), [("*/*", "JPEG"), ("image/webp", "WEBP")])
def test_the_picture_is_the_copy_for_display(study: Study, ada: Caller, accept: str, kind: str) -> None:
    image = study.queue[0].image
    answer = ada.get(f"/images/{image.public_id}/picture", accept=accept)
    body = b"".join(answer.streaming_content)
    # The display copy of this fixture is a PNG: it is sent as it lies there, or turned into a JPEG.
    assert Picture.open(BytesIO(body)).format == {"JPEG": "JPEG", "WEBP": "PNG"}[kind]
    assert answer["Content-Type"] == f"image/{kind.lower()}"
    assert image.sha256 not in str(answer.headers)


def test_batches(study: Study, lee: Caller) -> None:
    [row] = items(lee.get("/projects/pilot/batches"))
    assert row == lee.get(f"/batches/{row['id']}").json()
    assert {name: row[name] for name in ("name", "status", "images", "people", "owed", "done")} == {
        "name": "first",
        "status": "open",
        "images": 3,
        "people": 2,
        "owed": 6,
        "done": 2,
    }


def test_assignments_and_their_filters(study: Study, lee: Caller) -> None:
    assert len(items(lee.get("/projects/pilot/assignments"))) == 6
    of_bob = study.people["bob"].pk
    done = items(lee.get(f"/projects/pilot/assignments?annotator={of_bob}&status=done"))
    assert [(row["id"], row["annotator"], row["annotation"]) for row in done] == [
        (study.of_bob[0].pk, "bob", study.answers[1].pk)
    ]


def test_the_queue_is_in_the_persons_order(study: Study, ada: Caller) -> None:
    rows = items(ada.get("/projects/pilot/queue"))
    assert [(row["id"], row["status"], row["version"], row["answer"]) for row in rows] == [
        (study.queue[0].pk, "done", 1, "submitted"),
        (study.queue[1].pk, "open", 0, None),
        (study.queue[2].pk, "open", 0, None),
    ]
    assert [row["id"] for row in items(ada.get("/projects/pilot/queue?status=open"))] == [
        study.queue[1].pk,
        study.queue[2].pk,
    ]


def test_an_assignment_has_the_answer_in_it(study: Study, ada: Caller) -> None:
    draft = save(study.queue[1])
    facts = ada.get(f"/assignments/{study.queue[1].pk}").json()
    assert (facts["payload"], facts["version"], facts["answer"]) == (draft.payload, 1, "draft")
    assert facts["annotation"] == draft.pk
    assert facts["barred"] is None
    untouched = ada.get(f"/assignments/{study.queue[2].pk}").json()
    assert (untouched["version"], untouched["annotation"], untouched["payload"]["marks"]) == (0, None, [])


def test_a_leads_request_is_told(study: Study, ada: Caller) -> None:
    lee = study.people["lee"].user
    assert lee is not None
    reopen_for_annotator(annotation=study.answers[0], actor=lee, reason="The hand.", request_key=uuid4())
    assert ada.get(f"/assignments/{study.queue[0].pk}").json()["request"] == "The hand."


def test_annotations_are_all_for_leads_and_ones_own_for_others(
    study: Study, lee: Caller, ada: Caller
) -> None:
    path = "/projects/pilot/annotations"
    assert [row["annotator"] for row in items(lee.get(path))] == ["ada", "bob"]
    assert [row["annotator"] for row in items(ada.get(path))] == ["ada"]
    assert items(study.caller("rex").get(path)) == []
    bob = study.people["bob"].pk
    assert [row["id"] for row in items(lee.get(f"{path}?annotator={bob}"))] == [study.answers[1].pk]
    assert items(ada.get(f"{path}?annotator={bob}")) == []
    image = study.queue[0].image.public_id
    assert len(items(lee.get(f"{path}?image={image}&status=submitted&flagged=false"))) == 2


def test_ratings_are_for_leads(study: Study, lee: Caller, ada: Caller) -> None:
    path = f"/annotations/{study.answers[0].pk}"
    told = lee.get(path).json()
    assert told["ratings"][0] == {
        "variable": "cumulative_score",
        "component": "",
        "value": "1/4",
        "number": 0.25,
    }
    assert ada.get(path).json() == {**told, "ratings": None}
    assert ada.get(f"/annotations/{study.answers[1].pk}").status_code == 404


@pytest.mark.thorough
def test_reports(study: Study, lee: Caller) -> None:
    rex = study.caller("rex")
    path = "/projects/pilot/reports/agreement"
    assert rex.get(path).status_code == 404
    assert rex.get(path).json()["error"]["message"] == "No report has been computed yet."
    report = request_report(project=study.project, kind="agreement")
    assert rex.get(f"{path}/status").json()["latest"]["status"] == "queued"
    assert run_report(report.pk)
    whole = lee.get(path).json()
    report.refresh_from_db()
    assert whole["result"] == report.result
    assert (whole["id"], whole["annotations"]) == (report.pk, 2)
    facts = {name: value for name, value in whole.items() if name != "result"}
    standing = lee.get(f"{path}/status").json()
    assert (standing["newest"], standing["stale"]) == (facts, False)
    submit(study.queue[1])
    assert lee.get(f"{path}/status").json()["stale"] is True
    assert lee.get("/projects/pilot/reports/nothing").status_code == 404


class TestPages:
    """Lists come in pages that join without a gap."""

    @pytest.mark.parametrize("path", ["images", "people", "assignments", "annotations", "batches", "queue"])
    @pytest.mark.few(2)
    def test_pages_join(self, study: Study, path: str) -> None:
        make_batch(study.project, name="second")
        make_assignment(study.people["lee"], image=study.queue[0].image)
        make_assignment(study.people["lee"], image=study.queue[1].image)
        lee = study.caller("lee")
        whole = items(lee.get(f"/projects/pilot/{path}?limit=500"))
        found, after = [], ""
        while True:
            page = lee.get(f"/projects/pilot/{path}?limit=1{after}").json()
            assert len(page["items"]) == 1
            found += page["items"]
            if page["next"] is None:
                break
            after = f"&after={page['next']}"
        assert found == whole
        assert len(whole) >= 2

    @pytest.mark.parametrize(
        "query", ["limit=0", "limit=501", "limit=x", "after=x", "after=1-2", f"after={9:9>41}"]
    )
    @pytest.mark.few(2)
    def test_what_is_no_page(self, lee: Caller, query: str) -> None:
        answer = lee.get(f"/projects/pilot/images?{query}")
        assert answer.status_code == 422
        assert list(answer.json()["error"]["fields"]) == [query.partition("=")[0]]

    def test_a_cursor_beyond_the_end(self, lee: Caller) -> None:
        assert lee.get(f"/projects/pilot/images?after={2**63 - 1}").json() == {"items": [], "next": None}
        assert lee.get(f"/projects/pilot/images?after={2**63}").status_code == 422


class TestQueries:
    """The number of queries does not grow with what a list holds."""

    PATHS = (
        "projects",
        *(
            f"projects/pilot/{name}"
            for name in (
                "images",
                "people",
                "batches",
                "assignments",
                "queue",
                "annotations",
                "exports",
            )
        ),
    )

    @pytest.mark.thorough
    def test_of_one_and_of_three(self, study: Study, sent: list[int]) -> None:
        lee = study.caller("lee")
        for place in range(3):
            make_member(make_project(), LEAD, user=study.people["lee"].user, code=f"lee-{place}")
            make_batch(study.project)
            work = make_assignment(study.people["lee"], image=study.queue[place].image)
            submit(work)
            run_report(request_report(project=study.project, kind="agreement").pk)
            assert lee.post("/projects/pilot/exports", {"layout": "marks"}).status_code == 202
        counts = {path: [queries(lee, f"/{path}?limit={limit}") for limit in (1, 3)] for path in self.PATHS}
        assert {path: pair for path, pair in counts.items() if pair[0] != pair[1]} == {}
        assert max(pair[0] for pair in counts.values()) <= 4, counts


def queries(caller: Caller, path: str) -> int:
    with CaptureQueriesContext(connection) as caught:
        answer = caller.get(path)
    assert answer.status_code == 200
    assert len(answer.json()["items"]) == int(path[-1]), path
    return len(caught)


class TestBlinding:
    """An annotator's program is told nothing that could sway a judgement."""

    PATHS = ("/projects", "/projects/pilot", "/projects/pilot/queue", "/projects/pilot/annotations")

    def told(self, study: Study, ada: Caller) -> dict[str, bytes]:
        own = [f"/assignments/{one.pk}" for one in study.queue] + [f"/annotations/{study.answers[0].pk}"]
        return {path: ada.get(path).content for path in (*self.PATHS, *own)}

    def test_generator_prompt_and_file_are_hidden(self, study: Study, ada: Caller) -> None:
        Image.objects.update(source_name="secret-file.png")
        for path, body in self.told(study, ada).items():
            assert b"secret" not in body, path
            assert study.queue[0].image.sha256.encode() not in body, path

    def test_the_batch_may_show_them(self, study: Study, ada: Caller) -> None:
        Batch.objects.update(show_prompt=True)
        [first, *_] = items(ada.get("/projects/pilot/queue"))
        assert (first["prompt"], first["generator"]) == ("secret-prompt", None)
        Batch.objects.update(show_generator=True)
        assert ada.get(f"/assignments/{study.queue[0].pk}").json()["generator"] == "secret-generator"

    def test_other_peoples_answers_change_no_byte(self, study: Study, ada: Caller) -> None:
        before = self.told(study, ada)
        submit(study.of_bob[1])
        save(study.of_bob[2])
        assert self.told(study, ada) == before

    def test_a_batch_in_preparation_is_not_there(self, study: Study, ada: Caller) -> None:
        Batch.objects.update(status="preparing")
        assert items(ada.get("/projects/pilot/queue")) == []
        assert items(ada.get("/projects/pilot/annotations")) == []
        refused = [f"/assignments/{study.queue[0].pk}", f"/annotations/{study.answers[0].pk}"]
        assert [ada.get(path).status_code for path in refused] == [404, 404]


def test_somebody_who_left_reads_nothing(study: Study, ada: Caller) -> None:
    Membership.objects.filter(pk=study.people["ada"].pk).update(is_active=False)
    assert items(ada.get("/projects")) == []
    assert ada.get(f"/annotations/{study.answers[0].pk}").status_code == 404


def test_a_withdrawn_assignment_can_still_be_read(study: Study, ada: Caller) -> None:
    save(study.queue[1])
    Assignment.objects.filter(pk=study.queue[1].pk).update(status="withdrawn", position=None)
    assert ada.get(f"/assignments/{study.queue[1].pk}").json()["barred"] == "withdrawn"


def test_somebody_without_a_project(db: None) -> None:
    nobody: Any = make_user("nobody")
    assert calling(nobody).get("/projects").json() == {"items": [], "next": None}
