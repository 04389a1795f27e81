"""What the API tells: as the pages, of one protocol at a time, in bounded pages and few queries."""

from __future__ import annotations

from base64 import b64encode
from io import BytesIO
from typing import Any
from urllib.parse import urlsplit

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from PIL import Image as Picture

from analysis.reports.lifecycle import request_report, run_report
from annotator.models import Project
from tests.analysis.api.callers import ROOT, Caller, calling, items
from tests.analysis.api.conftest import Study
from tests.analysis.mixed import SLUGS, make_mixed
from tests.annotator.acting import delete_with_all, save, submit
from tests.factories import LEAD, make_assignment, make_image, make_member, make_project, make_user

pytestmark = pytest.mark.django_db


def test_projects_are_those_of_the_person(study: Study, ada: Caller) -> None:
    make_member(make_project("other"), user=make_user("x"))
    row = {"slug": "pilot", "name": "Pilot", "role": "annotator", "code": "ada", "owed": 3, "waiting": 2}
    assert items(ada.get("/projects")) == [row]
    assert ada.get("/projects/pilot").json() == {**row, "weights": None, "counts": None, "tags": {}}


def test_images_and_their_filters(study: Study, lee: Caller) -> None:
    make_image(study.project, generator="other")
    first = study.queue[0].image
    rows = {
        query: [row["id"] for row in items(lee.get(f"/projects/pilot/images?{query}"))]
        for query in (
            "",
            f"sha256={first.sha256}",
            "generator=secret-generator&prompt=secret-prompt",
            "generator=secret-generator&prompt=none",
        )
    }
    assert [len(found) for found in rows.values()] == [4, 1, 3, 0]
    assert rows[f"sha256={first.sha256}"] == [str(first.public_id)]


@pytest.mark.parametrize(("accept", "kind"), [("*/*", "JPEG"), ("image/webp", "WEBP")])
def test_the_picture_is_the_copy_for_display(study: Study, ada: Caller, accept: str, kind: str) -> None:
    image = study.queue[0].image
    answer = ada.get(f"/images/{image.public_id}/picture", accept=accept)
    body = b"".join(answer.streaming_content)
    # The display copy of this fixture is a PNG: it is sent as it lies there, or turned into a JPEG.
    assert Picture.open(BytesIO(body)).format == {"JPEG": "JPEG", "WEBP": "PNG"}[kind]
    assert answer["Content-Type"] == f"image/{kind.lower()}"
    assert image.sha256 not in str(answer.headers)


def test_annotations_are_all_for_leads_and_ones_own_for_others(
    study: Study, lee: Caller, ada: Caller
) -> None:
    path = "/projects/pilot/annotations"
    assert [row["annotator"] for row in items(lee.get(path))] == ["ada", "bob"]
    assert [row["annotator"] for row in items(ada.get(path))] == ["ada"]
    assert items(study.caller("rex").get(path)) == []
    assert [row["id"] for row in items(lee.get(f"{path}?annotator=bob"))] == [study.answers[1].pk]
    assert items(ada.get(f"{path}?annotator=bob")) == []
    image = study.queue[0].image.public_id
    assert len(items(lee.get(f"{path}?image={image}&status=submitted&flagged=false&batch=first"))) == 2
    assert items(lee.get(f"{path}?batch=second")) == []
    save(study.queue[1])
    assert [row["status"] for row in items(ada.get(path))] == ["submitted", "draft"]


def test_one_annotation_and_what_of_it_is_for_leads(study: Study, lee: Caller, ada: Caller) -> None:
    answer = study.answers[0]
    path = f"/annotations/{answer.pk}"
    facts = lee.get(path).json()
    [listed] = items(lee.get("/projects/pilot/annotations?annotator=ada"))
    assert {name: facts[name] for name in listed} == listed
    assert (listed["batch"], listed["protocol"], listed["version"]) == ("first", "anatomy", 1)
    assert (facts["payload"], facts["warnings"], facts["purpose"]) == (answer.payload, [], "work")
    assert facts["ratings"][0] == {
        "variable": "cumulative_score",
        "component": "",
        "value": "1/4",
        "number": 0.25,
    }
    assert ada.get(path).json() == {**facts, "image": None, "ratings": None, "purpose": ""}
    answer.refresh_from_db()
    assert answer.ratings is not None


def test_reports(study: Study, lee: Caller) -> None:
    rex = study.caller("rex")
    path = "/projects/pilot/reports/agreement"
    assert rex.get(path).status_code == 404
    report = request_report(project=study.project, kind="agreement")
    assert run_report(report.pk)
    whole = lee.get(path).json()
    report.refresh_from_db()
    assert whole["result"] == report.result
    assert (whole["id"], whole["annotations"], whole["protocol"]) == (report.pk, 2, "anatomy")
    assert rex.get(path).json() == whole


def pages(caller: Caller, path: str) -> list[list[Any]]:
    """Follow `next` from the first page to the last, then `previous` back; return the ids page by page."""
    ids, url = [], ROOT + path
    while url:
        page = caller.get(url.removeprefix(ROOT)).json()
        ids.append([row.get("id", row.get("slug")) for row in page["results"]])
        last, url = page, relative(page["next"])
    back = [ids[-1]]
    while url := relative(last["previous"]):
        last = caller.get(url.removeprefix(ROOT)).json()
        back.append([row.get("id", row.get("slug")) for row in last["results"]])
    assert back == ids[::-1]
    return ids


def relative(url: str | None) -> str:
    """Return an absolute URL of the site without scheme and host."""
    return f"{urlsplit(url).path}?{urlsplit(url).query}" if url else ""


class TestPages:
    """Lists come in pages that join without a gap."""

    @pytest.mark.parametrize("path", ["projects", "projects/pilot/images", "projects/pilot/annotations"])
    def test_pages_join(self, study: Study, path: str) -> None:
        for number in range(2):
            make_member(make_project(), LEAD, user=study.people["lee"].user, code=f"lee-{number}")
        submit(study.queue[1])
        lee = study.caller("lee")
        assert [len(page) for page in pages(lee, f"/{path}?page_size=1")] == [1, 1, 1]
        joined = [pk for page in pages(lee, f"/{path}?page_size=2") for pk in page]
        assert joined == [row.get("id", row.get("slug")) for row in items(lee.get(f"/{path}?page_size=500"))]

    def test_new_rows_shift_nothing(self, study: Study, lee: Caller) -> None:
        images = lee.get("/projects/pilot/images?page_size=2").json()
        make_image(study.project, generator="a")
        delete_with_all(study.project.images.get(public_id=images["results"][0]["id"]))
        rest = lee.get(relative(images["next"]).removeprefix(ROOT)).json()["results"]
        assert [row["generator"] for row in rest] == ["secret-generator", "a"]

    @pytest.mark.parametrize(
        "query",
        [
            *("page_size=0", "page_size=501", "page_size=x", "cursor=x", f"cursor={9:9>101}", "cursor=é"),
            *(f"cursor={b64encode(text).decode()}" for text in (b"p=x", b"p=-1", b"p=" + b"9" * 20, b"o=-1")),
        ],
    )
    def test_what_is_no_page(self, lee: Caller, query: str) -> None:
        answer = lee.get(f"/projects/pilot/images?{query}")
        assert answer.status_code == 422
        assert list(answer.json()["error"]["fields"]) == [query.partition("=")[0]]

    @pytest.mark.parametrize("key", [2**63 - 1, 10**19 - 1])
    def test_a_cursor_beyond_the_end(self, lee: Caller, key: int) -> None:
        cursor = b64encode(f"p={key}".encode()).decode()
        assert items(lee.get(f"/projects/pilot/images?cursor={cursor}")) == []


PATHS = ("projects", *(f"projects/pilot/{name}" for name in ("images", "annotations")))


def test_one_row_asks_as_often_as_three(study: Study) -> None:
    lee = study.caller("lee")
    for place in range(3):
        make_member(make_project(), LEAD, user=study.people["lee"].user, code=f"lee-{place}")
        submit(make_assignment(study.people["lee"], image=study.queue[place].image))
        run_report(request_report(project=study.project, kind="agreement").pk)
    # The first request of a program also notes that its token was used.
    lee.get("/projects")
    counts = {path: [queries(lee, f"/{path}?page_size={n}") for n in (1, 3)] for path in PATHS}
    assert {path: pair for path, pair in counts.items() if pair[0] != pair[1]} == {}
    assert max(pair[0] for pair in counts.values()) <= 5, counts


def queries(caller: Caller, path: str) -> int:
    with CaptureQueriesContext(connection) as caught:
        answer = caller.get(path)
    assert len(items(answer)) == int(path[-1]), path
    return len(caught)


def test_what_is_about_one_protocol_asks_which_and_says_so(three: None) -> None:
    project = make_mixed()
    for slug in SLUGS:
        run_report(request_report(project=project, kind="comparison", protocol=slug, send=False).pk)
    lead = calling(project.memberships.get(role="lead"))
    everything = items(lead.get("/projects/mixed/annotations"))
    # One more was begun under presence.
    for slug, count in {"anatomy": 8, "presence": 9, "stars": 8}.items():
        rows = items(lead.get(f"/projects/mixed/annotations?protocol={slug}"))
        assert rows == [row for row in everything if row["protocol"] == slug]
        assert len(rows) == count
    for path in ("annotations?protocol=moons", "reports/comparison", "exports/scores.csv"):
        refused = lead.get(f"/projects/mixed/{path}")
        assert (refused.status_code, list(refused.json()["error"]["fields"])) == (422, ["protocol"])
    assert lead.get("/projects/mixed/reports/comparison?protocol=stars").status_code == 200
    assert lead.get("/projects/mixed/exports/sheet.csv?protocol=stars").status_code == 404
    sent = lead.get("/projects/mixed/exports/ratings.csv?protocol=stars")
    assert len(b"".join(sent.streaming_content).splitlines()) == 9
    assert said_of(sent) == {"Protocol": "stars", "Shown-From": None, "Left-Out": "other_protocol=16"}


def said_of(sent: Any) -> dict[str, str | None]:
    return {name: sent.headers.get(f"Anatomark-{name}") for name in ("Protocol", "Shown-From", "Left-Out")}


def test_counted_annotations_shown_as_presence_are_said_to_be_so(project: Project) -> None:
    program = calling(make_member(project, "lead"))
    sent = program.get("/projects/study/exports/scores.csv?protocol=presence")
    assert b"cells_marked" in b"".join(sent.streaming_content)
    assert said_of(sent) == {"Protocol": "presence", "Shown-From": "anatomy", "Left-Out": None}
