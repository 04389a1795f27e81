"""The API of a project with several protocols: every list says what it is about, and nothing mixes."""

from __future__ import annotations

import pytest

from analysis.reports.lifecycle import request_report, run_report
from annotator.models import Project
from scoring import service
from scoring.anatomy.protocol import ANATOMY
from scoring.presence.protocol import PRESENCE
from scoring.service import registry
from tests.analysis.api.callers import Caller, calling, items
from tests.analysis.mixed import SLUGS, make_mixed
from tests.factories import make_member
from tests.protocols.stars.rules import STARS

pytestmark = pytest.mark.django_db
ROOT = "/projects/mixed"


@pytest.fixture(autouse=True)
def three(monkeypatch: pytest.MonkeyPatch) -> None:
    """The program knows three protocols."""
    monkeypatch.setattr(service, "PROTOCOLS", registry(ANATOMY, PRESENCE, STARS))


@pytest.fixture
def mixed() -> Project:
    """A project with three protocols and a report of each."""
    project = make_mixed()
    for slug in SLUGS:
        run_report(request_report(project=project, kind="comparison", protocol=slug, send=False).pk)
    return project


@pytest.fixture
def lead(mixed: Project) -> Caller:
    """The lead's program."""
    return calling(mixed.memberships.get(role="lead"))


@pytest.mark.parametrize(("path", "counts"), [("annotations", (8, 9, 8))])
def test_lists_name_protocols_and_are_narrowed_by_them(
    lead: Caller, path: str, counts: tuple[int, ...]
) -> None:
    everything = items(lead.get(f"{ROOT}/{path}"))
    # One more was begun under presence.
    for slug, count in zip(("anatomy", "presence", "stars"), counts, strict=True):
        rows = items(lead.get(f"{ROOT}/{path}?protocol={slug}"))
        assert rows == [row for row in everything if row["protocol"] == slug]
        assert len(rows) == count
    refused = lead.get(f"{ROOT}/{path}?protocol=moons")
    assert refused.status_code == 422
    assert refused.json()["error"]["fields"]["protocol"] == [
        "There is no protocol 'moons'; known: anatomy, presence, stars."
    ]


@pytest.mark.parametrize("path", ["reports/comparison", "exports/scores.csv"])
def test_what_is_about_one_protocol_asks_which(lead: Caller, path: str) -> None:
    refused = lead.get(f"{ROOT}/{path}")
    assert refused.status_code == 422
    assert refused.json()["error"]["fields"]["protocol"] == [
        "mixed has several protocols. Use protocol = anatomy or presence or stars."
    ]
    assert lead.get(f"{ROOT}/{path}?protocol=stars").status_code == 200


def test_a_report_is_that_of_its_protocol(lead: Caller) -> None:
    for slug in SLUGS[1:]:
        report = lead.get(f"{ROOT}/reports/comparison?protocol={slug}").json()
        assert (report["protocol"], report["result"]["protocol"]["slug"]) == (slug, slug)


def test_an_export_says_what_it_is_about(mixed: Project, lead: Caller) -> None:
    sent = lead.get(f"{ROOT}/exports/ratings.csv?protocol=stars")
    assert len(b"".join(sent.streaming_content).splitlines()) == 9
    told = {name: sent.headers.get(f"Anatomark-{name}") for name in ("Protocol", "Shown-From", "Left-Out")}
    assert told == {"Protocol": "stars", "Shown-From": None, "Left-Out": "other_protocol=16"}
    unknown = lead.get(f"{ROOT}/exports/sheet.csv?protocol=stars").json()["error"]["message"]
    assert unknown.startswith("Unknown layout. Layouts of the protocol stars: scores, ratings, images")


def test_counted_annotations_shown_as_presence_are_said_to_be_so(project: Project) -> None:
    program = calling(make_member(project, "lead"))
    sent = program.get("/projects/study/exports/scores.csv?protocol=presence")
    assert b"cells_marked" in b"".join(sent.streaming_content)
    assert (sent.headers["Anatomark-Protocol"], sent.headers["Anatomark-Shown-From"]) == (
        "presence",
        "anatomy",
    )
