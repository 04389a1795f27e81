"""The demo's projects: what was planted is what their pages find."""

from __future__ import annotations

import json
import stat
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from analysis.models import Report
from analysis.reports.lifecycle import request_report, run_report
from analysis.stats.generic.tables import rows_of
from annotator.demo.lessons import DRAWN, TAUGHT, train_with_drawings
from annotator.demo.projects import LEAD, PURPOSES, QUESTION, build_anatomy, build_defects, ready_accounts
from annotator.models import Adjudication, Assignment, ImageSummary, Project, Question, Reference, User
from annotator.people.secrets import new_secret
from annotator.protocols.defect.material import said_by_models
from tests.annotator.invited import invite
from tests.factories import make_member, make_project, user_of

pytestmark = pytest.mark.django_db
Build = Callable[[Callable[..., Project]], Project]


@pytest.fixture
def build(tmp_path: Path) -> Build:
    """Build a project of the demo's accounts twice, which is once."""

    def built(of_demo: Callable[..., Project]) -> Project:
        ready_accounts(tmp_path / "accounts.json")
        steps: list[tuple[str, int, int]] = []
        project = of_demo(lambda *step: steps.append(step))
        count = len(steps)
        assert of_demo(lambda *step: steps.append(step)) == project
        assert (count, steps[-1][1]) == (steps[-1][2], count)
        return project

    return built


def result_of(project: Project, kind: str, protocol: str) -> dict[str, Any]:
    asked = request_report(project=project, kind=kind, protocol=protocol, send=False)
    assert run_report(asked.pk)
    result: dict[str, Any] | None = Report.objects.get(pk=asked.pk).result
    assert result is not None
    return result


@pytest.mark.slow
def test_the_anatomy_project_is_under_way(build: Build) -> None:
    project = build(build_anatomy)
    after, qualification, training, work = project.batches.order_by("-pk")
    names = ["Batch 1", "Training", "Qualification", "After training"]
    assert [batch.name for batch in (work, training, qualification, after)] == names
    statuses = Counter(work.assignments.values_list("purpose", "status"))
    assert statuses == {
        ("work", "done"): 136,
        ("work", "open"): 14,
        ("anchor", "done"): 28,
        ("anchor", "open"): 2,
        ("repeat", "done"): 30,
        ("repeat", "open"): 6,
    }
    done = work.assignments.filter(status=Assignment.Status.DONE)
    assert not done.exclude(annotation__status="submitted").exists()
    question = Question.objects.get()
    assert (question.text, question.state, question.annotator.code) == (QUESTION, "open", "annotator2")
    causes = [row.causes or {} for row in Adjudication.objects.filter(image__project=project)]
    named = Counter(cause for row in causes for value in row.values() for cause in value["causes"])
    assert (len(causes), named["guideline_gap"]) == (12, 3)
    _finds_who_drifts_and_who_rushes(project)
    _compares(project)


def _finds_who_drifts_and_who_rushes(project: Project) -> None:
    lines = result_of(project, "quality", "anatomy")["lines"]
    assert {line["annotator"]: (line["verdict"], line["reasons"]) for line in lines} == {
        "annotator1": ("fine", []),
        "annotator2": ("look", ["away"]),
        "annotator3": ("stop", ["fast"]),
    }


def _compares(project: Project) -> None:
    """Annotators agree in part, and the generators are in the order in which errors were planted."""
    alpha = rows_of(result_of(project, "agreement", "anatomy"), "agreement")[0]["pooled"]
    assert (alpha["n_units"], round(alpha["value"], 2)) == (50, 0.42)
    assert alpha["low"] > 0
    rows = rows_of(result_of(project, "comparison", "anatomy"), "generators")
    assert [(row["generator"], row["images"]) for row in rows] == [
        ("model-a", 17),
        ("model-b", 16),
        ("model-c", 17),
    ]


@pytest.mark.slow
def test_the_project_of_defects_has_all_four_stages(build: Build) -> None:
    project = build(build_defects)
    verdicts, marks, check, quality = project.batches.order_by("pk")
    assert [batch.status for batch in (verdicts, marks, check, quality)] == ["closed"] * 4
    assert [marks.follows, check.follows, quality.follows] == [verdicts, marks, check]
    assert verdicts.assignments.count() == 3 * 36
    decided = rows_of(result_of(project, "agreement", "defect-verdict"), "decisions")
    assert {row["decided"]: row["images"] for row in decided}["Open"] == 2
    models = rows_of(result_of(project, "agreement", "defect-quality"), "models")
    means = {(row["model"], row["criterion"]): row["mean"]["value"] for row in models}
    assert means["complete", "Completeness"] == 2
    assert means["hasty", "Completeness"] < 2
    # Each model says of each image whether it is defective, which is the truth as far as the model sees it.
    detected = rows_of(result_of(project, "comparison", "defect-quality"), "detected")
    rejected = dict(
        ImageSummary.objects.filter(project=project, protocol="defect-verdict", code="")
        .exclude(score=None)
        .values_list("image", "score")
    )
    said = said_by_models(image__in=rejected)
    for row in detected:
        counts = Counter((said[image][row["model"]]["defective"], score) for image, score in rejected.items())
        found = [row[name] for name in ("hits", "alarms", "missed", "right")]
        assert found == [counts[True, 1], counts[True, 0], counts[False, 1], counts[False, 0]]
    assert [row["model"] for row in detected] == ["complete", "hasty"]
    assert detected[0]["recall"]["value"] > detected[1]["recall"]["value"] > 0.5


@pytest.mark.slow
def test_all_passwords_are_made_at_once_and_kept(tmp_path: Path) -> None:
    path = tmp_path / "var" / "accounts.json"
    (lead,) = ready_accounts(path, [LEAD])
    assert list(User.objects.values_list("username", flat=True)) == [LEAD]
    accounts = ready_accounts(path)
    assert accounts[0] == lead
    assert {account.username: account.password for account in accounts} == json.loads(path.read_text())
    assert [account.username for account in accounts] == list(PURPOSES)
    assert all(
        User.objects.get(username=account.username).check_password(account.password) for account in accounts
    )
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


@pytest.fixture
def lead() -> User:
    member = make_member(make_project("pilot"), "lead")
    return user_of(member)


@pytest.fixture
def project(lead: User) -> Project:
    return Project.objects.get(slug="pilot")


@pytest.mark.usefixtures("media")
@pytest.mark.parametrize("protocol", TAUGHT)
def test_everybody_invited_gets_drawings_with_reasons(project: Project, lead: User, protocol: str) -> None:
    make_member(project, code="ada")
    invite(project=project, role="annotator", code="p1", secret=new_secret(), actor=lead)
    batch = train_with_drawings(project, protocol, lead)
    owed = Assignment.objects.filter(batch=batch, purpose=Assignment.Purpose.TRAINING)
    assert {code: owed.filter(annotator__code=code).count() for code in ("ada", "p1")} == {
        "ada": DRAWN,
        "p1": DRAWN,
    }
    references = Reference.objects.filter(image__project=project, protocol=protocol)
    assert references.count() == DRAWN
    for reference in references:
        marked = reference.payload["marks"] if protocol == "anatomy" else reference.payload["cells"]
        assert bool(marked) == bool(reference.rationales)
