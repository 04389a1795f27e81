"""Every submitted answer is in a report's numbers or named as not being in them."""

from __future__ import annotations

from typing import Any

import pytest

from analysis.data.counting import OUTDATED, REASONS, Counting
from analysis.data.counting import PURPOSES as REASON_BY_PURPOSE
from analysis.data.ratings_table import NoAnnotations, input_digest, load_counted, load_frame, reported
from annotator.models import Annotation, Assignment, Project
from tests.analysis.factories import make_submitted, make_unread
from tests.factories import make_assignment, make_batch, make_image, make_member

pytestmark = pytest.mark.django_db

PURPOSES = {"training": 1, "qualification": 2, "anchor": 1, "repeat": 3, "norming": 2}
EACH = {
    **PURPOSES,
    "reopened": 1,
    "other_protocol": 2,
    "real_picture": 2,
    "nothing_read": 5,
    "answered_again": 4,
}


def leave_out(project: Project, reason: str, count: int = 1, **fields: Any) -> None:
    """Annotations that do not count for a reason of EACH; of those that are no work, one was reopened."""
    member, batch = make_member(project), make_batch(project)
    if reason == "other_protocol":
        batch = make_batch(project, protocol="stars")
    for number in range(count):
        image = make_image(project)
        if reason == "real_picture":
            image = make_image(project, attributes={"source": "real"})
        if reason == "nothing_read":
            make_unread(member, image)
        elif reason in PURPOSES:
            assignment = make_assignment(member, batch=batch, purpose=reason)
            make_submitted(member, assignment=assignment, status="submitted" if number else "reopened")
        else:
            status = "reopened" if reason == "reopened" else "submitted"
            make_submitted(member, image=image, batch=batch, **{"status": status, **fields})
        if reason == "answered_again":
            # Of both annotations, the earlier one is left out.
            make_submitted(member, image=image, batch=make_batch(project))


def ever_submitted(project: Project) -> int:
    """Counted by hand, without any of the filters."""
    rows = Annotation.objects.filter(assignment__batch__project=project).values_list("status", flat=True)
    return sum(status != "draft" for status in rows)


def test_every_reason_is_counted(project: Project) -> None:
    """Eleven annotations count; for each reason, one to five do not; and there is a draft."""
    for reason, count in EACH.items():
        leave_out(project, reason, count)
    make_submitted(make_member(project), image=make_image(project), status="draft")
    frame, counting = load_counted(project)
    assert counting == Counting(counted=11, not_counted=EACH)
    assert (len(frame), counting.submitted) == (11, ever_submitted(project)) == (11, 34)
    # Only reading tells which have nothing in them and which were replaced.
    assert reported(project).count() == 11 + EACH["nothing_read"] + EACH["answered_again"]
    # Only checks of defects are ever outdated; their tests have it.
    assert {*EACH, OUTDATED} == set(REASONS)


def test_every_purpose_but_work_is_a_reason() -> None:
    """One that is not named would be left out in silence."""
    assert list(REASON_BY_PURPOSE) == [each for each in Assignment.Purpose.values if each != "work"]


def test_an_answer_is_left_out_for_the_first_reason_that_holds(project: Project) -> None:
    """Counted twice, the sum would be too large."""
    leave_out(project, "other_protocol", status="reopened")
    stars = make_batch(project, protocol="stars")
    leave_out(project, "training")
    make_submitted(make_member(project), batch=stars, image=make_image(project))
    trained = make_assignment(make_member(project), batch=stars, purpose="repeat", status="done")
    make_submitted(trained.annotator, assignment=trained)
    make_submitted(
        make_member(project), image=make_image(project), batch=make_batch(project, protocol="stars")
    )
    _, counting = load_counted(project)
    assert counting.not_counted == {
        "training": 1,
        "repeat": 1,
        "reopened": 1,
        "other_protocol": 2,
    }
    assert counting.submitted == ever_submitted(project)


@pytest.mark.parametrize("reason", [name for name in EACH if name not in {*PURPOSES, "nothing_read"}])
def test_another_number_left_out_means_another_report(project: Project, reason: str) -> None:
    before = input_digest(project)
    leave_out(project, reason)
    assert input_digest(project) != before


def test_a_project_whose_answers_all_do_not_count_says_why(project: Project) -> None:
    Annotation.objects.all().delete()
    leave_out(project, "other_protocol", 2)
    with pytest.raises(NoAnnotations) as refused:
        load_frame(project)
    assert "None of the 2 submitted annotations" in str(refused.value)
    assert f"2 {REASONS['other_protocol']}" in str(refused.value)
