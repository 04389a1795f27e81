"""The demo's training: what was planted is what its references say."""

from __future__ import annotations

import csv
import json
import stat
from collections import defaultdict
from pathlib import Path

import pytest

from annotator.demo.projects import ANNOTATORS, DATA, LEAD, ready_accounts
from annotator.demo.training import EXAM, LESSONS, NEWCOMER, TRAINING, build_qualification, build_training
from annotator.models import Assignment, Attempt, Image, Membership, Project, Reference, User
from scoring.grid.taxonomy import ERROR_TYPES
from tests.factories import make_member, make_project, make_stored_image

pytestmark = pytest.mark.django_db

TRUTH = DATA / "data" / "truth.csv"


@pytest.fixture
def project() -> Project:
    """The images of the lessons, and a few more."""
    project = make_project("demo")
    for generator, prompt, number in (*LESSONS, ("model-a", "person waving", 5)):
        make_stored_image(project, generator=generator, prompt=prompt, number=number)
    return project


@pytest.fixture
def taught(project: Project) -> tuple[Membership, User]:
    """Somebody new and the lead, after the training was made."""
    person, lead = make_member(project, code=NEWCOMER), make_member(project, Membership.Role.LEAD).user
    assert lead is not None
    build_training(project, TRUTH, person, lead)
    return person, lead


def planted() -> dict[tuple[str, str, int], dict[str, set[tuple[str, int, int, float]]]]:
    """The severity, numbers and position of each planted error, by image and cell."""
    found: dict[tuple[str, str, int], dict[str, set[tuple[str, int, int, float]]]] = defaultdict(dict)
    with TRUTH.open(newline="") as file:
        for row in csv.DictReader(file):
            place = (row["generator"], row["prompt"], int(row["number"]))
            mark = (row["severity"], int(row["affected"]), int(row["total"]), float(row["x"]))
            found[place].setdefault(row["cell"], set()).add(mark)
    return found


def test_a_reference_states_every_planted_error_and_why(
    project: Project, taught: tuple[Membership, User]
) -> None:
    truth, seen = planted(), set()
    for reference in Reference.objects.select_related("image"):
        image: Image = reference.image
        assert image.number is not None
        said: dict[str, set[tuple[str, int, int, float]]] = defaultdict(set)
        for mark in reference.payload["marks"]:
            [pin] = mark["pins"]
            said[f"{mark['type']}.{mark['part']}"].add(
                (mark["severity"], mark["affected"], mark["total"], pin["x"])
            )
            seen.add(mark["type"])
        assert said == truth.get((image.generator, image.prompt, image.number), {})
        assert set(reference.rationales) == set(said)
        assert reference.payload["no_errors"] == (not said)
        assert (reference.origin, reference.version) == ("planted", 1)
    assert Reference.objects.count() == len(LESSONS)
    assert seen == set(ERROR_TYPES)
    first = Reference.objects.get(image__generator="model-a", image__number=2)
    assert first.rationales == {"missing.hands": "Hand missing: 1 of 2 hands, severe (c)."}


def test_the_newcomer_trains_in_the_order_of_the_lessons_and_only_once(
    project: Project, taught: tuple[Membership, User]
) -> None:
    person, lead = taught
    build_training(project, TRUTH, person, lead)
    rows = Assignment.objects.order_by("position").select_related("image", "batch")
    assert [(row.image.generator, row.image.prompt, row.image.number) for row in rows] == list(LESSONS)
    assert {(row.batch.name, row.purpose, row.annotator_id) for row in rows} == {
        (TRAINING, "training", person.pk)
    }


def test_then_the_newcomer_qualifies_on_other_images(
    project: Project, taught: tuple[Membership, User]
) -> None:
    for generator, prompt, number in EXAM:
        make_stored_image(project, generator=generator, prompt=prompt, number=number)
    for _ in range(2):
        build_qualification(project, TRUTH, *taught)
    attempt = Attempt.objects.get()
    held = attempt.qualification
    assert (held.images, held.attempts, held.waiting_hours) == (5, 2, 0)
    assert (len(held.pool), len(attempt.references)) == (10, 5)
    trained = taught[0].assignments.filter(purpose="training")
    assert set(held.pool).isdisjoint(trained.values_list("image", flat=True))
    assert set(held.rule) == {"difference", "recall", "precision"}


def test_accounts_made_before_somebody_new_came_keep_their_passwords(tmp_path: Path) -> None:
    path = tmp_path / "var" / "accounts.json"
    earlier = {one.username: one.password for one in ready_accounts(path, newcomer=False)}
    assert set(earlier) == {LEAD, *ANNOTATORS}
    assert not User.objects.filter(username=NEWCOMER).exists()
    later = {one.username: one.password for one in ready_accounts(path)}
    assert later == {**earlier, NEWCOMER: later[NEWCOMER]} == json.loads(path.read_text())
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
