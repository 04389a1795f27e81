"""How many annotations have changed since a report, what they change, and what is stored of a report."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import pytest
from django.utils import timezone

from analysis.data.ratings_table import input_digests, load_adjudicated
from analysis.first_screen.trust import alpha_of
from analysis.models import KEPT_UP_TO_DATE, Report
from analysis.reports.status import Changes, changes_since
from analysis.reports.storing import excerpt_in
from analysis.stats.generic.tables import ResultColumn, table
from annotator.annotations.adjudication import annotations_of, seen
from annotator.models import Adjudication, Annotation, Project
from scoring.grid.taxonomy import CELLS
from tests.analysis.factories import make_submitted
from tests.annotator.acting import HANDS, delete_with_all, submit
from tests.annotator.adjudicating import (
    ADJUDICATED,
    SECOND,
    Case,
    judged,
    make_case,
    reopen,
    settle,
    submit_again,
    withdraw,
)
from tests.factories import make_assignment, make_batch, make_image, make_member, make_payload, make_project

pytestmark = pytest.mark.django_db


@pytest.fixture
def moment(project: Project) -> datetime:
    return timezone.now()


def test_each_answer_is_counted_once_as_what_it_is(project: Project, moment: datetime) -> None:
    changed, reopened, *_ = Annotation.objects.order_by("pk")
    annotator = project.memberships.get(code="anno1")
    new = submit(make_assignment(annotator))
    submit_again(new, HANDS)  # still one new answer
    submit_again(submit_again(changed, HANDS), HANDS)  # still one changed answer
    reopen(reopened)
    assert changes_since(project, moment) == Changes(new=1, changed=1, reopened=1)
    came_and_went = submit(make_assignment(annotator))
    assert changes_since(project, moment) == Changes(new=2, changed=1, reopened=1)
    reopen(came_and_went)
    assert changes_since(project, moment) == Changes(new=1, changed=1, reopened=1)
    assert changes_since(project, timezone.now()) == Changes()


def test_what_had_been_reopened_before_is_new_when_it_comes_back(project: Project) -> None:
    reopened = reopen(Annotation.objects.earliest("pk"))
    moment = timezone.now()
    assert changes_since(project, moment) == Changes()
    submit(reopened.assignment, replaces=reopened.version)
    assert changes_since(project, moment) == Changes(new=1)


def test_other_projects_and_other_protocols_do_not_count(project: Project, moment: datetime) -> None:
    submit(make_assignment(make_member(make_project())))
    member = make_member(project)
    make_submitted(member, batch=make_batch(project, protocol="another"))
    assert changes_since(project, moment) == Changes()


SEVERE = make_payload([("missing.limbs", "1/4c"), ("missing.limbs", "2/4a"), ("extra.hands", "1/2b")])
USING_ADJUDICATED = ["comparison"]


@pytest.fixture
def case(db: None, sent: list[int], django_capture_on_commit_callbacks: Any) -> Case:
    """One image of two that two people judged; what their submissions asked for is done."""
    made = make_case(make_project("pilot"))
    make_case(made.project, make_image(made.project, generator="other"))
    return made


def digests(project: Project) -> dict[str, str]:
    found = input_digests(project)
    return {kind: found.of(kind) for kind in KEPT_UP_TO_DATE}


def test_fractions_of_what_is_adjudicated(case: Case) -> None:
    settle(case, SEVERE)
    ((image, fractions),) = load_adjudicated(case.project).items()
    keys = [cell.key for cell in CELLS]
    assert image == case.image.pk
    places = zip(*fractions.nonzero(), strict=True)
    found = {(keys[row], "abc"[column]): fractions[row, column] for row, column in places}
    assert found == {("missing.limbs", "a"): 0.5, ("missing.limbs", "c"): 0.25, ("extra.hands", "b"): 0.5}


def test_what_is_withdrawn_or_deleted_is_not_read(case: Case) -> None:
    settle(case)
    withdraw(case)
    assert load_adjudicated(case.project) == {}
    settle(case, replaces=2)
    assert len(load_adjudicated(case.project)) == 1
    delete_with_all(case.image, case.user)
    assert load_adjudicated(case.project) == {}


def test_the_comparison_has_another_digest(case: Case) -> None:
    before = digests(case.project)
    assert len(set(before.values())) == 1
    seen = [before["comparison"]]
    for replaces, payload in enumerate((SEVERE, SECOND)):
        settle(case, payload, replaces=replaces)
        now = digests(case.project)
        assert now["comparison"] not in seen
        assert {**now, **{kind: before[kind] for kind in USING_ADJUDICATED}} == before
        seen.append(now["comparison"])
    withdraw(case, replaces=2)
    assert digests(case.project) == before


def test_adjudications_are_counted_since_a_moment(case: Case) -> None:
    settle(case)
    moment = timezone.now()
    assert changes_since(case.project, moment, adjudicated=True) == Changes()
    withdraw(case)
    assert changes_since(case.project, moment, adjudicated=True) == Changes(adjudicated=1)
    assert changes_since(case.project, moment) == Changes()


def test_each_protocol_of_an_image_has_changes_and_a_value_of_its_own(case: Case) -> None:
    look = make_batch(case.project, name="first look", protocol="presence")
    said = {"cells": ["extra.hands"], "no_errors": False, "unsure": [], "flag": None, "note": ""}
    for answer in (case.a, case.b):
        judged(answer.assignment.annotator, look, case.image, said)
    settle(case)
    moment = timezone.now()
    looked_at = seen(annotations_of(case.image, "presence"))
    settle(case, said, protocol="presence", adjudicated_from=looked_at)
    found = dict(Adjudication.objects.values_list("protocol", "payload"))
    assert found == {"anatomy": ADJUDICATED, "presence": said}

    def since(slug: str) -> Changes:
        return changes_since(case.project, moment, adjudicated=True, protocol=slug)

    assert (since("anatomy"), since("presence")) == (Changes(), Changes(adjudicated=1))
    delete_with_all(case.image, case.user)
    assert (since("anatomy").deleted, since("presence").deleted) == (2, 2)


ALPHA = {"value": 0.8, "low": 0.6, "high": 0.9, "n_units": 40}
SCORE, MARKED = "Cumulative score", "Cells marked"


def made(name: str, columns: str, *rows: list[Any]) -> dict[str, Any]:
    return table(name, name, "", [ResultColumn(column, column) for column in columns.split()], rows)


def result_about(image: int) -> dict[str, Any]:
    rows = [[image, [0.2, 2.5], [{"cell": "missing.limbs"}], [1, 2]], [image + 1, [0.3, 0.3], [], [3, 4]]]
    pairs = [
        [["ada", "bob"], SCORE, {"value": 0.5}, 10],
        [["ada", "bob"], "Cells", {"value": 0.1}, 10],
        [["ada", "eve"], SCORE, {"value": 0.9}, 30],
        [["bob", "eve"], SCORE, {"value": None}, 2],
    ]
    return {
        "tables": [
            made("agreement", "variable pooled", [MARKED, {"value": 0.1}], [SCORE, ALPHA]),
            made("pairs", "annotators variable agreement images", *pairs),
            made("disagreements", "image scores cells annotations", *rows),
        ]
    }


def test_an_excerpt_is_read_in_place_of_the_result() -> None:
    project = make_project()
    Report.objects.create(
        project=project, kind="agreement", status="done", result={}, excerpt={"alpha": ALPHA}
    )
    assert alpha_of(project, "anatomy") == ALPHA
    assert excerpt_in("agreement", result_about(3), "anatomy") == {
        "alpha": ALPHA,
        "alphas": {"ada": pytest.approx(0.8), "bob": 0.5, "eve": 0.9},
        "disagreements": [{"image": 3, "scores": [0.2, 2.5]}],
    }
