"""What was judged of something that has changed since: named, not counted, and judged again."""

from __future__ import annotations

from uuid import uuid4

import pytest

from analysis.data.ratings_table import load_counted
from analysis.protocols.defect.frames import DefectFrame
from analysis.protocols.defect.stages import check_agreement, verdict_agreement
from analysis.stats.generic.tables import rows_of
from annotator.annotations.reopening import reopen_annotation, reopen_for_annotator
from annotator.annotations.versioned_changes import nothing_yet
from annotator.batches.people_changes import (
    ChangeRefused,
    apply_people_change,
    outcome_of,
    propose_people_change,
)
from annotator.batches.planning import ChangeImpossible, InvalidDesign
from annotator.models import Assignment, Batch, Image, ImageSummary, Project, User
from annotator.protocols.defect.material import checked_in
from annotator.web.views.labelling.annotation_state import state_of
from scoring.protocol import Payload
from tests.analysis.protocols.defect.test_stages import exported, rows
from tests.annotator.protocols.defect.stages import (
    MARKERS,
    MOVED,
    REVIEWERS,
    judge,
    keep_all,
    lead_of,
    make_people,
    marked,
    marks,
    one_against_two,
    own,
    released,
    settle,
    submit,
    verdict,
    votes,
)
from tests.factories import make_member, make_user

pytestmark = pytest.mark.django_db


def correct(assignment: Assignment, payload: Payload, actor: User) -> None:
    """A lead returns an annotation of a closed batch, and its annotator changes it."""
    version = assignment.annotation.version
    reopen_for_annotator(
        annotation=assignment.annotation, actor=actor, reason="Look again.", request_key=uuid4()
    )
    submit(Assignment.objects.get(pk=assignment.pk), payload, replaces=version + 1)


@pytest.fixture
def project() -> Project:
    return make_people(2)


@pytest.fixture
def marks_of_two(project: Project) -> Batch:
    """Marks of two: one box each, nearly the same, and a spare one."""
    return marked(project)


@pytest.fixture
def check(project: Project, marks_of_two: Batch) -> Batch:
    """The check, in which everybody keeps everything; still open."""
    batch = released(project, "defect-check", REVIEWERS, marks_of_two)
    judge(batch, keep_all, close=False)
    return batch


def score(image: Image) -> float | None:
    return ImageSummary.objects.get(image=image, protocol="defect-check", code="").score


def test_checks_of_a_mark_that_was_reopened_do_not_count(
    project: Project, marks_of_two: Batch, check: Batch
) -> None:
    changed, other = project.images.order_by("number")
    assert (score(changed), score(other)) == (3.0, 3.0)
    correct(own(marks_of_two, "ann1", changed), marks(MOVED), lead_of(project))
    assert (score(changed), score(other)) == (None, 3.0)
    assert checked_in(check, changed) is None
    frame, counting = load_counted(project, "defect-check")
    assert isinstance(frame, DefectFrame)
    assert (counting.counted, counting.not_counted["outdated"]) == (3, 3)
    (row,) = rows_of(check_agreement(frame), "outdated")
    assert (row["image"], row["what"]) == (
        changed.pk,
        "checks of marks that have changed since do not count",
    )
    lines = rows(exported(project, "defect-check", "decisions"))
    found = {line["Model"][-1]: (line["decision"], line["why_open"], line["outdated"]) for line in lines}
    assert found == {"0": ("", "outstanding", "marks"), "1": ("3", "", "")}
    (reference,) = rows(exported(project, "defect-check", "references"))
    assert reference["Model"] == "model-1"
    defects = rows(exported(project, "defect-marks", "defects"))
    assert {(line["Model"][-1], line["kept_mask"], line["kept_text"]) for line in defects} == {
        ("0", "", ""),
        ("1", "1", "1"),
    }


def test_reviewers_check_again_what_has_changed_and_it_counts(
    project: Project, marks_of_two: Batch, check: Batch
) -> None:
    changed, _ = project.images.order_by("number")
    correct(own(marks_of_two, "ann1", changed), marks(MOVED), lead_of(project))
    for code in REVIEWERS:
        assignment = own(check, code, changed)
        user = assignment.annotator.user
        assert user is not None
        reopen_annotation(assignment=assignment, actor=user, replaces=1, request_key=uuid4())
        again = Assignment.objects.select_related("annotation").get(pk=assignment.pk)
        payload = state_of(again, user)["payload"]
        # Only the vote on what has changed is dropped, and the page says so.
        (key,) = payload["changed"]
        moved = next(item for item in payload["items"] if item["key"] == key)
        assert moved["text"] == "The finger at 30 is bent"
        assert len(payload["answers"]) == 4
        submit(again, {**payload, **votes(payload, lambda item: "at 30" not in item["text"])}, replaces=2)
    assert score(changed) == 2.0
    found = checked_in(check, changed)
    assert found is not None
    assert key not in found.masks


def test_an_adjudication_is_outdated_once_a_vote_has_changed(project: Project) -> None:
    batch = released(project, "defect-verdict", REVIEWERS)
    image = project.images.order_by("number")[0]
    judge(batch, lambda each, _: one_against_two(each), close=False)
    settle(image, "defect-verdict", verdict("reject"))
    assert lines_of(project)["0"]["outdated"] == ""
    rev2 = own(batch, "rev2", image)
    assert rev2.annotator.user is not None
    reopen_annotation(assignment=rev2, actor=rev2.annotator.user, replaces=1, request_key=uuid4())
    submit(Assignment.objects.get(pk=rev2.pk), verdict("cannot_judge"), replaces=2)
    line = lines_of(project)["0"]
    assert (line["decision"], line["decided_by"], line["outdated"]) == ("1", "expert", "adjudication")
    assert line["votes"] == "rev1 reject; rev2 cannot_judge; rev3 accept"


def lines_of(project: Project) -> dict[str, dict[str, str]]:
    return {line["Model"][-1]: line for line in rows(exported(project, "defect-verdict", "decisions"))}


def test_an_image_stays_in_marks_when_its_verdict_changes(project: Project) -> None:
    first = released(project, "defect-verdict", REVIEWERS)
    said = {0: "reject", 1: "accept"}
    judge(first, lambda each, _: verdict(said[each.image.number or 0]))
    second = released(project, "defect-marks", MARKERS, first, control=100)
    found = {number: (line["control"], line["outdated"]) for number, line in lines_of(project).items()}
    assert found == {"0": ("0", ""), "1": ("1", "")}
    image = project.images.order_by("number")[0]
    for code in REVIEWERS:
        correct(own(first, code, image), verdict("accept"), lead_of(project))
    assert second.assignments.filter(image=image).exclude(status="withdrawn").count() == 2
    found = {number: (line["decision"], line["outdated"]) for number, line in lines_of(project).items()}
    assert found == {"0": ("0", "draw"), "1": ("0", "")}
    frame, _ = load_counted(project, "defect-verdict")
    assert isinstance(frame, DefectFrame)
    (row,) = rows_of(verdict_agreement(frame), "outdated")
    assert (row["image"], row["number"]) == (image.pk, 0)


def test_a_reviewer_leaves_and_another_takes_over_but_nobody_who_marked(
    project: Project, marks_of_two: Batch
) -> None:
    make_member(project, code="rev4", user=make_user("rev4"))
    batch = released(project, "defect-check", REVIEWERS, marks_of_two)
    first = batch.assignments.filter(annotator__code="rev1").order_by("position")[0]
    submit(first, votes(nothing_yet(first).payload, lambda _: True))

    def change(joining: str) -> None:
        left, joined = (list(project.memberships.filter(code=code)) for code in ("rev1", joining))
        proposed = propose_people_change(batch=batch, leaving=left, joining=joined)
        apply_people_change(
            batch=batch,
            leaving=left,
            joining=joined,
            outcome=outcome_of(proposed),
            reason="Somebody has left.",
            actor=lead_of(project),
        )

    with pytest.raises((ChangeImpossible, ChangeRefused, InvalidDesign)):
        change("ann1")
    change("rev4")
    held = batch.assignments.exclude(status="withdrawn")
    assert sorted(held.values_list("annotator__code", flat=True)) == sorted(
        ["rev1", *["rev2", "rev3"] * 2, "rev4"]
    )
    # What was judged stays, and the one who joins gets the same marks.
    taken = held.get(annotator__code="rev4")
    assert nothing_yet(taken).payload["items"]
