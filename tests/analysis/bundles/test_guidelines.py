"""Guidelines in a bundle: every version comes back, and annotations still name theirs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from analysis.bundles.restoring.archive import BundleRefused
from annotator.guidelines.content import Content, ours
from annotator.guidelines.drafts import draft_of, guide_of
from annotator.guidelines.publishing import in_force, versions_of
from annotator.models import Annotation, Project
from tests.analysis.bundles.making import back, bundle_of, files_of, make_picture
from tests.analysis.bundles.test_bad_input import with_row
from tests.annotator.guidelines.making import RULED, drafted, example_of, publication
from tests.annotator.settling import Case, judged, make_case, settle
from tests.factories import make_batch, make_member, make_payload, make_project

pytestmark = pytest.mark.django_db
ROWS = "restore/guidelines.jsonl"


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


@pytest.mark.slow  # two bundles
@pytest.mark.thorough
def test_versions_come_back_and_annotations_name_theirs(case: Case, tmp_path: Path) -> None:
    bundle_of(case.project, tmp_path / "one.zip", reports=False)
    files = dict(files_of(tmp_path / "one.zip"))
    assert files["guidelines/anatomy-2.0.md"].decode().startswith("# Pilot: guideline, version 2.0")
    assert b"guidelines/" in files["README.txt"]
    project = back(tmp_path / "one.zip")
    assert project.guideline_versions == {"anatomy": "2.0"}
    assert [str(one) for one in versions_of(project, "anatomy")] == ["2.0", "1.0"]
    version = in_force(project, "anatomy")
    assert version is not None
    content = Content.of(version.content)
    [example] = content.examples
    assert example.image == str(project.images.order_by("pk")[0].public_id) != str(case.image.public_id)
    assert (content.texts["missing"], content.decisions, example.caption) == ("Second.", (RULED,), "So.")
    assert [mark["text"] for mark in example.marks] == ["1/4b"]
    named = Annotation.objects.filter(assignment__batch__project=project).order_by("pk")
    assert list(named.values_list("guideline", flat=True)) == [None, None, "1.0", "2.0"]
    draft = draft_of(project, "anatomy")
    assert Content.of(draft.content).examples[0].marks == ()
    # The same files again, byte by byte.
    bundle_of(project, tmp_path / "two.zip", reports=False)
    again = dict(files_of(tmp_path / "two.zip"))
    assert [
        name for name in files if name.startswith(("restore/", "data/")) and again[name] != files[name]
    ] == []


def test_a_project_without_a_version_has_no_such_file(tmp_path: Path) -> None:
    project = make_project()
    judged(make_member(project), make_batch(project), make_picture(project), make_payload())
    bundle_of(project, tmp_path / "one.zip", reports=False)
    files = dict(files_of(tmp_path / "one.zip"))
    assert [name for name in files if "guideline" in name] == []
    assert (
        b"guideline" not in files["restore/annotations.jsonl"] + files["project.json"] + files["README.txt"]
    )


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
    assert back(tmp_path / "one.zip").guideline_versions == {}


@pytest.mark.few(3)
@pytest.mark.parametrize(
    "change",
    [
        {"protocol": "moons"},
        {"major": 0},
        {"summary": "x" * 401},
        {"content": {}},
        {"content": {"texts": {"missing": 3}, "decisions": [], "examples": [], "drawn": True}},
        {"content": {"texts": {"moons": "x"}, "decisions": [], "examples": [], "drawn": True}},
        {"content": {"texts": {}, "decisions": [{"text": "x", "moon": 1}], "examples": [], "drawn": True}},
        {"content": {"texts": {}, "decisions": [], "examples": [{"image": 99}], "drawn": True}},
        {"content": {"texts": {}, "decisions": [], "examples": [], "drawn": "yes"}},
        {
            "content": {
                "texts": {},
                "decisions": [],
                "drawn": True,
                "examples": [
                    {
                        "image": 1,
                        "components": ["missing.limbs"],
                        "caption": "",
                        "adjudication": 1,
                        "marks": [{"component": "x", "title": "x", "text": "x", "pins": [["a", 2]]}],
                    }
                ],
            }
        },
    ],
)
def test_a_bad_row_is_refused_by_its_line(case: Case, tmp_path: Path, change: dict[str, Any]) -> None:
    bundle_of(case.project, tmp_path / "one.zip", reports=False)

    changed = with_row(tmp_path / "one.zip", ROWS, 1, lambda row: row.update(change))
    with pytest.raises(BundleRefused, match=r"restore/guidelines.jsonl, line 1: "):
        back(changed)
    assert not Project.objects.filter(slug__startswith="restoring:").exists()
