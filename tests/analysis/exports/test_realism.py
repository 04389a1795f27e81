"""The realism exports: names that scripts rely on, the worked table, and ratings that come in again."""

from __future__ import annotations

import csv
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import call_command

from analysis.protocols.realism.images import RatedImages
from annotator.models import Annotation, Assignment, Batch, Image, Membership, Project
from scoring.realism.protocol import REALISM
from tests.analysis.mixed import answered
from tests.analysis.protocols.realism.making import WORKED, rated
from tests.factories import make_batch, make_image, make_member, make_project

pytestmark = pytest.mark.django_db
REALISM_NAMES = (
    "generator prompt number raters invalid_votes ratings branch median lower upper kept score score_exact "
    "class"
)
RATINGS_NAMES = "generator prompt number annotator rating invalid note"


def make_worked() -> Project:
    """Return a project with the worked table, submitted."""
    project = make_project("worked")
    batch = make_batch(project, name="Realism", protocol="realism")
    images = [make_image(project, generator="gA", prompt="a man", number=n) for n in range(1, 7)]
    for rater, said in WORKED.items():
        member = make_member(project, code=rater)
        for image, rating in zip(images, said.split(), strict=True):
            rate(member, batch, image, rating)
    return project


def rate(member: Membership, batch: Batch, image: Image, rating: str) -> None:
    """Submit a rating of an image; x is an invalid vote."""
    given = {"invalid": "no_person"} if rating == "x" else {"rating": int(rating)}
    answered(REALISM, member, image, batch, given)


def rows_of(path: Path, layout: str) -> list[dict[str, str]]:
    """Export a layout and return its rows."""
    call_command("export", project="worked", protocol="realism", layout=layout, output=str(path))
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_a_row_per_image_shows_its_consolidation(tmp_path: Path) -> None:
    make_worked()
    rows = rows_of(tmp_path / "realism.csv", "realism")
    assert set(REALISM_NAMES.split()) <= rows[0].keys()
    kept = ("ratings", "invalid_votes", "branch", "median", "lower", "upper", "kept", "score_exact", "class")
    found = [tuple(row[name] for name in kept) for row in sorted(rows, key=lambda row: row["number"])]
    assert found == [
        ("1 2 2 3 4", "0", "top_two", "", "", "", "3 4", "7/2", "middle"),
        ("8 9 9 9 10", "0", "none_kept", "9", "9", "9", "8 9 9 9 10", "9", "high"),
        ("4 5 5 6 7", "0", "top_two", "", "", "", "6 7", "13/2", "middle"),
        ("6 7 8 8 9", "0", "kept", "8", "7.5", "8.5", "8 8", "8", "high"),
        ("3 4", "3", "invalid", "", "", "", "", "", ""),
        ("1 1 2 2", "1", "top_two", "", "", "", "2 2", "2", "low"),
    ]
    assert [row["score"] for row in rows] == ["3.5", "9", "6.5", "8", "", "2"]
    assert {row["raters"] for row in rows} == {"5"}


def test_the_mean_without_biases_is_that_of_the_report(tmp_path: Path) -> None:
    make_worked()
    Annotation.objects.filter(assignment__annotator__code="e", assignment__image__number=3).delete()
    without_one = WORKED | {"e": "4 9 - 8 3 2"}
    expected = RatedImages(rated(without_one)).adjusted
    rows = rows_of(tmp_path / "realism.csv", "realism")
    assert {row["number"]: row["mean_adjusted"] for row in rows}["5"] == ""
    found = [float(text) if (text := row["mean_adjusted"]) else None for row in rows]
    assert found == [None if mean is None else float(mean) for mean in expected]
    # Image 3 lacks a rater who rates high, so its mean is below the adjusted one.
    assert (found[2] or 0) > float(rows[2]["mean_all"]) == 5


def test_a_real_picture_keeps_its_fixed_score_and_leaves_the_biases_alone(tmp_path: Path) -> None:
    project = make_worked()
    without = rows_of(tmp_path / "without.csv", "realism")
    assert {row["source"] for row in without} == {"generated"}
    batch = project.batches.get()
    check = make_image(project, generator="camera", prompt="a man", number=1, attributes={"source": "real"})
    for member, rating in zip(project.memberships.order_by("code"), (1, 1, 1, 8, 9), strict=True):
        rate(member, batch, check, str(rating))
    *generated, real = rows_of(tmp_path / "realism.csv", "realism")
    assert [row.pop("attribute.source") for row in generated] == [""] * len(without)
    assert generated == without
    assert real.pop("attribute.source") == "real"
    assert list(real)[-2:] == ["rule", "source"]
    nothing = ("median", "lower", "upper", "kept", "score_low", "score_high", "class_changes")
    assert {real[name] for name in nothing} == {""}
    kept = ("generator", "raters", "ratings", "branch", "score", "score_exact", "class", "mean_all", "source")
    assert [real[name] for name in kept] == [
        *("camera", "5", "1 1 1 8 9", "fixed", "9", "9", "high", "4", "real")
    ]
    ratings = rows_of(tmp_path / "ratings.csv", "ratings")
    assert [row["rating"] for row in ratings if row["source"] == "real"] == ["1", "1", "1", "8", "9"]
    assert list(ratings[0])[-6:-4] == ["submitted_at", "source"]


def test_scores_have_the_score_of_the_image_and_no_real_image(tmp_path: Path) -> None:
    project = make_worked()
    batch, members = project.batches.get(), project.memberships.order_by("code")
    check = make_image(project, generator="camera", prompt="a man", number=1, attributes={"source": "real"})
    for member in members:
        rate(member, batch, check, "9")
    # A draft and a reopened annotation have no part in the score of their image.
    begun = Annotation.objects.filter(assignment__image__number=6, payload__rating=2)
    begun.update(status=Annotation.Status.REOPENED, ratings=None, submitted_at=None)
    said = StringIO()
    call_command(
        "export", project="worked", protocol="realism", layout="scores",
        output=str(tmp_path / "scores.csv"), stdout=said, stderr=said,
    )  # fmt: skip
    with (tmp_path / "scores.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert list(rows[0])[-5:] == ["Annotator", "score", "drawn", "guideline", "attribute.source"]
    assert {row["Model"] for row in rows} == {"gA"}
    found = {(row["Pic Num."], row["score"]) for row in rows}
    assert found == {("1", "3.5"), ("2", "9"), ("3", "6.5"), ("4", "8"), ("5", ""), ("6", "")}
    assert len(rows) == 28
    assert sorted(row["rating"] for row in rows if row["Pic Num."] == "1") == ["1", "2", "2", "3", "4"]
    assert "2 reopened and not resubmitted; 5 of real images, which are not a generator." in said.getvalue()


def test_ratings_come_in_again(tmp_path: Path) -> None:
    project = make_worked()
    path = tmp_path / "ratings.csv"
    rows = rows_of(path, "ratings")
    assert set(RATINGS_NAMES.split()) <= rows[0].keys()
    assert (len(rows), sum(row["invalid"] == "no_person" for row in rows)) == (30, 4)
    before = sorted(Annotation.objects.values_list("payload__rating", "payload__invalid"), key=str)
    Annotation.objects.all().delete()
    Assignment.objects.all().delete()
    call_command("import_answers", str(path), project=project.slug, protocol="realism")
    assert sorted(Annotation.objects.values_list("payload__rating", "payload__invalid"), key=str) == before


def test_pseudonyms_hide_notes(tmp_path: Path) -> None:
    make_worked()
    Annotation.objects.filter(assignment__annotator__code="a").update(
        payload={"rating": 7, "invalid": None, "note": "as Eva said", "flag": None}
    )
    path = tmp_path / "ratings.csv"
    call_command(
        "export", project="worked", protocol="realism", layout="ratings", output=str(path), pseudonyms=True
    )
    assert "Eva" not in path.read_text(encoding="utf-8")
