"""`manage.py assign`: the plan as it is printed, and as it is stored."""

from __future__ import annotations

import json
from collections import Counter
from io import StringIO
from itertools import combinations
from typing import Any

import pytest
from django.core.management import call_command

from annotator.models import Assignment, Batch, Event, Image, Project
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
    assert set(printed) == {"seed", "algorithm", "batch", "balance", "assignments"}
    assert (printed["seed"], batch.seed) == (7, 7)


def test_a_dry_run_shows_the_same_and_stores_nothing(project: Project) -> None:
    shown = as_json("--seed", "7", "--dry-run")
    assert (Batch.objects.count(), Assignment.objects.count(), Event.objects.count()) == (0, 0, 0)
    assert shown["batch"] is None
    assert shown == {**as_json("--seed", "7"), "batch": None}


def test_the_published_design_is_even(project: Project) -> None:
    """240 images, 3 generators, 10 prompts, 4 annotators, a quarter shared: all of it comes out exactly."""
    Image.objects.all().delete()
    Image.objects.bulk_create(
        Image(
            project=project,
            sha256=f"{generator}{prompt}{number}",
            source_name=f"{generator}-{prompt}-{number}.png",
            generator=f"generator-{generator}",
            prompt=f"prompt-{prompt}",
            number=number,
            width=8,
            height=8,
        )
        for generator in range(3)
        for prompt in range(10)
        for number in range(8)
    )
    rows = as_json("--overlap", "0.25", "--per-image", "2", "--seed", "7", "--dry-run")["assignments"]
    assert Counter(row["annotator"] for row in rows) == dict.fromkeys("ABCD", 75)
    assert set(Counter((row["annotator"], row["generator"]) for row in rows).values()) == {25}
    assert set(Counter((row["annotator"], row["prompt"]) for row in rows).values()) == {7, 8}
    holders: dict[str, list[str]] = {}
    for row in rows:
        holders.setdefault(row["image"], []).append(row["annotator"])
    pairs = Counter(pair for codes in holders.values() for pair in combinations(sorted(codes), 2))
    assert pairs == dict.fromkeys(combinations("ABCD", 2), 10)
    assert {row["image"] for row in rows if row["overlap"]} == {
        image for image, codes in holders.items() if len(codes) == 2
    }


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
