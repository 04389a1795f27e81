"""The API of a project with several protocols: every list says what it is about, and nothing mixes."""

from __future__ import annotations

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from analysis.exports.export_jobs import request_export
from analysis.exports.requests import ExportRequest
from analysis.reports.lifecycle import request_report, run_report
from annotator.models import Event, Job, Project
from scoring import service
from scoring.anatomy.protocol import ANATOMY
from scoring.presence.protocol import PRESENCE
from scoring.service import registry
from tests.analysis.api.callers import Caller, calling, items
from tests.analysis.api.conftest import Study
from tests.analysis.mixed import SLUGS, make_mixed
from tests.factories import make_batch, make_member
from tests.stars import STARS

pytestmark = pytest.mark.django_db
ROOT = "/projects/mixed"


@pytest.fixture(autouse=True)
def three(monkeypatch: pytest.MonkeyPatch) -> None:
    """The program knows three protocols."""
    monkeypatch.setattr(service, "PROTOCOLS", registry(ANATOMY, PRESENCE, STARS))


@pytest.fixture
def mixed() -> Project:
    """A project with three protocols and reports of each."""
    project = make_mixed()
    for slug in SLUGS:
        run_report(request_report(project=project, kind="annotators", protocol=slug, send=False).pk)
        request_export(project=project, request=ExportRequest("scores", protocol=slug), actor=None)
    return project


@pytest.fixture
def lead(mixed: Project) -> Caller:
    """The lead's program."""
    return calling(mixed.memberships.get(role="lead"))


@pytest.mark.few(2)
@pytest.mark.parametrize(
    ("path", "count"),
    [
        ("annotations", 8),
        ("assignments", 8),
        ("batches", 1),
        ("exports", 1),
    ],
)
def test_lists_name_protocols_and_are_narrowed_by_them(lead: Caller, path: str, count: int) -> None:
    everything = items(lead.get(f"{ROOT}/{path}"))
    assert {row["protocol"] for row in everything} == set(SLUGS)
    for slug in SLUGS:
        found = items(lead.get(f"{ROOT}/{path}?protocol={slug}"))
        assert found == [row for row in everything if row["protocol"] == slug]
        # One more was begun under presence.
        assert len(found) == count + (count == 8 and slug == "presence")
    refused = lead.get(f"{ROOT}/{path}?protocol=moons")
    assert refused.status_code == 422
    assert refused.json()["error"]["fields"]["protocol"] == [
        "There is no protocol 'moons'; known: anatomy, presence, stars."
    ]


def test_the_queue_says_under_which_protocol_an_image_is_judged(mixed: Project) -> None:
    program = calling(mixed.memberships.get(code="anno1"))
    assert [row["protocol"] for row in items(program.get(f"{ROOT}/queue?protocol=stars"))] == ["stars"] * 4
    (task,) = items(program.get(f"{ROOT}/queue?status=open"))
    found = program.get(f"/assignments/{task['id']}").json()
    assert (found["protocol"], found["payload"]["cells"]) == ("presence", ["extra.feet"])


def test_a_project_of_anatomy_alone_says_nothing(study: Study, lee: Caller) -> None:
    for path in ("annotations", "assignments", "exports"):
        assert "protocol" not in str(items(lee.get(f"/projects/pilot/{path}")))
    assert "protocol" not in lee.get("/projects/pilot/reports/agreement/status").json()
    make_batch(study.project, protocol="presence")
    assert items(lee.get("/projects/pilot/annotations"))[0]["protocol"] == "anatomy"


@pytest.mark.few(2)
@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "reports/annotators"),
        ("GET", "reports/annotators/status"),
        ("POST", "reports/annotators/refresh"),
        ("POST", "reports/annotators/cancel"),
        ("GET", "exports/scores.csv"),
    ],
)
def test_what_is_about_one_protocol_asks_which(lead: Caller, method: str, path: str) -> None:
    refused = lead.ask(method, f"{ROOT}/{path}")
    assert refused.status_code == 422
    assert refused.json()["error"]["fields"]["protocol"] == [
        "mixed has several protocols. Use protocol = anatomy or presence or stars."
    ]
    answer = lead.ask(method, f"{ROOT}/{path}?protocol=stars")
    assert answer.status_code in (200, 202)


@pytest.mark.thorough
def test_a_report_is_that_of_its_protocol(lead: Caller) -> None:
    for slug in SLUGS[1:]:
        found = lead.get(f"{ROOT}/reports/annotators?protocol={slug}").json()
        assert (found["protocol"], found["result"]["protocol"]["slug"]) == (slug, slug)
        same = lead.get(f"{ROOT}/reports/annotators/{found['id']}").json()
        assert same == found
        assert lead.get(f"{ROOT}/reports/annotators/status?protocol={slug}").json()["protocol"] == slug


def test_what_was_settled_is_named_by_its_protocol(mixed: Project, lead: Caller) -> None:
    image = mixed.images.earliest("pk").public_id
    found = lead.get(f"{ROOT}/images/{image}?protocol=presence").json()["adjudicated"]
    assert (found["protocol"], found["payload"]["cells"]) == ("presence", ["extra.feet"])
    assert lead.get(f"{ROOT}/images/{image}?protocol=anatomy").json()["adjudicated"]["protocol"] == "anatomy"
    # Without it that of the latest batch, under which this image is not settled.
    assert lead.get(f"{ROOT}/images/{image}").json()["adjudicated"] is None
    assert lead.get(f"{ROOT}/images/{image}?protocol=moons").status_code == 422


def test_an_export_says_what_it_is_about(mixed: Project, lead: Caller) -> None:
    sent = lead.get(f"{ROOT}/exports/ratings.csv?protocol=stars")
    assert len(b"".join(sent.streaming_content).splitlines()) == 9
    told = {name: sent.headers.get(f"Anatomark-{name}") for name in ("Protocol", "Shown-From", "Left-Out")}
    assert told == {"Protocol": "stars", "Shown-From": None, "Left-Out": "other_protocol=16"}
    assert lead.get(f"{ROOT}/exports/sheet.csv?protocol=stars").json()["error"]["message"] == (
        "Unknown layout. Layouts of the protocol stars: scores, ratings, images, drawn, repeats, "
        "agreement, comparison, ranking."
    )


def test_counted_answers_shown_as_presence_are_said_to_be_so(project: Project) -> None:
    program = calling(make_member(project, "lead"))
    sent = program.get("/projects/study/exports/scores.csv?protocol=presence")
    assert b"cells_marked" in b"".join(sent.streaming_content)
    assert (sent.headers["Anatomark-Protocol"], sent.headers["Anatomark-Shown-From"]) == (
        "presence",
        "anatomy",
    )


def test_a_file_is_ordered_of_one_protocol(mixed: Project, lead: Caller) -> None:
    order = {"layout": "scores", "format": "parquet"}
    assert lead.post(f"{ROOT}/exports", order).json()["error"]["fields"].keys() == {"protocol"}
    refused = lead.post(f"{ROOT}/exports", {**order, "layout": "marks", "protocol": "stars"})
    assert refused.status_code == 404
    before = Job.objects.count()
    made = lead.post(f"{ROOT}/exports", {**order, "protocol": "stars"})
    assert (made.status_code, made.json()["protocol"]) == (202, "stars")
    assert Job.objects.count() == before + 1
    assert Event.objects.filter(verb="exported").latest("pk").data["protocol"] == "stars"


@pytest.mark.parametrize("path", ["annotations", "assignments", "exports"])
def test_a_list_costs_the_same_for_one_row_and_three(lead: Caller, path: str) -> None:
    # The first request of a program also notes that its token was used.
    items(lead.get(f"{ROOT}/{path}"))
    counts = []
    for limit in (1, 3):
        with CaptureQueriesContext(connection) as asked:
            items(lead.get(f"{ROOT}/{path}?limit={limit}"))
        counts.append(len(asked))
    assert counts[0] == counts[1]
