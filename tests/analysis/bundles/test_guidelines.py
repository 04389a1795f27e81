"""Guidelines in a bundle: every version as Markdown."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from annotator.guidelines.content import ours
from annotator.guidelines.drafts import guide_of
from annotator.models import Project
from tests.analysis.bundles.making import bundle_of, files_of, make_picture
from tests.annotator.adjudicating import Case, judged, make_case, settle
from tests.annotator.guidelines.making import RULED, drafted, example_of, publication
from tests.factories import make_batch, make_member, make_payload, make_project

pytestmark = pytest.mark.django_db


@pytest.fixture
def case() -> Case:
    """Two versions, an annotation under each, and one before both."""
    project = make_project(name="Pilot")
    case = make_case(project, make_picture(project))
    settle(case)
    for number, text in enumerate(("First.", "Second.")):
        drafted(
            case.lead, missing=text, decisions=(RULED,) * number, examples=(example_of(case, caption="So."),)
        )
        publication(case.lead, text, major=True)
        held = make_batch(Project.objects.get(pk=project.pk))
        judged(make_member(project, code=f"late{number}"), held, make_picture(project), make_payload())
    return case


def test_every_version_is_a_file(case: Case, tmp_path: Path) -> None:
    bundle_of(case.project, tmp_path / "one.zip", reports=False)
    files = dict(files_of(tmp_path / "one.zip"))
    assert [name for name in files if name.startswith("guidelines/")] == [
        "guidelines/anatomy-1.0.md",
        "guidelines/anatomy-2.0.md",
    ]
    assert files["guidelines/anatomy-2.0.md"].decode().startswith("# Pilot: guideline, version 2.0")
    assert b"guidelines/" in files["README.txt"]


def test_the_drawn_guideline_is_in_the_file_of_its_protocol(tmp_path: Path) -> None:
    project = make_project()
    for protocol in ("presence", "realism"):
        make_batch(project, protocol=protocol)
    bundle_of(project, tmp_path / "one.zip", reports=False)
    files = dict(files_of(tmp_path / "one.zip"))
    told = {
        name: json.loads(files[f"protocols/{name}.json"])["guideline"] for name in ("presence", "realism")
    }
    assert [(block["key"], block["title"]) for block in told["realism"]] == [
        ("introduction", "What to rate"),
        ("major", "1 to 3: major errors"),
        ("moderate", "4 to 7: moderate errors"),
        ("none", "8 to 10: none or negligible"),
        ("invalid", "Invalid"),
    ]
    assert told["realism"][1]["text"] == "Limb missing or extra, body deformed, pose impossible."
    assert "- **No person.** No person is visible.\n" in told["realism"][4]["text"]
    for name, blocks in told.items():
        assert {block["key"]: block["text"] for block in blocks} == ours(guide_of(name)).texts
    assert b"the guideline that annotators read\n" in files["README.txt"]
