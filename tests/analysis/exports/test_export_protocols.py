"""Which protocol an export is about: chosen on the page, named to the command, kept in what is stored."""

from __future__ import annotations

from io import StringIO
from pathlib import Path

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from django.test import Client

from analysis.exports.requests import ExportRequest, request_export
from annotator.models import Annotation, Event, Job, Project, User
from annotator.work.jobs import run_job
from scoring import service
from scoring.anatomy.protocol import ANATOMY
from scoring.presence.protocol import PRESENCE
from scoring.service import registry
from tests.analysis.mixed import make_mixed
from tests.factories import make_batch, make_project
from tests.protocols.stars.rules import STARS

pytestmark = pytest.mark.django_db
PAGE = "/projects/mixed/exports/"


@pytest.fixture(autouse=True)
def three(monkeypatch: pytest.MonkeyPatch) -> None:
    """The program knows three protocols."""
    monkeypatch.setattr(service, "PROTOCOLS", registry(ANATOMY, PRESENCE, STARS))


@pytest.fixture
def mixed(client: Client) -> Project:
    """A project with three protocols, whose lead is signed in."""
    project = make_mixed()
    client.force_login(lead_of(project))
    return project


def lead_of(project: Project) -> User:
    user = project.memberships.get(role="lead").user
    assert user is not None
    return user


def command(path: Path, layout: str = "scores", project: str = "mixed", **options: str) -> str:
    said = StringIO()
    out = str(path / "out.csv")
    call_command("export", project=project, layout=layout, output=out, stdout=said, **options)
    return said.getvalue().replace(out, "out.csv")


def test_the_command_asks_which(mixed: Project, tmp_path: Path) -> None:
    with pytest.raises(
        CommandError, match=r"^mixed has several .* --protocol anatomy or presence or stars\.$"
    ):
        command(tmp_path)
    assert not list(tmp_path.iterdir())
    assert command(tmp_path, "ratings", protocol="stars") == (
        "8 rows written to out.csv\nLeft out: 16 made under another protocol.\n"
    )
    event = Event.objects.get(verb="exported")
    assert (event.data["protocol"], event.data["rows"]) == ("stars", 8)


def test_the_command_names_what_it_does_not_know(mixed: Project, tmp_path: Path) -> None:
    with pytest.raises(
        CommandError, match=r"^There is no protocol 'moons'; known: anatomy, presence, stars\.$"
    ):
        command(tmp_path, protocol="moons")
    with pytest.raises(
        CommandError, match=r"^The protocol stars has no layout 'sheet'\. Known: scores, ratings"
    ):
        command(tmp_path, "sheet", protocol="stars")
    make_batch(make_project("alone"))
    with pytest.raises(
        CommandError, match=r"^alone has no batch of the protocol 'stars'\. Known: anatomy\.$"
    ):
        command(tmp_path, project="alone", protocol="stars")
    assert not list(tmp_path.iterdir())


def test_the_page_lets_choose(mixed: Project, client: Client) -> None:
    text = client.get(PAGE).content.decode()
    assert [slug for slug in ("anatomy", "presence", "stars") if f'href="?protocol={slug}"' in text] == [
        *("anatomy", "presence", "stars")
    ]
    assert 'name="protocol" value="anatomy"' in text
    text = client.get(f"{PAGE}?protocol=stars").content.decode()
    assert 'name="protocol" value="stars"' in text
    assert "Left out: 16 made under another protocol." in text
    assert "/exports/scores.csv?protocol=stars</code>" in text
    assert ("One row per rating" in text, "One row per mark" in text) == (True, False)
    assert ("by stars" in text, "by anatomy" in text) == (True, False)


def test_a_file_of_the_page_is_of_the_chosen_protocol(mixed: Project, client: Client) -> None:
    sent = client.post(PAGE, {"layout": "ratings", "format": "csv", "protocol": "stars"})
    assert 'filename="mixed-stars-ratings-' in sent.headers["Content-Disposition"]
    lines = b"".join(sent.streaming_content).decode().splitlines()  # type: ignore[attr-defined]
    assert len(lines) == 9
    assert all(",by stars," in line for line in lines[1:])


def test_a_file_of_a_worker_keeps_its_protocol(mixed: Project, client: Client) -> None:
    request = ExportRequest("scores", "xlsx", protocol="presence")
    job = request_export(project=mixed, request=request, actor=lead_of(mixed))
    assert run_job(job.pk)
    job.refresh_from_db()
    assert job.result is not None
    assert job.result["words"] == (
        "8 rows. The file is kept for 7 days. Left out: 16 made under another protocol."
    )
    assert "protocol presence" in client.get(f"{PAGE}?protocol=stars").content.decode()
    sent = client.get(f"{PAGE}{job.pk}/file/")
    assert 'filename="mixed-presence-scores-' in sent.headers["Content-Disposition"]


def test_an_old_row_with_a_protocol_that_nobody_knows_is_named(
    mixed: Project, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    job = request_export(project=mixed, request=ExportRequest("scores", protocol="stars"), actor=None)
    monkeypatch.setattr(service, "PROTOCOLS", registry(ANATOMY, PRESENCE))
    run_job(job.pk)
    job.refresh_from_db()
    assert (job.status, job.error) == (
        Job.Status.FAILED,
        "There is no protocol 'stars'; known: anatomy, presence.",
    )
    page = client.get(PAGE).content.decode()
    assert "scores (stars), CSV" in page
    assert "This version does not know the protocol stars, so its annotations cannot be exported." in page
    Annotation.objects.exclude(assignment__batch__protocol="stars").update(status="reopened")
    assert client.get(PAGE).status_code == 200
