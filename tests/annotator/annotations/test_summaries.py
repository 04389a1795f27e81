"""The summary of an image after every act that changes its ratings."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

import pytest

from annotator.annotations.adjudication import withdraw_adjudication
from annotator.annotations.summaries import FIELDS
from annotator.annotations.summary_values import CountedAnnotation, mask_of, summary_values
from annotator.models import Image, ImageSummary
from scoring.anatomy.protocol import ANATOMY
from scoring.presence.protocol import PRESENCE
from tests.annotator.acting import fresh, reopen, save, submit
from tests.annotator.adjudicating import make_case, settle
from tests.annotator.racing import race
from tests.factories import make_assignment, make_image, make_member, make_payload, make_project


def of(image: Image, code: str = "") -> dict[str, Any]:
    found: dict[str, Any] = ImageSummary.objects.filter(image=image, code=code).values(*FIELDS).get()
    return found


def counted(code: str, ratings: list[list[str]], **fields: Any) -> CountedAnnotation:
    row = {"payload": {"note": ""}, "flagged": False, "has_unread_terms": False}
    return CountedAnnotation(code, ratings, **{**row, **fields})


def test_values_of_two_annotators() -> None:
    one = counted(
        "A",
        [["cumulative_score", "", "3/4"], ["error_fraction", "missing.limbs.c", "3/4"]],
        payload={"note": " Left HAND ", "people": 2, "tags": [1]},
        flagged=True,
    )
    ratings = [["cumulative_score", "", "1/4"], ["error_fraction", "extra.face.a", "5/4"]]
    other = counted("B", ratings, payload={"people": 3, "tags": [1, 3]})
    found = summary_values([one, other], ANATOMY, None)
    assert found[""] == {
        "answers": 2,
        "mean": 0.5,
        "score": 0.5,
        "flagged": True,
        "people": 3,
        "tags": 5,
        "notes": "left hand",
        "marked": mask_of(["missing.limbs", "extra.face"]),
        "mild": mask_of(["extra.face"]),
        "moderate": 0,
        "severe": mask_of(["missing.limbs"]),
        "spread": 0.5,
        "apart": True,
        "adjudicated": False,
    }
    assert (found["A"]["mean"], found["A"]["marked"], found["A"]["spread"]) == (0.75, 2, None)
    assert (found["A"]["people"], found["A"]["tags"]) == (2, 1)
    adjudicated = summary_values([one, other], ANATOMY, [["cumulative_score", "", "1/3"]])
    scores = (adjudicated[""]["score"], adjudicated[""]["mean"], adjudicated["A"]["score"])
    assert scores == (1 / 3, 0.5, 0.75)
    assert [code for code, values in adjudicated.items() if values["adjudicated"]] == [""]


def test_equal_annotations_are_not_apart_and_presence_has_no_severities() -> None:
    ratings = [["cells_marked", "", "1"], ["presence", "missing.torso", "1"]]
    found = summary_values([counted("A", ratings), counted("B", ratings)], PRESENCE, None)[""]
    assert (found["apart"], found["spread"], found["score"]) == (False, 0.0, 1.0)
    assert (found["marked"], found["mild"], found["moderate"], found["severe"]) == (1, 0, 0, 0)
    assert summary_values([], PRESENCE, None) == {}


@pytest.mark.django_db
def test_submitting_reopening_and_submitting_again() -> None:
    assignment = make_assignment(make_member(make_project(), code="ann1"))
    image = assignment.image
    save(assignment)
    assert not ImageSummary.objects.exists()
    submit(assignment, make_payload([("missing.limbs", "1/4c")]), replaces=1)
    assert (of(image)["score"], of(image, "ann1")["score"], of(image)["spread"]) == (0.25, 0.25, None)
    reopen(assignment, replaces=2)
    assert not ImageSummary.objects.exists()
    submit(assignment, make_payload([("extra.hands", "1/2b")], note="Thumb"), replaces=3)
    found = of(image)
    values = (found["score"], found["moderate"], found["notes"])
    assert values == (0.25, mask_of(["extra.hands"]), "thumb")


@pytest.mark.django_db
def test_what_one_of_two_takes_back_leaves_the_summaries() -> None:
    project = make_project()
    first = make_assignment(make_member(project, code="ann1"))
    submit(first, make_payload([("missing.limbs", "1/4c")]))
    other = make_assignment(make_member(project, code="ann2"), batch=first.batch, image=first.image)
    submit(other, make_payload([("missing.limbs", "2/4c")]))
    reopen(other, replaces=1)
    codes = ImageSummary.objects.filter(image=first.image).order_by("code").values_list("code", flat=True)
    assert (list(codes), of(first.image)["answers"]) == (["", "ann1"], 1)


@pytest.mark.django_db
@pytest.mark.parametrize("purpose", ["training", "anchor", "repeat"])
def test_what_is_not_work_leaves_no_summary(purpose: str) -> None:
    assignment = make_assignment(make_member(make_project()), purpose=purpose)
    submit(assignment, make_payload([("missing.limbs", "1/4c")]), replaces=0)
    assert not ImageSummary.objects.exists()
    reopen(assignment, replaces=1)
    assert not ImageSummary.objects.exists()


@pytest.mark.django_db
def test_adjudicating_and_withdrawing() -> None:
    case = make_case(make_project())
    before = of(case.image)
    row = settle(case)
    assert (of(case.image)["score"], of(case.image)["adjudicated"]) == (row.number, True)
    assert of(case.image)["mean"] == before["mean"]
    withdraw_adjudication(
        image=case.image, protocol="anatomy", actor=case.user, replaces=1, request_key=uuid4()
    )
    assert of(case.image) == before


@pytest.mark.django_db(transaction=True)
def test_two_annotators_who_submit_at_once_are_both_in_it() -> None:
    project = make_project()
    for _ in range(5):
        image = make_image(project)
        members = [make_member(project) for _ in range(4)]
        pks = [make_assignment(member, image=image).pk for member in members]

        def act(pk: int) -> int:
            submit(fresh(pk), make_payload([("missing.limbs", "1/4c")]))
            return pk

        assert race([lambda pk=pk: act(pk) for pk in pks]) == pks  # type: ignore[misc]
        assert (of(image)["answers"], of(image)["score"]) == (4, 0.25)
        assert ImageSummary.objects.filter(image=image).count() == 5
