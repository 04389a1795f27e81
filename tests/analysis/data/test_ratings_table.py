"""The data of a report: one row per annotation, attributes of images, and how work was done."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import numpy as np
import pytest
from django.utils import timezone

from analysis.data.conduct import INTERIM, conduct_of
from analysis.data.ratings_table import NoAnnotations, input_digest, input_digests, load_frame
from analysis.data.slices import load_slices
from analysis.protocols.anatomy.agreement import anatomy_agreement as agreement
from analysis.stats.generic.tables import rows_of
from annotator.annotations.summaries import summarise
from annotator.models import (
    Assignment,
    Batch,
    Event,
    Guideline,
    GuidelineVersion,
    ImageSummary,
    Membership,
    NormingSession,
    Plan,
    Project,
    Standing,
)
from tests.analysis.factories import EARLIER, make_submitted
from tests.analysis.wider_study import result_of
from tests.factories import make_assignment, make_batch, make_image, make_member, make_payload, make_project

pytestmark = pytest.mark.django_db


def test_one_row_per_answer(project: Project) -> None:
    frame = load_frame(project)
    rows = frame.annotations.sort_values(["generator", "prompt", "annotator"])
    columns = ["annotator", "generator", "prompt", "prompt_group", "batch", "number", "cumulative_score"]
    assert rows[columns].astype(object).to_numpy().tolist() == [
        ["anno1", "alpha", "hugging", "pair", "pilot", 1, 0.0],
        ["anno2", "alpha", "hugging", "pair", "pilot", 1, 0.1],
        ["anno1", "alpha", "jogging", "individual", "pilot", 1, 0.25],
        ["anno2", "alpha", "jogging", "individual", "pilot", 1, 0.125],
        ["anno1", "beta", "hugging", "pair", "pilot", 1, 0.2],
        ["anno1", "beta", "jogging", "individual", "pilot", 1, 0.75],
        ["anno2", "beta", "jogging", "individual", "pilot", 1, 1.0],
    ]
    assert frame.weights.tolist() == [0.2, 0.5, 1.0]
    assert np.bincount(frame.marks.severity, frame.marks.fraction).tolist() == [1.5, 0.75, 1.75]


def test_the_latest_answer_counts_where_one_person_judged_an_image_twice(project: Project) -> None:
    member = project.memberships.get(code="anno1")
    image = make_image(project)
    for batch, term, days in (("second", "1/2a", 2), ("third", "1/4a", 3), ("first", "1/1a", 1)):
        make_submitted(
            member,
            [("extra.face", term)],
            image=image,
            batch=make_batch(project, name=batch),
            submitted_at=EARLIER + timedelta(days=days),
        )
    rows = load_frame(project).annotations
    assert rows[rows["image"] == image.pk][["batch", "cumulative_score"]].to_numpy().tolist() == [
        ["third", 0.05]
    ]


@pytest.mark.databases
def test_an_annotation_at_random_keeps_its_place_beside_a_targeted_one() -> None:
    """A second stage by disagreement once replaced annotations at random, which then left alpha."""
    project = make_project("stages")
    people = [make_member(project, code=code) for code in ("anno1", "anno2")]
    at_random, stage = make_batch(project, name="random"), make_batch(project, name="disagreed")
    pictures = [make_image(project) for _ in range(8)]
    for place, image in enumerate(pictures):
        for number, person in enumerate(people):
            marks = [("missing.limbs", f"1/{2 + (place + number) % 5}c")]
            make_submitted(person, marks, image=image, batch=at_random, submitted_at=EARLIER)
    before = load_frame(project)
    for image in pictures[:4]:
        assignment = make_assignment(
            people[0], image=image, batch=stage, drawn=Assignment.Drawn.TARGETED, status="done"
        )
        make_submitted(people[0], [("missing.limbs", "1/1c")], assignment=assignment)
    after = load_frame(project)
    assert set(after.annotations["batch"]) == {"random"}
    assert len(after.at_random) == len(before.at_random) == 16
    assert agreement(after)["tables"][0] == agreement(before)["tables"][0]


def test_a_project_without_answers_is_refused() -> None:
    with pytest.raises(NoAnnotations, match=r"^Empty has no submitted annotations yet\.$"):
        load_frame(make_project(name="Empty"))


def test_the_digest_stays_while_nothing_changes(project: Project) -> None:
    assert input_digest(project) == input_digest(Project.objects.get(pk=project.pk))
    before = input_digest(project)
    make_submitted(make_member(make_project()))
    make_submitted(make_member(project), status="draft")
    assert input_digest(project) == before
    make_submitted(make_member(project), status="reopened")
    assert len(load_frame(project)) == 7
    make_submitted(make_member(project))
    assert input_digest(project) != before


NOBODY = {"annotators": 0, "annotations": 0}
COUNTS = ("planned", "open", "skipped", "withdrawn", "imported", "people", "left")
MORE = ("sessions", "changes", "interim")
EMPTY: dict[str, Any] = {
    **dict.fromkeys((*COUNTS, *MORE), 0),
    "training": NOBODY,
    "norming": NOBODY,
    "standings": {},
    "guidelines": [],
}


def test_every_record_is_counted_under_its_protocol() -> None:
    project, now = make_project(), timezone.now()
    ada, bob, cy = (make_member(project, code=code) for code in ("ada", "bob", "cy"))
    work, taught = make_batch(project, name="work"), make_batch(project, name="taught")
    elsewhere = make_batch(project, name="elsewhere", prompt_seen=Batch.Seen.UNKNOWN)
    other = make_batch(project, name="other", protocol="presence")

    def assigned(member: Membership, batch: Batch, status: str = "done", **fields: Any) -> None:
        made = make_assignment(member, image=make_image(project), batch=batch, **fields)
        place = None if status == "withdrawn" else made.position
        Assignment.objects.filter(pk=made.pk).update(status=status, position=place)

    for member, status in ((ada, "done"), (ada, "skipped"), (bob, "done"), (bob, "open"), (cy, "withdrawn")):
        assigned(member, work, status)
    for purpose, member in (("training", ada), ("training", ada), ("training", bob), ("norming", cy)):
        assigned(member, taught, purpose=purpose)
    assigned(cy, elsewhere)
    for member in (ada, cy):
        assigned(member, other)
    Membership.objects.filter(pk=bob.pk).update(is_active=False)
    for member, state in ((ada, "qualified"), (bob, "waived"), (cy, "lapsed")):
        Standing.objects.create(membership=member, protocol="anatomy", state=state, changed_at=now)
    NormingSession.objects.create(project=project, batch=taught, state="closed", revealed_at=now)
    guideline = Guideline.objects.create(project=project, protocol="anatomy", content={}, edited_at=now)
    for minor in (1, 0):
        GuidelineVersion.objects.create(
            guideline=guideline, major=1, minor=minor, content={}, published_at=now
        )
    for kind in ("release", "change", "change"):
        Plan.objects.create(batch=work, kind=kind, algorithm="a", annotators=[])
    Event.objects.create(project=project, verb=INTERIM, data={"done": 1, "total": 2})
    assert conduct_of(project, "anatomy") == {
        "planned": 4,
        "open": 1,
        "skipped": 1,
        "withdrawn": 1,
        "imported": 1,
        "training": {"annotators": 2, "annotations": 3},
        "norming": {"annotators": 1, "annotations": 1},
        "people": 2,
        "left": 1,
        # Who has no work under the protocol is not counted.
        "standings": {"qualified": 1, "waived": 1},
        "sessions": 1,
        "guidelines": ["1.0", "1.1"],
        "changes": 2,
        "interim": 1,
    }
    assert conduct_of(project, "presence") == {**EMPTY, "planned": 2, "people": 2, "interim": 1}
    assert Assignment.objects.count() == 12


def test_people_and_tags_of_anatomy() -> None:
    project = make_project(tags=["twinning", "", "stereotype"])
    batch, annotators = make_batch(project), [make_member(project, code=code) for code in "AB"]
    counts = [(1, 2), (2, 2), (3, None), (5, 9), (None, None)]
    images = [make_image(project, generator=f"g{place % 2}") for place in range(5)]
    for image, people in zip(images, counts, strict=True):
        for annotator, count in zip(annotators, people, strict=True):
            payload = make_payload(people=count) | ({"tags": [1, 2]} if count == 9 else {})
            make_submitted(annotator, payload=payload, image=image, batch=batch)
    summarise(project.pk, [image.pk for image in images], "anatomy")
    first, second, third, fourth, _ = (image.pk for image in images)
    assert load_slices(project, "anatomy") == {
        "attributes": {"People counted": {first: "2", second: "2", third: "3–4", fourth: "5+"}},
        "tags": {"twinning": {fourth}, "stereotype": set()},
    }
    result = result_of(project, "comparison")
    columns = ("attribute_value", "annotations", "images")
    assert [tuple(row[name] for name in columns) for row in rows_of(result, "slices")] == [
        ("2", 4, 2),
        ("3–4", 2, 1),
        ("5+", 2, 1),
    ]
    words = {made["name"]: made["words"] for made in result["tables"]}
    assert words["slices"].endswith(" People counted: 1 image has no value.")
    by_generator = ("tag", "generator", "ticked", "images", "share")
    assert [tuple(row[name] for name in by_generator) for row in rows_of(result, "tags")] == [
        ("stereotype", "g0", 0, 3, 0.0),
        ("stereotype", "g1", 0, 2, 0.0),
        ("twinning", "g0", 0, 3, 0.0),
        ("twinning", "g1", 1, 2, 0.5),
    ]
    # Under a protocol that counts no people, those of the image count.
    assert load_slices(project, "presence")["attributes"] == load_slices(project, "anatomy")["attributes"]
    counted = [input_digests(project, slug).of("comparison") for slug in ("anatomy", "presence")]
    ImageSummary.objects.filter(project=project, image=fourth, code="").update(people=1)
    recounted = [input_digests(project, slug).of("comparison") for slug in ("anatomy", "presence")]
    assert [one == other for one, other in zip(counted, recounted, strict=True)] == [True, False]
    before = input_digests(project)
    project.tags = ["twins", "", "stereotype"]
    assert before.of("comparison") != input_digests(project).of("comparison")
    assert before.of("agreement") == input_digests(project).of("agreement")
