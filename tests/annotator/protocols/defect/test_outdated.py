"""What was judged of something that has changed since: named, not counted, judged again; and races."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any
from uuid import uuid4

import pytest

from analysis.data.ratings_table import load_counted
from analysis.protocols.defect.frames import DefectFrame
from analysis.protocols.defect.stages import check_agreement, verdict_agreement
from analysis.stats.generic.tables import rows_of
from annotator.annotations.adjudication import (
    AnnotationsChanged,
    annotations_of,
    outdated_adjudications,
    seen,
)
from annotator.annotations.reopening import reopen_annotation, reopen_for_annotator
from annotator.annotations.versioned_changes import nothing_yet
from annotator.batches.people_changes import (
    ChangeRefused,
    apply_people_change,
    outcome_of,
    propose_people_change,
)
from annotator.batches.planning import InvalidDesign
from annotator.models import Adjudication, Annotation, Assignment, Batch, Image, ImageSummary, Project, User
from annotator.protocols.defect.material import checked_in
from annotator.web.views.labelling.annotation_state import state_of
from scoring.protocol import Payload
from tests.analysis.protocols.defect.test_stages import exported, rows
from tests.annotator.protocols.defect.stages import (
    LEFT,
    MARKERS,
    MOVED,
    REVIEWERS,
    RIGHT,
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
    voting,
)
from tests.annotator.racing import race
from tests.factories import make_member, make_user, user_of

pytestmark = pytest.mark.django_db
at_once = pytest.mark.django_db(transaction=True)


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


def test_checks_of_a_reopened_mark_do_not_count(project: Project, marks_of_two: Batch, check: Batch) -> None:
    changed, other = project.images.order_by("number")
    assert (score(changed), score(other)) == (3.0, 3.0)
    correct(own(marks_of_two, "ann1", changed), marks(MOVED), lead_of(project))
    assert (score(changed), score(other)) == (None, 3.0)
    assert checked_in(check, changed) is None
    frame, counting = load_counted(project, "defect-check")
    assert isinstance(frame, DefectFrame)
    assert (counting.counted, counting.not_counted["outdated"]) == (3, 3)
    (row,) = rows_of(check_agreement(frame), "outdated")
    values = (row["image"], row["what"])
    assert values == (changed.pk, "checks of marks that have changed since do not count")
    lines = rows(exported(project, "defect-check", "decisions"))
    found = {line["Model"][-1]: (line["decision"], line["outdated"]) for line in lines}
    assert found == {"0": ("", "marks"), "1": ("3", "")}
    (reference,) = rows(exported(project, "defect-check", "references"))
    assert reference["Model"] == "model-1"
    defects = rows(exported(project, "defect-marks", "defects"))
    kept = {(line["Model"][-1], line["kept_mask"], line["kept_text"]) for line in defects}
    assert kept == {("0", "", ""), ("1", "1", "1")}


def test_reviewers_check_again_what_changed(project: Project, marks_of_two: Batch, check: Batch) -> None:
    changed, _ = project.images.order_by("number")
    correct(own(marks_of_two, "ann1", changed), marks(MOVED), lead_of(project))
    for code in REVIEWERS:
        assignment = own(check, code, changed)
        reopen(assignment.pk, 1)
        again = Assignment.objects.select_related("annotation").get(pk=assignment.pk)
        payload = state_of(again, user_of(assignment.annotator))["payload"]
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
    reopen(rev2.pk, 1)
    send(rev2.pk, verdict("cannot_judge"), replaces=2)
    line = lines_of(project)["0"]
    assert (line["decision"], line["decided_by"], line["outdated"]) == ("1", "expert", "adjudication")
    assert line["votes"] == "rev1 reject; rev2 cannot_judge; rev3 accept"


def lines_of(project: Project) -> dict[str, dict[str, str]]:
    return {line["Model"][-1]: line for line in rows(exported(project, "defect-verdict", "decisions"))}


def test_an_image_stays_in_marks_when_its_verdict_changes(project: Project) -> None:
    first = released(project, "defect-verdict", REVIEWERS)
    judge(first, voting("RRR", "AAA"))
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


def test_a_reviewer_leaves_and_nobody_who_marked_takes_over(project: Project, marks_of_two: Batch) -> None:
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

    with pytest.raises((ChangeRefused, InvalidDesign)):
        change("ann1")
    change("rev4")
    held = batch.assignments.exclude(status="withdrawn")
    codes = sorted(held.values_list("annotator__code", flat=True))
    assert codes == ["rev1", *["rev2"] * 2, *["rev3"] * 2, "rev4"]
    # What was judged stays, and the one who joins gets the same marks.
    taken = held.get(annotator__code="rev4")
    assert nothing_yet(taken).payload["items"]


ROUNDS = 3


def send(pk: int, payload: Payload, replaces: int = 0) -> None:
    """What a request does: load the assignment, then submit."""
    found = Assignment.objects.select_related("batch__project", "annotator__user", "image")
    submit(found.get(pk=pk), payload, replaces)


def reopen(pk: int, replaces: int) -> Annotation:
    assignment = Assignment.objects.select_related("batch__project", "annotator__user").get(pk=pk)
    user = user_of(assignment.annotator)
    return reopen_annotation(assignment=assignment, actor=user, replaces=replaces, request_key=uuid4())


def checking(project: Project) -> Batch:
    batch = released(project, "defect-marks", MARKERS)
    by = {"ann1": marks(LEFT), "ann2": marks(RIGHT)}
    judge(batch, lambda each, _: by[each.annotator.code])
    return released(project, "defect-check", REVIEWERS, batch)


@at_once
def test_a_check_of_a_mark_that_is_being_changed_never_counts() -> None:
    project = make_people(ROUNDS)
    batch = checking(project)
    marked = batch.follows
    assert marked is not None
    for image in project.images.all():
        own = marked.assignments.get(image=image, annotator__code="ann1")
        held = list(batch.assignments.filter(image=image))
        given = nothing_yet(held[0]).payload
        for one in held[:2]:
            send(one.pk, votes(given, lambda _: True))

        def change(pk: int = own.pk) -> None:
            correct(Assignment.objects.get(pk=pk), marks(MOVED), lead_of(project))

        last = {"made_from": given["made_from"], **votes(given, lambda _: True)}
        jobs: list[Callable[[], Any]] = [partial(send, held[2].pk, last), change]
        outcomes = race(jobs)
        assert outcomes[1] is None
        # Taken before the change, it is outdated; after it, the vote on the changed mask is missing.
        assert outcomes[0] is None or type(outcomes[0]).__name__ == "InvalidPayload"
        row = ImageSummary.objects.get(image=image, protocol="defect-check", code="")
        assert row.score is None


@at_once
def test_reviewers_who_submit_at_once_decide_together() -> None:
    project = make_people(ROUNDS)
    batch = checking(project)
    for image in project.images.all():
        first, *others = batch.assignments.filter(image=image)
        given = nothing_yet(first).payload
        send(first.pk, votes(given, lambda _: False))
        assert race([partial(send, one.pk, votes(given, lambda _: True)) for one in others]) == [None, None]
        assert score(image) == 2.0
        assert ImageSummary.objects.get(image=image, protocol="defect-check", code="").apart


@at_once
def test_an_expert_decides_of_votes_as_they_are_or_not_at_all() -> None:
    project = make_people(ROUNDS)
    batch = checking(project)
    judge(batch, keep_all)
    for image in project.images.all():
        vote, lead = own(batch, "rev1", image).annotation, lead_of(project)
        looked_at = seen(annotations_of(image, "defect-check"))
        ruled = {**vote.payload, **votes(vote.payload, lambda _: False)}
        again = partial(reopen_for_annotator, actor=lead, reason="Look again.", request_key=uuid4())
        decide = partial(settle, image, "defect-check", ruled, lead, looked_at)
        jobs: list[Callable[[], Any]] = [decide, partial(again, annotation=vote)]
        decided, reopened = race(jobs)
        assert isinstance(reopened, Annotation)
        assert decided is None or isinstance(decided, AnnotationsChanged)
        assert Adjudication.objects.filter(image=image).count() == (decided is None)
        # What is decided of votes that are open again counts, and is listed.
        assert (image.pk in outdated_adjudications(project, "defect-check")) == (decided is None)
