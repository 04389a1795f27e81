"""References: made, explained, replaced, retired; training with them: batches, passes, feedback."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from annotator.batches.assignments import InvalidBatch
from annotator.models import Batch, Event, Reference
from annotator.records.project_deletion import DeletionRefused
from annotator.training.feedback import feedback_on, progress_by_annotator
from annotator.training.references import (
    add_reference,
    components_of,
    explain_reference,
    reference_of,
    retire_reference,
)
from annotator.training.training_batches import repeat_training, training_among
from tests.annotator import acting
from tests.annotator.acting import delete_with_all
from tests.annotator.planned import given
from tests.annotator.training.making import Course, submit
from tests.factories import ANSWER, REFERENCE, make_assignment, make_image, make_payload
from tests.support.codes import refused

pytestmark = pytest.mark.django_db


def made(course: Course, **changed: Any) -> Reference:
    asked: dict[str, Any] = {
        "image": course.images[0],
        "protocol": "anatomy",
        "payload": make_payload([("missing.face", "1/2a"), ("extra.feet", "1/2b")]),
        "origin": Reference.Origin.ADJUDICATED,
        "actor": course.lead.user,
    }
    return add_reference(**{**asked, **changed})


def test_a_reference_holds_the_exact_score_and_its_rationales(course: Course) -> None:
    first = course.references[0]
    assert first.ratings[0] == ["cumulative_score", "", "67/60"]
    assert first.rationales == {"missing.face": "The mouth is missing in both faces."}
    assert components_of(first) == ["missing.limbs", "missing.hands", "missing.face", "configuration.hands"]
    assert components_of(course.references[1]) == []


def test_a_new_value_is_a_new_version_and_keeps_what_still_applies(course: Course) -> None:
    second = made(course, rationales={"extra.feet": "A third foot."})
    assert (second.version, second.status, second.origin) == (2, "active", "adjudicated")
    assert second.rationales == {
        "missing.face": "The mouth is missing in both faces.",
        "extra.feet": "A third foot.",
    }
    first = Reference.objects.get(pk=course.references[0].pk)
    assert (first.status, first.version) == ("retired", 1)
    assert reference_of(course.images[0], "anatomy") == second


def test_the_same_value_again_changes_nothing(course: Course) -> None:
    second = made(course)
    assert made(course) == second
    assert Reference.objects.filter(image=course.images[0]).count() == 2
    assert Event.objects.filter(verb="reference_added").count() == 3


def test_rationales_are_replaced_and_the_event_keeps_the_earlier_ones(course: Course) -> None:
    told = explain_reference(
        reference=course.references[0],
        rationales={"missing.face": "", "missing.hands": "  One hand ends at the wrist. "},
        actor=course.actor,
    )
    assert told.rationales == {"missing.hands": "One hand ends at the wrist."}
    event = Event.objects.filter(verb="reference_explained").get()
    assert event.data["replaced"] == {"missing.face": "The mouth is missing in both faces."}
    kept = explain_reference(
        reference=told, rationales={"missing.limbs": "A leg ends at the knee."}, actor=course.actor
    )
    assert kept.rationales == {
        "missing.limbs": "A leg ends at the knee.",
        "missing.hands": "One hand ends at the wrist.",
    }


def test_a_referenced_image_is_not_deleted(course: Course) -> None:
    with pytest.raises(
        DeletionRefused, match=r"this image’s reference \(Anatomical errors in 25 cells\)"
    ) as refused:
        delete_with_all(course.images[0], course.actor)
    assert refused.value.code == "referenced"
    assert course.project.images.count() == 2
    retire_reference(reference=course.references[0], actor=course.actor)
    delete_with_all(course.images[0], course.actor)
    assert course.project.images.count() == 1


def test_a_retired_reference_is_no_longer_used(course: Course) -> None:
    first = course.references[0]
    assert retire_reference(reference=first, actor=course.actor)
    assert not retire_reference(reference=first, actor=course.actor)
    assert reference_of(first.image, "anatomy") is None
    assert Event.objects.filter(verb="reference_retired").count() == 1
    assert made(course).version == 2


def test_everybody_gets_every_image_in_the_chosen_order(course: Course) -> None:
    chosen = [one.pk for one in reversed(course.references)]
    batch = course.batch(references=chosen, people=[course.bob, course.ada])
    rows = batch.assignments.order_by("annotator__code", "position")
    assert [(row.annotator.code, row.position, row.image, row.purpose) for row in rows] == [
        (code, place, image, "training")
        for code in ("ada", "bob")
        for place, image in enumerate(reversed(course.images), 1)
    ]
    assert training_among(Batch.objects.all()) == {batch.pk}
    event = Event.objects.get(verb="batch_released")
    assert (event.data["purpose"], event.data["assignments"]) == ("training", {"ada": 2, "bob": 2})


@pytest.mark.parametrize(
    ("changed", "code"),
    [
        ({"references": []}, "no-references"),
        ({"references": [0]}, "retired"),
        ({"references": list(range(31))}, "too-many"),
        ({"people": []}, "nobody"),
        ({"protocol": "presence"}, "retired"),
    ],
)
def test_what_cannot_be_trained_is_refused(course: Course, changed: dict[str, Any], code: str) -> None:
    with refused(InvalidBatch, code):
        course.batch(**changed)
    assert not Batch.objects.exists()


def test_an_image_cannot_be_work_and_training_of_one_person(course: Course) -> None:
    make_assignment(course.ada, image=course.images[0])
    with pytest.raises(InvalidBatch, match=r"work: ada \(1\)"):
        course.batch()
    batch = course.batch(people=[course.bob])
    with pytest.raises(InvalidBatch, match=r"training: bob \(1\)"):
        given("Work", [course.images[1]], course.bob)
    assert given("Work", [make_image(course.project)], course.bob).pk > batch.pk


def test_a_finished_training_can_be_repeated_without_limit(course: Course) -> None:
    batch = course.batch()
    assert not repeat_training(batch, course.ada)
    for again in range(3):
        rows = list(batch.assignments.filter(pass_no=again).order_by("position"))
        assert [row.image for row in rows] == course.images
        assert [row.position for row in rows] == [2 * again + 1, 2 * again + 2]
        for row in rows:
            submit(row, REFERENCE)
        assert repeat_training(batch, course.ada)


def test_the_worked_example_is_shown_cell_by_cell(course: Course) -> None:
    row = course.batch().assignments.get(position=1)
    acting.save(row, make_payload(ANSWER))
    row.refresh_from_db()
    assert feedback_on(row) is None
    acting.submit(row, make_payload(ANSWER), 1)
    row.refresh_from_db()
    found = feedback_on(row)
    assert found is not None
    assert (found["own_score"], found["reference_score"]) == (Fraction(53, 60), Fraction(67, 60))
    assert [cell["key"] for cell in found["matching"]] == ["missing.limbs"]
    assert [
        (
            cell["number"],
            cell["key"],
            *(", ".join(term for term, _ in terms) for _, terms in cell["sides"]),
            cell["words"],
            cell["rationale"],
        )
        for cell in found["differing"]
    ] == [
        (1, "missing.hands", "1/4c", "1/3b", "Total and severity differ", ""),
        (2, "missing.face", "", "2/2a", "You missed this", "The mouth is missing in both faces."),
        (3, "configuration.hands", "1/3c", "1/3b, 1/3c", "Count and severity differ", ""),
        (4, "proportion.limbs", "1/4a", "", "Not in the reference", ""),
    ]
    sides = found["differing"][2]["sides"]
    assert sides == [("You", [("1/3c", "c")]), ("Ref.", [("1/3b", "b"), ("1/3c", "c")])]


def test_progress_pools_the_latest_pass(course: Course) -> None:
    batch = course.batch()
    first, second = batch.assignments.order_by("position")
    submit(first, ANSWER)
    for done, alone in ((1, 1), (2, 2)):
        progress = progress_by_annotator(batch, [course.ada.pk])[course.ada.pk]
        found = progress["compared"]
        assert (progress["done"], progress["total"]) == (done, 2)
        assert (found.found, found.marked, found.alone) == (3, 4, alone)
        if done == 1:
            submit(second, [("extra.face", "1/1a")])
