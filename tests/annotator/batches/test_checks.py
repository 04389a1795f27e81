"""Anchors and repeats of a batch: chosen, released, verified, and kept when annotators change."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import pytest
from django.utils import timezone

from annotator.batches.assignments import InvalidBatch
from annotator.batches.designs import Selection
from annotator.batches.people_changes import propose_people_change
from annotator.batches.planning import InvalidDesign
from annotator.batches.previews import preview_of
from annotator.batches.releases import release_requested
from annotator.batches.requests import BatchRequest, requested_plan
from annotator.models import Batch, Event, Image, Project, Reference
from tests.annotator.planned import changed, faults_in, given, make_study, people_of
from tests.factories import make_assignment, make_batch, make_image, make_payload

pytestmark = pytest.mark.django_db


def refer(images: Sequence[Image]) -> None:
    for image in images:
        payload = make_payload([("missing.hands", "1/3b")])
        Reference.objects.create(
            image=image,
            protocol="anatomy",
            origin="planted",
            payload=payload,
            ratings=[],
            made_at=timezone.now(),
        )


def asked(project: Project, codes: str = "ABCD", **how: Any) -> BatchRequest:
    people = tuple(person.pk for person in people_of(project, codes))
    given: dict[str, Any] = {"name": "checked", "seed": 7, "anchors": 5, "repeats": 5, **how}
    return BatchRequest(people=people, **given)


def release(project: Project, request: BatchRequest) -> Batch:
    digest = requested_plan(project, request).digest()
    return release_requested(project=project, request=request, digest=digest, basis=None, request_key=None)


def purposes(batch: Batch, code: str, **which: Any) -> Counter[str]:
    held = batch.assignments.filter(annotator__code=code, position__isnull=False, **which)
    return Counter(held.order_by().values_list("purpose", flat=True))


@pytest.fixture
def project() -> Project:
    """120 images outside the references, and three images with a reference of another prompt."""
    project = make_study("pilot", "ABCDE", generators=3, prompts=20)
    refer([make_image(project, generator="generator-0", prompt="reference") for _ in range(3)])
    return project


def without_references(project: Project) -> Selection:
    prompts = project.images.exclude(prompt="reference").values_list("prompt", flat=True).distinct()
    return Selection(prompts=tuple(sorted(prompts)))


@pytest.fixture
def batch(project: Project) -> Batch:
    """A batch of A to D: 37 or 38 images each, an anchor and a repeat."""
    return release(project, asked(project, selection=without_references(project)))


def test_everybody_has_the_same_anchor_and_own_repeats(batch: Batch) -> None:
    assert faults_in(batch) == []
    anchors = batch.assignments.filter(purpose="anchor")
    assert anchors.values("image").distinct().count() == 1
    assert set(anchors.values_list("image__prompt", "pass_no", "drawn")) == {("reference", 0, "single")}
    for code in "ABCD":
        assert purposes(batch, code)["anchor"] == purposes(batch, code)["repeat"] == 1
        again = batch.assignments.get(annotator__code=code, purpose="repeat")
        first = batch.assignments.get(annotator__code=code, image=again.image, purpose="work")
        assert (again.pass_no, again.drawn, first.pass_no) == (1, "single", 0)
        assert (again.position or 0) - (first.position or 0) >= 30
    said = Event.objects.get(verb="batch_released").data
    assert (said["anchors"], said["repeats"]) == (1, 4)


def test_what_was_an_anchor_may_be_one_again(project: Project, batch: Batch) -> None:
    again = asked(project, name="again", selection=without_references(project))
    facts = preview_of(project, again)
    assert (facts["checks"]["anchors"], facts["refused"]) == (1, None)
    assert release(project, again).name == "again"


def test_a_newcomer_gets_anchors_and_repeats_and_the_others_keep_theirs(batch: Batch) -> None:
    kept = {
        code: set(
            batch.assignments.filter(annotator__code=code, purpose="anchor").values_list("pk", "status")
        )
        for code in "ACD"
    }
    done = batch.assignments.filter(annotator__code="B", purpose="anchor")
    done.update(status="done")
    leaving, joining = people_of(batch.project, "B"), people_of(batch.project, "E")
    change = propose_people_change(batch=batch, leaving=leaving, joining=joining)
    changed(batch, "B", "E")
    assert faults_in(batch) == []
    assert purposes(batch, "B") == {"anchor": 1}
    assert purposes(batch, "E")["anchor"] == purposes(batch, "E")["repeat"] == 1
    assert done.get().image == batch.assignments.get(annotator__code="E", purpose="anchor").image
    for code, rows in kept.items():
        now = batch.assignments.filter(annotator__code=code, purpose="anchor").values_list("pk", "status")
        assert set(now) == rows
    shares = {code: total for code, *_, total in change.loads()}
    assert shares == {code: purposes(batch, code).total() for code in "ABCDE"}


@pytest.mark.parametrize("purpose", ["work", "training", "qualification", "norming"])
def test_a_newcomer_gets_no_anchor_that_they_know(project: Project, purpose: str) -> None:
    request = asked(project, anchors=20, repeats=0, selection=without_references(project))
    refer([make_image(project, prompt="reference") for _ in range(4)])
    batch = release(project, request)
    anchors = batch.assignments.filter(annotator__code="B", purpose="anchor").order_by("image")
    assert anchors.count() == 7
    other = make_batch(project, name="other")
    known = [row.image for row in anchors[:3]]
    for image in known:
        make_assignment(people_of(project, "E")[0], batch=other, image=image, purpose=purpose)
    changed(batch, "B", "E")
    given_to = batch.assignments.filter(annotator__code="E", purpose="anchor")
    assert set(given_to.values_list("image", flat=True)) == {row.image_id for row in anchors[3:]}
    assert faults_in(batch) == []


def test_anchors_come_from_the_batch_only_if_there_are_too_few_outside(project: Project) -> None:
    inside = list(project.images.filter(prompt="prompt-0")[:4])
    refer(inside)
    request = asked(project, anchors=15, selection=without_references(project))
    plan = requested_plan(project, request)
    keys = {one.key for one in plan.design.checks.anchors}
    outside = set(project.images.filter(prompt="reference").values_list("sha256", flat=True))
    assert len(keys) == 5
    assert outside < keys
    assert keys - outside <= {image.sha256 for image in inside}
    assert len(plan.design.images) == 118
    batch = release(project, request)
    # An anchor is never offered as new work, nor given to the same people as work.
    nobody = asked(project, name="rest", selection=Selection(unassigned=True))
    with pytest.raises(InvalidDesign):
        requested_plan(project, nobody)
    everything = asked(project, name="again", anchors=0, selection=Selection(prompts=("prompt-0",)))
    assert len(requested_plan(project, everything).design.images) == 4
    assert preview_of(project, everything)["familiar"] == 2
    held = people_of(project, "A")[0]
    anchor = batch.assignments.filter(purpose="anchor")[0].image
    with pytest.raises(InvalidBatch, match="are anchors for annotators") as refused:
        given("by hand", [anchor], held)
    assert refused.value.code == "anchors"
    assert batch.assignments.filter(purpose="anchor").count() == 20


@pytest.mark.parametrize("purpose", ["work", "training"])
def test_an_image_somebody_has_had_is_no_anchor(project: Project, purpose: str) -> None:
    known, *others = project.images.filter(prompt="reference")
    other = make_batch(project, name="other")
    make_assignment(people_of(project, "C")[0], image=known, batch=other, purpose=purpose)
    request = asked(project, anchors=20, selection=without_references(project))
    plan = requested_plan(project, request)
    assert {one.key for one in plan.design.checks.anchors} == {image.sha256 for image in others}
    told = preview_of(project, request)["checks"]
    assert (told["anchors"], told["anchors_wanted"]) == (2, 7)
    digest = plan.digest()
    make_assignment(people_of(project, "A")[0], image=others[0], batch=other)
    with pytest.raises(InvalidBatch):
        release_requested(project=project, request=request, digest=digest, basis=None, request_key=None)
