"""The report of a data set, and its files: worked numbers, and empty files that say why."""

from __future__ import annotations

import csv
from fractions import Fraction
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command

from analysis.data.data_sets import read_data_set
from analysis.stats.generic.tables import rows_of
from analysis.tables.generic import result_methods
from annotator.data_sets.filtering import store_detections
from annotator.data_sets.settings import DataSetSettings, save_settings
from annotator.models import Image, Project
from scoring.data_sets.filters import Detected
from scoring.data_sets.splits import Splitting
from scoring.realism.protocol import REALISM
from tests.analysis.api.callers import calling
from tests.analysis.mixed import answered
from tests.analysis.wider_study import result_of
from tests.factories import LEAD, make_batch, make_image, make_member, make_project

pytestmark = [pytest.mark.django_db, pytest.mark.databases]
# The worked example: three equal ratings r below 9 give r, and a b b give the mean of the two highest.
WORKED = {
    "p1": {"i1": "1 1 2", "i2": "2 2 3", "i3": "7 7 8", "i4": "9 9 9", "i5": "5 5 5"},
    "p2": {"i6": "2 2 2", "i7": "8 8 9 8 9", "i8": "3 3 3", "i9": "7 7 7"},
}


class Study:
    """A project with raters, whose images get ratings; x is an invalid vote."""

    def __init__(self, rated: dict[str, dict[str, str]] | None = None) -> None:
        self.project: Project = make_project("data")
        self.lead = make_member(self.project, LEAD, code="lead").user
        self.batch = make_batch(self.project, name="Realism", protocol="realism")
        self.raters = [make_member(self.project, code=f"r{n}") for n in range(5)]
        self.images: dict[str, Image] = {}
        for prompt, own in (WORKED if rated is None else rated).items():
            for name, ratings in own.items():
                self.images[name] = self.image(prompt, name, ratings)

    def image(self, prompt: str, name: str, ratings: str = "", **fields: Any) -> Image:
        fields = {"generator": "gA", "source_name": f"{name}.png", **fields}
        image = make_image(self.project, prompt=prompt, **fields)
        for rater, rating in zip(self.raters, ratings.split(), strict=False):
            given = {"invalid": "no_person"} if rating == "x" else {"rating": int(rating)}
            answered(REALISM, rater, image, self.batch, given)
        return image

    def result(self) -> dict[str, Any]:
        return result_of(self.project, "data_set", "realism")

    def rows(self, layout: str, path: Path) -> list[dict[str, str]]:
        call_command("export", project="data", protocol="realism", layout=layout, output=str(path))
        with path.open(encoding="utf-8", newline="") as file:
            return list(csv.DictReader(file))


@pytest.fixture
def study() -> Study:
    study = Study()
    everything = DataSetSettings(splitting=Splitting(7, 0, 0))
    save_settings(study.project, everything, None)
    return study


def test_the_worked_example(study: Study, tmp_path: Path) -> None:
    scores = {i.name.removesuffix(".png"): i.score for i in read_data_set(study.project, "realism").images}
    found = [scores[name] for name in ("i1", "i2", "i3", "i4", "i6", "i8", "i9")]
    assert found == [Fraction(3, 2), Fraction(5, 2), Fraction(15, 2), 9, 2, 3, 7]
    (train, validation, test) = rows_of(study.result(), "splits")
    assert (train["ties"], train["preferences"], train["pairs"], train["prompts"]) == (2, 5, 4, 2)
    assert (validation["pairs"], test["why"]) == (0, "No image is in this split.")
    pairs = study.rows("pairs", tmp_path / "pairs.csv")
    assert sorted(row["kind"] for row in pairs) == ["preferred", "preferred", "tie", "tie"]
    assert sum(float(row["weight"]) for row in pairs) == pytest.approx(4)
    splits = study.rows("splits", tmp_path / "splits.csv")
    assert len(splits) == 9
    assert {row["split"] for row in splits} == {"train"}


def test_real_pictures_count_separately_with_a_fixed_score(study: Study, tmp_path: Path) -> None:
    real: dict[str, Any] = {"generator": "camera", "attributes": {"source": "real", "action": "run"}}
    study.image("p2", "photo", **real)
    study.image("p2", "check", "1 1 1", **real)
    result = study.result()
    generated, photos = rows_of(result, "sources")
    assert (generated["images"], generated["low"], generated["high"]) == (9, 3, 3)
    assert (photos["images"], photos["scored"], photos["high"], photos["checks"]) == (2, 2, 2, 1)
    assert [(row["generator"], row["source"]) for row in rows_of(result, "generators")] == [
        ("gA", "generated"),
        ("camera", "real"),
    ]
    assert rows_of(result, "histogram")[1]["from_9"] == 2
    size = {row["what"]: row["number"] for row in rows_of(result, "size")}
    assert (size["Generators"], size["Actions"], size["Raters"]) == (1, 1, 5)
    rows = study.rows("splits", tmp_path / "splits.csv")
    assert [row["score"] for row in rows if row["source"] == "real"] == ["9", "9"]


def test_every_image_without_a_score_has_a_reason(study: Study, tmp_path: Path) -> None:
    study.image("p3", "invalid", "x x x 9 9")
    study.image("p3", "few", "9 9")
    study.image("p3", "open")
    store_detections(study.project, {study.images["i1"].pk: Detected(9)}, actor=None)
    result = study.result()
    (generated, _) = rows_of(result, "sources")
    assert [generated[name] for name in ("excluded", "not_rated", "invalid", "too_few", "scored")] == [
        *(1, 1, 1, 1),
        8,
    ]
    reasons = {row["reason"]: row["generated"] for row in rows_of(result, "excluded")}
    assert reasons["too many persons"] == 1
    assert rows_of(result, "invalid") == [{"reason": "no person", "generated": 3, "real": 0}]
    found = {row["left_out"]: row for row in study.rows("splits", tmp_path / "splits.csv")}
    assert found.keys() == {"", "excluded", "not_rated", "invalid", "too_few"}
    assert found["excluded"]["reasons"] == "persons"
    assert found["invalid"]["split"] == ""


@pytest.mark.parametrize(
    ("original", "counts"),
    [
        ("low/girl.png", [1, 0, 0, 0, 0]),
        ("high/girl.png", [0, 0, 1, 0, 0]),
        ("girl.png", [0, 0, 0, 0, 1]),
        ("boy.png", [1, 0, 0, 0, 0]),
    ],
)
def test_an_original_is_named_by_its_path_if_folders_hold_files_of_one_name(
    study: Study, original: str, counts: list[int]
) -> None:
    study.image("p1", "a", "2 2 2", source_name="low/girl.png")
    study.image("p1", "b", "9 9 9", source_name="high/girl.png")
    study.image("p1", "c", "2 2 2", source_name="low/boy.png")
    # Retouched images often keep the name of their original: none is its own.
    corrected = {"corrected_from": original}
    study.image("p1", "d", "7 7 7", source_name="corrected/boy.png", attributes=corrected)
    found = rows_of(study.result(), "corrected")
    assert [row["pairs"] for row in found] == counts
    assert found[-1]["outcome"] == "the original is not in this project, or several images have its name"


def test_every_result_follows_the_number_of_invalid_votes(study: Study, tmp_path: Path) -> None:
    study.image("p1", "doubted", "x x 8 8 8")

    def numbers() -> tuple[Any, ...]:
        compared = result_of(study.project, "comparison", "realism")
        (row,) = [
            row for row in study.rows("realism", tmp_path / "realism.csv") if row["invalid_votes"] == "2"
        ]
        (split,) = [
            each for each in read_data_set(study.project, "realism").images if each.name.startswith("doubted")
        ]
        return (
            *(rows_of(compared, "outcomes")[0][name] for name in ("outcome", "images")),
            sum(row["images"] for row in rows_of(compared, "generators")),
            compared["protocol"].get("invalid_from"),
            "2 or more invalid votes" in result_methods(compared),
            (row["branch"], row["score"], row["rule"]),
            (split.score, split.without),
        )

    assert numbers() == (
        *("three or more invalid votes", 0, 10, None, False),
        ("top_two", "8", "published-1"),
        (8, ""),
    )
    save_settings(study.project, DataSetSettings(splitting=Splitting(7, 0, 0), invalid_from=2), None)
    assert numbers() == (
        *("2 or more invalid votes", 1, 9, 2, True),
        ("invalid", "", "published-1 invalid_from=2"),
        (None, "invalid"),
    )
    assert "2 or more invalid votes" in result_methods(study.result())


def test_an_empty_file_of_pairs_says_why(tmp_path: Path) -> None:
    study = Study({"p1": {"i1": "1 1 1", "i2": "2 2 2"}})
    why = "There are no pairs: No image has a score above 7, so none can be preferred."
    told = StringIO()
    path = tmp_path / "pairs.csv"
    call_command("export", project="data", protocol="realism", layout="pairs", output=str(path), stdout=told)
    assert why in told.getvalue()
    assert len(path.read_text().splitlines()) == 1
    answer = calling(study.lead).get("/projects/data/exports/pairs.csv?protocol=realism")
    assert answer["Anatomark-Empty"] == why
    splits = {row["split"]: row["why"] for row in rows_of(study.result(), "splits")}
    assert "No image has a score above 7, so none can be preferred." in splits.values()
