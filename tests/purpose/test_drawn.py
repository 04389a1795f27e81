"""Which answers tell how often people agree: those of images that several were given at random."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Sequence
from typing import Any

import pytest
from django.test import Client
from pytest_django.fixtures import Settings

from analysis.data.ratings_table import load_counted
from analysis.exports.files import Export
from analysis.exports.registry import layouts_of
from analysis.models import KEPT_UP_TO_DATE
from analysis.reports.lifecycle import computation, request_report, run_report
from analysis.reports.storing import other_overlap
from analysis.stats.generic.tables import rows_of
from annotator.models import Assignment, Batch, Image, Membership, Project
from annotator.models.counting import mark_random
from scoring.grid.taxonomy import CELLS
from tests.analysis.factories import make_submitted
from tests.analysis.mixed import SLUGS, make_mixed
from tests.factories import LEAD, make_assignment, make_batch, make_image, make_member, make_project, user_of
from tests.protocols.stars.living import let_live
from tests.support.codes import codes

pytestmark = pytest.mark.django_db

RANDOM = [(0, 0), (1, 1), (2, 3), (4, 4), (0, 1), (5, 6)]
TARGETED = [(3, 0), (2, 6)]
ALPHA, ALPHA_OF_ALL = 0.943005, 0.612546


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


def test_the_comparison_counts_every_answer() -> None:
    found = computed(make_worked("worked", targeted="targeted"), "comparison")
    assert "targeted" not in found
    others = computed(make_worked("all", targeted="random"), "comparison")
    # Strips name images by their ids, which no two projects share.
    assert [found.pop("strips") is None, others.pop("strips") is None] == [False, False]
    balances = [rows_of(each, "balance") for each in (found, others)]
    assert [row.pop("targeted") for rows in balances for row in rows] == [2, 0]
    assert balances[0] == balances[1]
    for each in (found, others):
        each["tables"] = [table for table in each["tables"] if table["name"] != "balance"]
    assert found == others


@pytest.mark.parametrize("protocol", SLUGS)
def test_every_protocol_leaves_them_out(
    protocol: str, monkeypatch: pytest.MonkeyPatch, settings: Settings
) -> None:
    let_live(monkeypatch, settings)
    project = make_mixed()
    whole = computed(project, "agreement", protocol)
    second = Assignment.objects.filter(batch__protocol=protocol, annotator__code="anno2").order_by("pk")
    Assignment.objects.filter(pk=second[0].pk).update(drawn="targeted")
    without = computed(project, "agreement", protocol)
    assert without.pop("targeted") == {"answers": 1, "images": 1}
    assert rows_of(without, "disagreements") == rows_of(whole, "disagreements")
    second[0].annotation.delete()
    gone = computed(project, "agreement", protocol)
    for each in (gone, without):
        each["tables"] = [table for table in each["tables"] if table["name"] != "disagreements"]
    assert without == gone


def test_where_all_are_targeted_nothing_is_left_to_compare() -> None:
    project = make_worked("worked", targeted="targeted")
    Assignment.objects.update(drawn="targeted")
    for kind in KEPT_UP_TO_DATE:
        found = computed(project, kind)
        if kind == "agreement":
            assert rows_of(found, "agreement")[0]["pooled"]["value"] is None
            assert found["targeted"] == {"answers": 16, "images": 8}


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


@pytest.mark.few(1)
@pytest.mark.slow  # two reports, each on both sides
@pytest.mark.parametrize(
    ("kind", "own", "other"), [("agreement", "random", "all"), ("comparison", "all", "random")]
)
def test_the_switch_shows_the_other_side(kind: str, own: str, other: str, client: Client) -> None:
    project = make_worked("worked", targeted="targeted")
    lead = make_member(project, LEAD)
    client.force_login(user_of(lead))
    run_report(request_report(project=project, kind=kind).pk)
    stored = project.reports.get(kind=kind).result
    assert stored is not None
    assert stored["overlap"]["images"] == {"random": 6, "all": 8}
    page = f"/projects/worked/reports/{kind}/"
    shown, switched = (client.get(page + query) for query in ("", f"?overlap={other}"))
    assert (shown.context["overlap"].shown, switched.context["overlap"].shown) == (own, other)
    assert {"overlap", "overlap-random", "overlap-all"} <= set(codes(shown.content.decode()))
    assert client.get(page + "?overlap=images").context["overlap"].shown == own
    if kind == "agreement":
        assert alpha_of(stored) == pytest.approx(ALPHA, abs=5e-7)
        assert alpha_of(switched.context["reading"].result) == pytest.approx(ALPHA_OF_ALL, abs=5e-7)
        assert alpha_of(shown.context["reading"].result) == alpha_of(stored)
    else:
        results = [each.context["reading"].result for each in (shown, switched)]
        assert [rows_of(result, "generators")[0]["annotations"] for result in results] == [16, 14]


@pytest.mark.parametrize("drawn", ["random", None])
def test_without_targeted_images_there_is_no_switch(drawn: str | None) -> None:
    frame, _ = load_counted(make_worked("worked", targeted=drawn))
    assert other_overlap("agreement", frame, lambda _: {}) == {}


def test_a_file_says_of_each_annotation_how_its_image_was_drawn() -> None:
    project = make_worked("worked", targeted="targeted")
    text = b"".join(Export(project, layouts_of("anatomy")["scores"])).decode()
    found = Counter((row["batch"], row["drawn"]) for row in csv.DictReader(io.StringIO(text)))
    assert found == {("first", "random"): 12, ("first", "single"): 2, ("second stage", "targeted"): 2}
