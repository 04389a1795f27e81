"""The demo's projects: what was planted is what their pages find."""

from __future__ import annotations

import json
import stat
from pathlib import Path
from typing import Any

import pytest

from analysis.models import Report
from analysis.reports.lifecycle import request_report, run_report
from analysis.stats.generic.tables import rows_of
from annotator.demo.lessons import DRAWN, TAUGHT, train_with_drawings
from annotator.demo.projects import LEAD, PURPOSES, build_anatomy, build_defects, ready_accounts
from annotator.models import Assignment, Project, Reference, User
from tests.annotator.invited import invite
from tests.factories import make_member, make_project, user_of

pytestmark = pytest.mark.django_db


@pytest.mark.slow  # everything that the people of a project have done
@pytest.mark.parametrize(
    ("build", "protocol", "kind", "table", "column", "found"),
    [
        (build_anatomy, "anatomy", "quality", "lines", "verdict", ["stop", "look", "fine"]),
        (build_defects, "defect-quality", "comparison", "detected", "model", ["complete", "hasty"]),
    ],
)
def test_a_project_is_built_once_and_has_what_was_planted(
    tmp_path: Path, build: Any, protocol: str, kind: str, table: str, column: str, found: list[str]
) -> None:
    ready_accounts(tmp_path / "accounts.json")
    steps: list[tuple[str, int, int]] = []
    project = build(lambda *step: steps.append(step))
    count = len(steps)
    assert build(lambda *step: steps.append(step)) == project
    assert (count, steps[-1][1], project.batches.count()) == (steps[-1][2], count, 4)
    asked = request_report(project=project, kind=kind, protocol=protocol, send=False)
    assert run_report(asked.pk)
    result = Report.objects.get(pk=asked.pk).result or {}
    rows = result["lines"] if table == "lines" else rows_of(result, table)
    assert [row[column] for row in rows] == found


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


@pytest.mark.usefixtures("media")
@pytest.mark.parametrize("protocol", TAUGHT)
def test_everybody_invited_gets_drawings_with_reasons(lead: User, protocol: str) -> None:
    project = Project.objects.get()
    make_member(project, code="ada")
    invite(project=project, role="annotator", code="p1", actor=lead)
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
