"""What the statistics get to see."""

from __future__ import annotations

import time
from datetime import timedelta

import pytest

from analysis.data import ratings_table
from analysis.data.ratings_table import (
    NoAnnotations,
    input_digest,
    load_counted,
    load_frame,
)
from analysis.protocols.anatomy.agreement import anatomy_agreement as agreement
from analysis.stats.frames import RatingsFrame
from annotator.models import Assignment, Project
from tests.analysis.factories import EARLIER, make_submitted, make_unread
from tests.factories import make_assignment, make_batch, make_image, make_member, make_project

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
    assert frame.fractions.sum(axis=(0, 1)).tolist() == [1.5, 0.75, 1.75]


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


def test_chunks_make_no_difference(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    heard: list[tuple[int, int]] = []
    whole = load_frame(project, lambda done, total: heard.append((done, total)))
    monkeypatch.setattr(ratings_table, "CHUNK", 3)
    parts = load_frame(project, lambda done, total: heard.append((done, total)))
    assert parts.annotations.equals(whole.annotations)
    assert parts.fractions.tolist() == whole.fractions.tolist()
    assert heard == [(0, 7), (0, 7), (3, 7), (6, 7)]


def test_other_projects_drafts_and_reopened_answers_are_left_out(project: Project) -> None:
    make_submitted(make_member(make_project()))
    make_submitted(make_member(project), status="draft")
    make_submitted(make_member(project), status="reopened")
    assert len(load_frame(project)) == 7


def test_an_image_without_a_number_is_number_0(project: Project) -> None:
    image = make_image(project, number=None)
    make_submitted(make_member(project), image=image)
    rows = load_frame(project).annotations
    assert rows[rows["image"] == image.pk]["number"].tolist() == [0]


def test_a_project_without_answers_is_refused() -> None:
    with pytest.raises(NoAnnotations, match=r"^Empty has no submitted annotations yet\.$"):
        load_frame(make_project(name="Empty"))


def test_the_digest_stays_while_nothing_changes(project: Project) -> None:
    assert input_digest(project) == input_digest(Project.objects.get(pk=project.pk))
    before = input_digest(project)
    make_submitted(make_member(make_project()))
    make_submitted(make_member(project), status="draft")
    assert input_digest(project) == before
    make_submitted(make_member(project))
    assert input_digest(project) != before


@pytest.mark.study
def test_the_published_study_loads(published: Project) -> None:
    begun = time.monotonic()
    frame = load_frame(published)
    assert time.monotonic() - begun < 5
    assert (len(frame), len(set(frame.annotations["image"]))) == (300, 240)
    assert set(frame.annotations["prompt_group"]) == {"individual", "pair", "group"}


def test_an_answer_of_which_nothing_was_read_is_missing(project: Project) -> None:
    whole = load_frame(project)
    member, image = project.memberships.get(code="anno2"), project.images.earliest("pk")
    # The same person's later answer, and that on an image of its own: neither is a score of 0.
    make_unread(member, image, make_batch(project, name="second"))
    make_unread(member, make_image(project), make_batch(project, name="third"))
    frame, counting = load_counted(project)
    assert counting.not_counted == {"nothing_read": 2}
    assert isinstance(frame, RatingsFrame)
    assert frame.scores.tolist() == whole.scores.tolist()
    assert frame.annotations["annotation"].tolist() == whole.annotations["annotation"].tolist()
