"""Outside metrics: stored whole or not at all, each wrong row named, and beside people in the comparison."""

from __future__ import annotations

import json
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.test import Client

from analysis.data.metrics import store_metrics
from analysis.data.ratings_table import input_digests
from analysis.models import ImageMetric, Report
from analysis.stats.generic.tables import rows_of
from annotator.exchange.formats.report import StudyRefused
from annotator.models import Image, Project
from tests.analysis.factories import make_submitted
from tests.analysis.wider_study import result_of
from tests.factories import LEAD, make_batch, make_image, make_member, make_project, user_of
from tests.support.codes import codes

pytestmark = [pytest.mark.django_db, pytest.mark.databases]
ADDRESS = "/projects/bodies/reports/comparison/metrics/"


@pytest.fixture
def project(sent: list[int]) -> Project:
    """Three generators, three prompts, an image each with 0 to 8 quarters of an error."""
    found = make_project("bodies")
    person, batch = make_member(found, code="A"), make_batch(found)
    for place in range(9):
        image = make_image(
            found,
            generator=f"g{place // 3}",
            prompt=f"p{place % 3}",
            number=place,
            source_name=f"i{place}.png",
        )
        make_submitted(person, [("missing.limbs", f"{place}/9c")] if place else [], image=image, batch=batch)
    return found


def stored(tmp_path: Path, text: str, *options: str) -> str:
    path, told = tmp_path / "metrics.csv", StringIO()
    path.write_text(text, encoding="utf-8")
    call_command("import_metrics", str(path), "--project", "bodies", *options, stdout=told)
    return told.getvalue()


def lines(values: list[object], metric: str = "clip") -> str:
    rows = [f"i{place}.png,{metric},{value}" for place, value in enumerate(values)]
    return "\n".join(["file,metric,score", *rows, ""])


def test_metrics_stand_beside_people_in_the_comparison(project: Project, tmp_path: Path) -> None:
    assert "outside" not in {made["name"] for made in result_of(project, "comparison")["tables"]}
    before = input_digests(project)
    told = json.loads(stored(tmp_path, lines([9 - place for place in range(9)])))
    assert told["counts"] == {"Values": 9, "Images": 9, "Images without a row": 0, "Values of clip": 9}
    after = input_digests(project)
    assert after.of("agreement") == before.of("agreement")
    assert after.of("comparison") != before.of("comparison")
    found = result_of(project, "comparison")
    (row,) = rows_of(found, "outside")
    assert (row["images"], row["prompts"], row["correlation"]["value"]) == (9, 3, None)
    means = {row["generator"]: row["mean"]["value"] for row in rows_of(found, "outside_means")}
    assert means == {"g0": 8, "g1": 5, "g2": 2}


def test_of_two_files_read_before_either_is_stored_the_second_is_counted_too(project: Project) -> None:
    pk = Image.objects.get(source_name="i0.png").pk
    store_metrics(project, {f"m{n}": {pk: 1.0} for n in range(20)})
    store_metrics(project, {"m3": {pk: 2.0}})
    with pytest.raises(StudyRefused, match="21 metrics; at most 20"):
        store_metrics(project, {"m3": {pk: 3.0}, "one more": {pk: 1.0}})
    assert ImageMetric.objects.count() == 20
    assert ImageMetric.objects.get(metric="m3").value == 2


def test_every_wrong_row_is_named_and_nothing_stored(project: Project, tmp_path: Path) -> None:
    text = (
        "file,metric,score\ni0.png,clip,1\ni1.png,clip,nan\ni2.png,clip,inf\ni3.png,,1\nelsewhere.png,clip,1\n"
        f"i0.png,clip,2\ni4.png,clip,much\ni5.png,{'x' * 81},1\n,clip,1\n"
    )
    with pytest.raises(CommandError) as refused:
        stored(tmp_path, text)
    said = str(refused.value)
    assert "8 rows cannot be used, so nothing was stored" in said
    for part in (
        "row 3, score: “nan” is not a finite number",
        "row 4, score: “inf” is not a finite number",
        "row 5, metric: empty",
        "row 6, file: there is no image “elsewhere.png”",
        "row 7, metric: the image already has this metric in row 2",
        "row 8, score: “much” is not a finite number",
        "row 9, metric: longer than 80 characters",
        "row 10, file: names no image",
    ):
        assert part in said
    assert not ImageMetric.objects.exists()


def test_a_file_can_be_checked_without_storing(project: Project, tmp_path: Path) -> None:
    assert json.loads(stored(tmp_path, lines([1, 2]), "--lint-only"))["counts"]["Values of clip"] == 2
    assert not ImageMetric.objects.exists()


def test_the_page_lists_and_removes_metrics(project: Project, tmp_path: Path, client: Client) -> None:
    client.force_login(user_of(make_member(project, LEAD)))
    stored(tmp_path, lines([1, 2, 3]))
    assert "metric" in codes(client.get(ADDRESS))
    assert client.post(ADDRESS, {"action": "remove", "metric": "clip"}).status_code == 302
    assert not ImageMetric.objects.exists()
    assert Report.objects.filter(kind="comparison", status="queued").exists()
    assert client.post(ADDRESS, {"action": "store"}).status_code == 400
