"""Files of every protocol, of its own answers or of another's: by page and command, and as stored."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from django.test import Client

from analysis.exports.files import Export
from analysis.exports.filters import Filters
from analysis.exports.registry import layouts_of
from analysis.exports.requests import ExportRequest, annotations_read
from annotator.models import Adjudication, Annotation, Event, Project
from scoring import service
from scoring.anatomy.protocol import ANATOMY
from scoring.presence.protocol import PRESENCE
from scoring.service import registry
from tests.analysis.factories import make_unread
from tests.analysis.mixed import SLUGS, answered, make_mixed
from tests.analysis.reading import rows_in
from tests.factories import make_batch, make_image, make_project, user_of
from tests.protocols.stars.rules import STARS

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("three")]


def export(project: Project, protocol: str, layout: str, form: str = "csv", **more: Any) -> Export:
    request = ExportRequest(layout, form, Filters(**more.pop("filters", {})), protocol=protocol, **more)
    assert ExportRequest.from_json(json.loads(json.dumps(request.as_json()))) == request
    return request.export(project)


def rows(project: Project, protocol: str, layout: str, **more: Any) -> list[dict[str, str]]:
    return rows_in(export(project, protocol, layout, **more))


def told(made: Export) -> list[str]:
    for _ in made:
        pass
    return made.told()


def pairs(found: Iterable[dict[str, str]], *names: str) -> list[tuple[str, ...]]:
    return [tuple(row[name] for name in names) for row in found]


def test_a_row_per_annotation_has_every_measure_by_component() -> None:
    first, second, *_ = rows(make_mixed(), "presence", "scores")
    measures = ("cells_marked", "presence.missing.torso")
    assert tuple(first)[:6] == ("Image Id", "Model", "Prompt", "Pic Num.", *measures)
    assert len(first) == 4 + 26 + 2 + 4 + 2
    assert pairs([first], "Image Id", "cells_marked", "Annotator") == [("alpha_jogging_01", "0", "anno1")]
    marked = {name for name, value in second.items() if name.startswith("presence.") and value == "1"}
    assert (second["cells_marked"], marked) == ("1", {"presence.extra.hands"})
    assert pairs([second], "batch", "status", "submitted_at") == [
        ("by presence", "submitted", "2026-03-01T09:30:00Z")
    ]


def test_a_row_per_rating() -> None:
    found = rows(make_mixed(), "presence", "ratings")
    of_one = [row for row in found if (row["Pic Num."], row["Annotator"]) == ("2", "anno2")]
    assert pairs(of_one, "variable", "component", "value") == [
        ("cells_marked", "", "2"),
        ("presence", "missing.face", "1"),
        ("presence", "extra.hands", "1"),
    ]


def test_an_image_is_the_mean_or_what_was_adjudicated() -> None:
    project = make_mixed()
    found = rows(project, "stars", "images")
    assert pairs(found, "Pic Num.", "stars", "value", "annotations", "annotators") == [
        ("1", "1.5", "mean", "2", "anno1; anno2"),
        ("2", "5", "adjudicated", "2", "anno1; anno2"),
        ("3", "3.5", "mean", "2", "anno1; anno2"),
        ("4", "4.5", "mean", "2", "anno1; anno2"),
    ]
    anatomy, *_ = rows(project, "anatomy", "images")
    assert pairs([anatomy], "cumulative_score", "value") == [("0.25", "adjudicated")]
    adjudicated, *_ = rows(project, "presence", "images")
    assert pairs([adjudicated], "cells_marked", "presence.extra.feet", "value") == [("1", "1", "adjudicated")]
    Adjudication.objects.update(status="withdrawn")
    first, *_ = rows(project, "presence", "images")
    assert pairs([first], "cells_marked", "presence.extra.hands", "value") == [("0.5", "0.5", "mean")]


def test_the_latest_answer_of_each_person_counts_and_the_others_are_named() -> None:
    project = make_mixed()
    image, person = project.images.get(number=3), project.memberships.get(code="anno1")
    answered(STARS, person, image, make_batch(project, protocol="stars"), {"stars": 1})
    again = Annotation.objects.latest("pk")
    Annotation.objects.filter(pk=again.pk).update(submitted_at=again.saved_at.replace(year=2027))
    made = export(project, "stars", "images")
    assert told(made) == [
        "Left out: 16 made under another protocol; 1 superseded by another annotation by the same annotator."
    ]
    assert rows(project, "stars", "images")[2]["stars"] == "2.5"


@pytest.mark.parametrize("slug", SLUGS)
def test_a_file_holds_one_protocol(slug: str) -> None:
    project = make_mixed()
    for name, layout in layouts_of(slug).items():
        found = rows(project, slug, name)
        assert {row["batch"] for row in found if "batch" in row} <= {f"by {slug}"}
        assert found
        assert annotations_read(project, ExportRequest(name, protocol=slug)) == 8 * (1 + layout.reads_all)
        own = project.batches.get(protocol=slug)
        before = b"".join(export(project, slug, name))
        Annotation.objects.exclude(assignment__batch=own).update(status="reopened")
        assert b"".join(export(project, slug, name)) == before
        Annotation.objects.filter(submitted_at__isnull=False).update(status="submitted")


def test_what_is_left_out_is_named() -> None:
    project = make_mixed()
    own = Annotation.objects.filter(assignment__batch__protocol="presence", status="submitted")
    Annotation.objects.filter(pk=own.earliest("pk").pk).update(status="reopened")
    others = "16 made under another protocol"
    reopened = "1 reopened and not resubmitted"
    assert told(export(project, "presence", "scores")) == [f"Left out: {reopened}; {others}."]
    batch = project.batches.get(protocol="stars").pk
    assert told(export(project, "presence", "scores", filters={"batches": (batch,)})) == [
        "Left out: 8 made under another protocol."
    ]
    assert told(export(make_project(), "presence", "scores")) == []


def test_counted_answers_are_shown_as_presence(project: Project) -> None:
    made = export(project, "presence", "scores")
    assert [row["cells_marked"] for row in rows_in(made)] == list("1011111")
    assert made.told() == ["Annotations made under the protocol anatomy are shown as presence."]
    # Once the project has answers of its own under presence, those are exported.
    answered(
        PRESENCE,
        project.memberships.get(code="anno1"),
        project.images.earliest("pk"),
        make_batch(project, protocol="presence"),
        {"no_errors": True},
    )
    assert told(export(project, "presence", "scores")) == ["Left out: 7 made under another protocol."]
    assert len(rows(project, "presence", "scores")) == 1


def test_an_answer_of_which_nothing_was_read_has_no_numbers(project: Project) -> None:
    make_unread(project.memberships.get(code="anno2"), make_image(project), make_batch(project))
    *_, unread = rows(project, "presence", "scores")
    assert pairs([unread], "cells_marked", "presence.extra.hands", "status") == [("", "", "submitted")]
    *_, unread = rows(project, "presence", "images")
    assert pairs([unread], "cells_marked", "value", "annotations") == [("", "unread", "0")]
    assert "Left out: 1 imported but unreadable." in told(export(project, "presence", "ratings"))


PAGE = "/projects/mixed/exports/"


@pytest.fixture
def mixed(client: Client) -> Project:
    """A project with three protocols, whose lead is signed in."""
    project = make_mixed()
    client.force_login(user_of(project.memberships.get(role="lead")))
    return project


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


@pytest.mark.parametrize(
    ("project", "layout", "protocol", "words"),
    [
        ("mixed", "scores", "moons", "There is no protocol 'moons'; known: anatomy, presence, stars."),
        ("mixed", "sheet", "stars", "The protocol stars has no layout 'sheet'. Known: scores, ratings"),
        ("alone", "scores", "stars", "alone has no batch of the protocol 'stars'. Known: anatomy."),
    ],
)
def test_the_command_names_what_it_does_not_know(
    mixed: Project, tmp_path: Path, project: str, layout: str, protocol: str, words: str
) -> None:
    make_batch(make_project("alone"))
    with pytest.raises(CommandError, match=f"^{re.escape(words)}"):
        command(tmp_path, layout, project, protocol=protocol)
    assert not list(tmp_path.iterdir())


def test_a_protocol_that_nobody_knows_any_more_is_named(
    mixed: Project, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(service, "PROTOCOLS", registry(ANATOMY, PRESENCE))
    page = client.get(PAGE).content.decode()
    assert "This version does not know the protocol stars, so its annotations cannot be exported." in page


def test_a_file_of_the_page_is_of_the_chosen_protocol(mixed: Project, client: Client) -> None:
    sent = client.post(PAGE, {"layout": "ratings", "format": "csv", "protocol": "stars"})
    assert 'filename="mixed-stars-ratings-' in sent.headers["Content-Disposition"]
    lines = b"".join(sent.streaming_content).decode().splitlines()  # type: ignore[attr-defined]
    assert len(lines) == 9
    assert all(",by stars," in line for line in lines[1:])
