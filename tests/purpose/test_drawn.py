"""Which answers tell how often people agree: those of images that several were given at random."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Sequence
from io import StringIO
from typing import Any

import pytest
from django.core.management import call_command

from analysis.data.ratings_table import load_counted
from analysis.exports.files import Export
from analysis.exports.registry import layouts_of
from analysis.reports.lifecycle import computation, request_report, run_report
from analysis.tables.exclusions import not_counted
from annotator.models import Assignment, Batch, Image, Membership, Project
from annotator.models.counting import mark_random
from scoring.grid.taxonomy import CELLS
from tests.analysis.factories import make_submitted
from tests.analysis.stats.generic.making import rows_of
from tests.factories import make_assignment, make_batch, make_image, make_member, make_project

pytestmark = pytest.mark.django_db

RANDOM = [(0, 0), (1, 1), (2, 3), (4, 4), (0, 1), (5, 6)]
TARGETED = [(3, 0), (2, 6)]
ALPHA, ALPHA_OF_ALL = 0.943005, 0.612546
SAID = (
    "2 annotations on 2 images were requested because of earlier annotations of the image. Comparisons "
    "between annotators leave them out, because selected images would bias them."
)


def judge(person: Membership, image: Image, batch: Batch, score: int, drawn: str) -> None:
    """An answer of a whole score: so many cells in which everything is severely wrong."""
    assignment = make_assignment(person, image=image, batch=batch, status="done", drawn=drawn)
    make_submitted(person, [(cell.key, "1/1c") for cell in CELLS[:score]], assignment=assignment)


def make_worked(slug: str, *, targeted: str | None) -> Project:
    """Six images by A and B at random; two by A, and by B once more, drawn as `targeted` says; None: not."""
    project = make_project(slug, name="Worked")
    a, b = make_member(project, code="A"), make_member(project, code="B")
    batch, again = make_batch(project, name="first"), make_batch(project, name="second stage")
    for scores in RANDOM:
        image = make_image(project)
        for person, score in zip((a, b), scores, strict=True):
            judge(person, image, batch, score, "random")
    for first, second in TARGETED:
        image = make_image(project)
        judge(a, image, batch, first, "single")
        if targeted is not None:
            judge(b, image, again, second, targeted)
    return project


def computed(project: Project, kind: str, protocol: str = "anatomy") -> dict[str, Any]:
    frame, _ = load_counted(project, protocol)
    return dict(computation(kind, protocol)(frame))


def alpha_of(result: dict[str, Any]) -> float:
    return float(rows_of(result, "agreement")[0]["pooled"]["value"])


@pytest.mark.slow  # three agreement reports
@pytest.mark.thorough
def test_the_report_prints_alpha_of_what_was_drawn_at_random() -> None:
    project = make_worked("worked", targeted="targeted")
    found = computed(project, "agreement")
    assert alpha_of(found) == pytest.approx(ALPHA, abs=5e-7)
    mixed = make_worked("mixed-in", targeted="random")
    assert alpha_of(computed(mixed, "agreement")) == pytest.approx(ALPHA_OF_ALL, abs=5e-7)
    report = request_report(project=project, kind="agreement", send=False)
    run_report(report.pk)
    report.refresh_from_db()
    assert report.result is not None
    assert report.result["targeted"] == {"answers": 2, "images": 2}
    assert [finding.text for finding in not_counted(report.result)] == [SAID]
    said = StringIO()
    call_command("report", "agreement", project="worked", stdout=said)
    told = " ".join(said.getvalue().split())
    assert SAID in told
    assert "0.94" in told
    assert "0.61" not in told
    counted = "Counted, but not where annotators are compared: requested because of earlier annotations"
    assert counted in told


@pytest.mark.slow  # four reports
def test_all_but_the_disagreements_is_what_it_was_before_anybody_was_asked() -> None:
    before, after = (make_worked(each, targeted=drawn) for each, drawn in (("a", None), ("b", "targeted")))
    was, now = computed(before, "agreement"), computed(after, "agreement")
    assert len(rows_of(was, "disagreements")) == 6
    apart = rows_of(now, "disagreements")
    assert (len(apart), [row["difference"] for row in apart[:2]]) == (8, [4.0, 3.0])
    for each in (was, now):
        each["tables"] = [table for table in each["tables"] if table["name"] != "disagreements"]
    assert now.pop("targeted") == {"answers": 2, "images": 2}
    # The second stage is none of these numbers', as nothing else of it is there.
    assert now == was


def drawn_in(batch: Batch) -> Sequence[tuple[str, str]]:
    rows = batch.assignments.order_by("pk").values_list("annotator__code", "drawn")
    return [(code, drawn) for code, drawn in rows]


def test_what_several_people_have_in_a_batch_was_drawn_at_random(project: Project) -> None:
    a, b, c = (make_member(project, code=code) for code in "ABC")
    batch, other = make_batch(project), make_batch(project)
    shared, own, asked, repeated, passed_on = (make_image(project) for _ in range(5))
    for person in (a, b):
        make_assignment(person, image=shared, batch=batch)
    make_assignment(a, image=own, batch=batch)
    make_assignment(b, image=own, batch=other)
    make_assignment(a, image=asked, batch=batch)
    make_assignment(b, image=asked, batch=batch, drawn="targeted")
    make_assignment(a, image=repeated, batch=batch)
    make_assignment(a, image=repeated, batch=batch, purpose="repeat", pass_no=1)
    make_assignment(c, image=repeated, batch=batch, purpose="anchor")
    make_assignment(a, image=passed_on, batch=batch)
    Assignment.objects.filter(image=passed_on).update(status="withdrawn", position=None)
    make_assignment(b, image=passed_on, batch=batch)
    assert mark_random(batch) == 2
    expected = dict.fromkeys(range(10), "single") | {0: "random", 1: "random", 4: "targeted"}
    assert [drawn for _, drawn in drawn_in(batch)] == list(expected.values())
    assert drawn_in(other) == [("B", "single")]
    assert mark_random(batch) == 0


@pytest.fixture
def project(db: None) -> Project:
    return make_project("pilot")


def test_a_file_says_of_each_annotation_how_its_image_was_drawn() -> None:
    project = make_worked("worked", targeted="targeted")
    text = b"".join(Export(project, layouts_of("anatomy")["scores"])).decode()
    found = Counter((row["batch"], row["drawn"]) for row in csv.DictReader(io.StringIO(text)))
    assert found == {("first", "random"): 12, ("first", "single"): 2, ("second stage", "targeted"): 2}
