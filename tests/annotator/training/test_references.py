"""References: made, explained, replaced, retired."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import IntegrityError, transaction

from annotator.models import Event, Reference
from annotator.records.image_deletion import delete_image
from annotator.records.project_deletion import DeletionRefused
from annotator.training.references import (
    ReferenceRefused,
    active_references,
    add_reference,
    components_of,
    explain_reference,
    reference_of,
    retire_reference,
)
from tests.annotator.training.making import Course
from tests.factories import make_payload, user_of

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


def test_an_image_has_one_reference_in_use(course: Course) -> None:
    first = course.references[0]
    with pytest.raises(IntegrityError), transaction.atomic():
        Reference.objects.create(
            image=first.image,
            protocol="anatomy",
            version=9,
            origin="imported",
            payload={},
            ratings=[],
            made_at=first.made_at,
        )


def test_rationales_are_replaced_and_the_event_keeps_the_earlier_ones(course: Course) -> None:
    told = explain_reference(
        reference=course.references[0],
        rationales={
            "missing.face": "",
            "missing.hands": "  One hand ends at the wrist. ",
        },
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
        delete_image(image=course.images[0], reason="Not ours.", actor=course.actor)
    assert refused.value.code == "referenced"
    assert course.project.images.count() == 2
    retire_reference(reference=course.references[0], actor=course.actor)
    delete_image(image=course.images[0], reason="Not ours.", actor=course.actor)
    assert course.project.images.count() == 1


def test_a_retired_reference_is_no_longer_used(course: Course) -> None:
    first = course.references[0]
    assert retire_reference(reference=first, actor=course.actor)
    assert not retire_reference(reference=first, actor=course.actor)
    assert reference_of(first.image, "anatomy") is None
    assert Event.objects.filter(verb="reference_retired").count() == 1
    assert made(course).version == 2


def test_only_a_lead_changes_references(course: Course) -> None:
    ada = user_of(course.ada)
    for act in (
        lambda: made(course, actor=ada),
        lambda: retire_reference(reference=course.references[0], actor=ada),
        lambda: explain_reference(reference=course.references[0], rationales={}, actor=ada),
    ):
        with pytest.raises(ReferenceRefused, match="lead"):
            act()
    assert list(active_references(course.project, "anatomy")) == course.references
