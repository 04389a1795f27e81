"""Norming sessions in a bundle: they come back with images, values, comments and rounds."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from analysis.bundles.restoring.archive import BundleRefused
from analysis.bundles.restoring.restoring import restore
from annotator.models import NormedImage, NormingComment, NormingSession, Project
from annotator.norming.closing import close_session
from annotator.norming.discussing import agree, comment
from tests.analysis.bundles.making import bundle_of, files_of, make_picture
from tests.analysis.bundles.test_bad_input import with_row
from tests.annotator.norming.making import Circle, make_circle
from tests.factories import make_payload, make_project

pytestmark = pytest.mark.django_db
SESSIONS, IMAGES = "restore/norming_sessions.jsonl", "restore/normed_images.jsonl"
COMMENTS = "restore/norming_comments.jsonl"
GAPS = {"missing.hands": {"says": "Count fingers.", "should_say": "Count hidden ones."}}


@pytest.fixture
def circle(db: None) -> Circle:
    """A closed session with a value and two comments, and its second round, in which people answer."""
    circle = make_circle(images=0)
    circle.images += [make_picture(circle.project) for _ in range(6)]
    first = circle.revealed()
    normed = first.images.select_related("session__batch").get(place=2)
    comment(normed=normed, author=circle.ada, text="A thumb.", component="missing.hands", request_key=uuid4())
    comment(normed=normed, author=circle.lead, text="Agreed.", request_key=uuid4())
    agree(normed=normed, actor=circle.actor, payload=make_payload([]), gaps=GAPS, replaces=0, causes={})
    close_session(session=first, references=[], actor=circle.actor)
    first.refresh_from_db()
    circle.start(picked="alike", follows=first)
    return circle


def back(path: Path, slug: str = "back") -> Project:
    project = make_project(slug)
    restore(path, project, actor=None, watch=lambda *_: None)
    return project


def facts(project: Project) -> list[list[Any]]:
    """Everything that a session holds but who made it, and the ids."""
    sessions = NormingSession.objects.filter(project=project).order_by("pk")
    named = ("batch__name", "state", "picked", "seed", "follows__batch__name")
    times = ("made_at", "revealed_at", "closed_at")
    images = NormedImage.objects.filter(session__in=sessions).order_by("pk")
    place = ("session__batch__name", "image__sha256", "place", "version")
    shown = (*place, "agreed", "gaps", "causes", "decided_at")
    comments = NormingComment.objects.filter(normed__in=images).order_by("pk")
    said = ("normed__image__sha256", "author__code", "component", "text", "created_at")
    return [
        list(sessions.values_list(*named, *times)),
        list(images.values_list(*shown)),
        list(comments.values_list(*said)),
    ]


@pytest.mark.slow  # two bundles
def test_sessions_come_back(circle: Circle, tmp_path: Path) -> None:
    bundle = bundle_of(circle.project, tmp_path / "one.zip", reports=False)
    project = back(tmp_path / "one.zip")
    found, wanted = facts(project), facts(circle.project)
    assert [len(rows) for rows in found] == [2, 6, 2]
    assert found == wanted
    # The same bundle again, byte by byte.
    Project.objects.filter(pk=project.pk).update(name=circle.project.name)
    project.refresh_from_db()
    assert bundle_of(project, tmp_path / "two.zip", reports=False) == bundle


def test_a_project_without_a_session_has_no_such_files(tmp_path: Path) -> None:
    project = make_project()
    make_picture(project)
    bundle_of(project, tmp_path / "one.zip", reports=False)
    files = dict(files_of(tmp_path / "one.zip"))
    assert not {SESSIONS, IMAGES, COMMENTS} & files.keys()
    assert b"norm" not in files["project.json"]


@pytest.mark.few(2)
@pytest.mark.slow  # a bundle for each
@pytest.mark.parametrize(
    ("name", "line", "changed", "said"),
    [
        (SESSIONS, 2, {"follows": 2}, "expected an earlier session"),
        (SESSIONS, 1, {"state": "answering"}, "the batch is closed"),
        (SESSIONS, 2, {"state": "talking"}, "“state” is talking"),
        (IMAGES, 2, {"agreed": {"marks": 1}}, "the agreed value is invalid"),
        (IMAGES, 2, {"gaps": {"missing.hands": "x"}}, "“gaps” is"),
        (IMAGES, 2, {"causes": {"missing.hands": {"causes": []}}}, "the causes of “missing.hands”"),
        (IMAGES, 2, {"image": 99}, "“image” is 99"),
        (COMMENTS, 1, {"text": ""}, "“text” is"),
    ],
)
def test_bad_rows_are_named(
    circle: Circle, tmp_path: Path, name: str, line: int, changed: dict[str, Any], said: str
) -> None:
    bundle_of(circle.project, tmp_path / "one.zip", reports=False)
    path = with_row(tmp_path / "one.zip", name, line, lambda row: row.update(changed))
    with pytest.raises(BundleRefused) as refused:
        back(path)
    assert str(refused.value).startswith(f"{name}, line {line}: ")
    assert said in str(refused.value)
    assert not NormingSession.objects.filter(project__slug="back").exists()
