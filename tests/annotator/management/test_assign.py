"""`manage.py assign`: the plan as it is printed, and as it is stored."""

from __future__ import annotations

import json
from io import StringIO
from typing import Any

import pytest
from django.core.management import call_command

from annotator.models import Assignment, Batch, Event, Project
from tests.annotator.batches.second_stage.making import make_first
from tests.annotator.planned import make_study

pytestmark = pytest.mark.django_db


@pytest.fixture
def project() -> Project:
    return make_study("pilot")


def assign(*arguments: str, annotators: str = "A,B,C,D") -> str:
    out = StringIO()
    call_command("assign", "--project", "pilot", "--annotators", annotators, *arguments, stdout=out)
    return out.getvalue()


def as_json(*arguments: str, **how: str) -> dict[str, Any]:
    printed: dict[str, Any] = json.loads(assign("--json", *arguments, **how))
    return printed


def test_what_is_printed_is_what_is_stored(project: Project) -> None:
    printed = as_json("--seed", "7", "--name", "Main")
    batch = Batch.objects.get()
    assert printed["batch"] == {"id": batch.pk, "name": "Main"}
    stored = Assignment.objects.filter(batch=batch).order_by("annotator__code", "position")
    columns = ("image__source_name", "image__sha256", "image__generator", "image__prompt")
    assert [
        tuple(row[key] for key in ("image", "sha256", "generator", "prompt", "annotator", "position"))
        for row in printed["assignments"]
    ] == list(stored.values_list(*columns, "annotator__code", "position"))
    facts = {"seed", "algorithm", "batch", "balance", "unscored", "left_out"}
    assert set(printed) == {*facts, "assignments"}
    assert set(json.loads(assign("--dry-run"))) == facts
    assert (printed["seed"], batch.seed) == (7, 7)


def test_a_dry_run_shows_the_same_and_stores_nothing(project: Project) -> None:
    shown = as_json("--seed", "7", "--dry-run")
    assert (Batch.objects.count(), Assignment.objects.count(), Event.objects.count()) == (0, 0, 0)
    assert shown["batch"] is None
    assert shown == {**as_json("--seed", "7"), "batch": None}


class TestFollowing:
    """A second stage, whose images are drawn from another batch."""

    @pytest.fixture
    def first(self) -> Batch:
        return make_first(cells=lambda image, _: () if image % 3 == 0 else ("extra.limbs",), each=2)

    FOLLOWS = ("--follows", "Yes or no", "--protocol", "anatomy", "--name", "Counts")

    def test_what_is_drawn_is_printed_and_stored(self, first: Batch) -> None:
        wanted = (*self.FOLLOWS, "--draw", "sample", "--images", "9", "--control", "10", "--overlap", "1")
        printed = as_json(*wanted, annotators="A,B,C")
        batch = Batch.objects.get(name="Counts")
        assert (batch.follows_id, batch.protocol) == (first.pk, "anatomy")
        assert (printed["draw"]["images"], printed["draw"]["of"], printed["draw"]["control"]) == (10, 36, 1)
        assert printed["draw"]["left_out"] == [
            [11, "no marks"],
            [15, "not drawn"],
        ]
        assert len({row["sha256"] for row in printed["assignments"]}) == 10
        assert Event.objects.get().data["follows"]["way"] == "sample"
