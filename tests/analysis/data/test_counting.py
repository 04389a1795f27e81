"""Every submitted answer is in a report's numbers or named as not being in them."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from analysis.data.counting import OUTDATED, REASONS, Counting
from analysis.data.counting import PURPOSES as REASON_BY_PURPOSE
from analysis.data.ratings_table import NoAnnotations, input_digest, load_counted, load_frame, reported
from annotator.models import Annotation, Assignment, Project
from tests.analysis.factories import EARLIER, make_submitted, make_unread
from tests.factories import make_assignment, make_batch, make_image, make_member

pytestmark = pytest.mark.django_db

PURPOSES = {"training": 1, "qualification": 2, "anchor": 1, "repeat": 3, "norming": 2}
EACH = {
    **PURPOSES,
    "reopened": 1,
    "other_protocol": 2,
    "image_deleted": 3,
    "real_picture": 2,
    "nothing_read": 5,
    "answered_again": 4,
}


def reopen(project: Project, count: int = 1) -> None:
    """Answers that were submitted once and are open again."""
    member = make_member(project)
    for _ in range(count):
        make_submitted(member, image=make_image(project), status="reopened")


def judge_otherwise(project: Project, count: int = 1, **fields: Any) -> None:
    """Answers in a batch of a protocol that reports do not know."""
    batch, member = make_batch(project, protocol="stars"), make_member(project)
    for _ in range(count):
        make_submitted(member, image=make_image(project), batch=batch, **fields)


def delete_images(project: Project, count: int = 1) -> None:
    """Answers on images that are being deleted."""
    member = make_member(project)
    for _ in range(count):
        make_submitted(member, image=make_image(project, goes_at=timezone.now() + timedelta(days=1)))


def show_real(project: Project, count: int = 1) -> None:
    """Answers on real images."""
    member = make_member(project)
    for _ in range(count):
        make_submitted(member, image=make_image(project, attributes={"source": "real"}))


def answer_again(project: Project, count: int = 1) -> None:
    """People who judged an image in two batches: the earlier answer of each is the one left out."""
    for _ in range(count):
        member, image = make_member(project), make_image(project)
        make_submitted(member, image=image, batch=make_batch(project), submitted_at=EARLIER)
        make_submitted(member, image=image, batch=make_batch(project))


def import_unread(project: Project, count: int = 1) -> None:
    """Imported answers of which nothing could be read."""
    member = make_member(project)
    for _ in range(count):
        make_unread(member, make_image(project))


def answer_for(project: Project, purpose: str, count: int = 1) -> None:
    """Answers that are no work; the first was opened again."""
    batch, member = make_batch(project), make_member(project)
    for number in range(count):
        assignment = make_assignment(member, batch=batch, purpose=purpose)
        make_submitted(member, assignment=assignment, status="submitted" if number else "reopened")


@pytest.fixture
def mixed(project: Project) -> Project:
    """Eleven answers that count, one to five that do not for each reason, and a draft."""
    reopen(project, EACH["reopened"])
    judge_otherwise(project, EACH["other_protocol"])
    delete_images(project, EACH["image_deleted"])
    show_real(project, EACH["real_picture"])
    answer_again(project, EACH["answered_again"])
    import_unread(project, EACH["nothing_read"])
    for purpose, count in PURPOSES.items():
        answer_for(project, purpose, count)
    make_submitted(make_member(project), image=make_image(project), status="draft")
    return project


def ever_submitted(project: Project) -> int:
    """Counted by hand, without any of the filters."""
    rows = Annotation.objects.filter(assignment__batch__project=project).values_list("status", flat=True)
    return sum(status != "draft" for status in rows)


def test_every_reason_is_counted(mixed: Project) -> None:
    frame, counting = load_counted(mixed)
    assert counting == Counting(counted=11, not_counted=EACH)
    assert (len(frame), counting.submitted) == (11, ever_submitted(mixed)) == (11, 37)
    # Only reading tells which have nothing in them and which were replaced.
    assert reported(mixed).count() == 11 + EACH["nothing_read"] + EACH["answered_again"]
    # Only checks of defects are ever outdated; their tests have it.
    assert {*EACH, OUTDATED} == set(REASONS)


def test_every_purpose_but_work_is_a_reason() -> None:
    """One that is not named would be left out in silence."""
    assert list(REASON_BY_PURPOSE) == [each for each in Assignment.Purpose.values if each != "work"]


def test_an_answer_is_left_out_for_the_first_reason_that_holds(project: Project) -> None:
    """Counted twice, the sum would be too large."""
    judge_otherwise(project, status="reopened")
    stars = make_batch(project, protocol="stars")
    answer_for(project, "training")
    make_submitted(make_member(project), batch=stars, image=make_image(project, goes_at=timezone.now()))
    trained = make_assignment(make_member(project), batch=stars, purpose="repeat", status="done")
    make_submitted(trained.annotator, assignment=trained)
    image = make_image(project, goes_at=timezone.now())
    make_submitted(make_member(project), image=image, batch=make_batch(project, protocol="stars"))
    member, shared = make_member(project), make_image(project, goes_at=timezone.now())
    for batch in (make_batch(project), make_batch(project)):
        make_submitted(member, image=shared, batch=batch)
    _, counting = load_counted(project)
    assert counting.not_counted == {
        "training": 1,
        "repeat": 1,
        "reopened": 1,
        "other_protocol": 2,
        "image_deleted": 2,
    }
    assert counting.submitted == ever_submitted(project)


@pytest.mark.parametrize("happens", [reopen, judge_otherwise, delete_images, show_real, answer_again])
def test_another_number_left_out_means_another_report(project: Project, happens: Any) -> None:
    before = input_digest(project)
    happens(project)
    assert input_digest(project) != before


def test_a_project_whose_answers_all_do_not_count_says_why(project: Project) -> None:
    Annotation.objects.all().delete()
    judge_otherwise(project, 2)
    with pytest.raises(NoAnnotations) as refused:
        load_frame(project)
    assert "None of the 2 submitted annotations" in str(refused.value)
    assert f"2 {REASONS['other_protocol']}" in str(refused.value)
