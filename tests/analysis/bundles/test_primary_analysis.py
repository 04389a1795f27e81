"""The declared primary analysis in a bundle, and back with its time."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from analysis.bundles.restoring.archive import BundleRefused
from analysis.bundles.restoring.restoring import restore
from annotator.models import Event, Project
from annotator.projects.primary_analysis import DECLARED, declaration_of, declare
from tests.analysis.bundles.making import bundle_of, make_picture, with_changed
from tests.analysis.bundles.test_bad_input import file_in
from tests.factories import make_project

pytestmark = pytest.mark.django_db


@pytest.fixture
def declared(sent: list[int]) -> Project:
    project = make_project("declared")
    make_picture(project)
    declare(project=project, analysis="adjusted", reports=3, actor=None)
    return project


def test_it_comes_back_with_its_time(declared: Project, tmp_path: Path) -> None:
    path = tmp_path / "one.zip"
    bundle_of(declared, path)
    told = json.loads(file_in(path, "project.json"))["primary_analysis"]
    assert (told["analysis"], told["reports"]) == ("adjusted", 3)
    restored = make_project("back")
    restore(path, restored, actor=None, watch=lambda *_: None)
    restored.refresh_from_db()
    assert restored.primary_analysis == "adjusted"
    assert declaration_of(restored) == declaration_of(declared)
    assert Event.objects.filter(project=restored, verb=DECLARED).count() == 1


def test_an_unknown_analysis_is_refused(declared: Project, tmp_path: Path) -> None:
    path = tmp_path / "one.zip"
    bundle_of(declared, path)
    found = json.loads(file_in(path, "project.json"))
    found["primary_analysis"]["analysis"] = "best"
    changed = with_changed(path, tmp_path / "two.zip", {"project.json": json.dumps(found).encode()})
    with pytest.raises(BundleRefused, match="primary_analysis: “analysis” is best; expected adjusted"):
        restore(changed, make_project("back"), actor=None, watch=lambda *_: None)
