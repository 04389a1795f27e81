"""A data set in a bundle: settings, what the filters decided, and outside metrics come back whole."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from django.core.files.storage import default_storage
from django.db import connection
from django.test.utils import CaptureQueriesContext

from analysis.bundles.bundle_jobs import request_bundle
from analysis.bundles.requests import BundleRequest
from analysis.bundles.restoring.archive import BundleRefused
from analysis.bundles.restoring.data_sets import number, stored_settings
from analysis.bundles.restoring.restoring import restore
from analysis.bundles.restoring.rules import Unfit
from analysis.data.data_sets import DataSetRead, read_data_set
from analysis.data.metrics import store_metrics
from analysis.exports.files import Export
from analysis.exports.realism import data_set
from analysis.exports.registry import layouts_of
from analysis.models import ImageMetric
from annotator.data_sets.filtering import counts_of, store_detections, take_back
from annotator.data_sets.settings import DataSetSettings, save_settings, settings_of
from annotator.models import DataSet, Image, Project, Screening
from annotator.work.jobs import run_job
from scoring.data_sets.filters import Detected, Filters
from scoring.data_sets.splits import Splitting
from tests.analysis.bundles.making import bundle_of, files_of, make_picture
from tests.analysis.bundles.norming.test_norming import back
from tests.analysis.bundles.test_bad_input import with_json, with_row
from tests.analysis.reports.test_data_sets import Study as RatedStudy
from tests.factories import make_project

pytestmark = pytest.mark.django_db
SCREENINGS, METRICS = "restore/screenings.jsonl", "restore/metrics.jsonl"
SETTINGS = DataSetSettings(
    Filters(most_persons=2, words=("woman",)),
    splitting=Splitting(seed=7, named={"a woman": "test"}),
    invalid_from=2,
)


def make_study(slug: str = "bodies", images: int = 3) -> Project:
    """One image is left out, one was left out and taken back, the others stay; two metrics of the first."""
    project = make_project(slug)
    made = [make_picture(project, prompt="a woman") for _ in range(images)]
    save_settings(project, SETTINGS, None)
    found = {image.pk: Detected(5, 1, 0.99, 0.1) for image in made[:2]}
    store_detections(project, {**found, made[-1].pk: Detected(1, None, 0.995, None)}, actor=None)
    if images > 1:
        take_back(project, [made[1].public_id], kept=True, actor=None)
    store_metrics(project, {"clip": {image.pk: 0.1 + 0.2 for image in made}, "fid": {made[0].pk: -7.0}})
    return project


def into(path: Path, project: Project) -> Project:
    restore(path, project, actor=None, watch=lambda *_: None)
    return project


def facts(project: Project) -> tuple[Any, ...]:
    screened = Screening.objects.filter(image__project=project).order_by("image_id")
    columns = ("persons", "classes", "person_confidence", "moderation", "reasons", "kept")
    metrics = ImageMetric.objects.filter(project=project, image__project=project).order_by("pk")
    return (
        settings_of(project),
        counts_of(project),
        list(screened.values_list("image__sha256", *columns)),
        list(metrics.values_list("image__sha256", "metric", "value")),
    )


def test_everything_comes_back(tmp_path: Path) -> None:
    study = make_study()
    bundle_of(study, tmp_path / "one.zip", reports=False)
    project = back(tmp_path / "one.zip")
    assert facts(project) == facts(study)
    assert settings_of(project) == SETTINGS
    assert counts_of(project) == {"detected": 3, "excluded": 1, "kept": 1, "persons": 1}
    assert bundle_of(project, tmp_path / "two.zip", reports=False) != b""
    one, two = (dict(files_of(tmp_path / f"{name}.zip")) for name in ("one", "two"))
    assert (one[SCREENINGS], one[METRICS]) == (two[SCREENINGS], two[METRICS])


def test_a_bundle_reads_its_data_set_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    study = RatedStudy()
    reads: list[str] = []

    def counted(project: Project, protocol: str) -> DataSetRead:
        reads.append(protocol)
        return read_data_set(project, protocol)

    monkeypatch.setattr(data_set, "read_data_set", counted)
    bundle_of(study.project, tmp_path / "one.zip", pictures=False, reports=False)
    assert {f"data/realism-{name}.csv" for name in ("pairs", "splits")} <= dict(
        files_of(tmp_path / "one.zip")
    ).keys()
    assert reads == ["realism"]


@pytest.mark.slow  # every report of realism, computed
@pytest.mark.thorough
def test_ratings_and_what_is_made_of_them_come_back(tmp_path: Path) -> None:
    study = RatedStudy()
    study.rank()
    bundle_of(study.project, tmp_path / "one.zip", pictures=False)
    files = dict(files_of(tmp_path / "one.zip"))
    project = back(tmp_path / "one.zip")
    for name, lines in {"ratings": 36, "realism": 11, "pairs": 10, "splits": 11}.items():
        written = b"".join(Export(project, layouts_of("realism")[name], protocol="realism"))
        assert files[f"data/realism-{name}.csv"] == written
        assert len(written.splitlines()) == lines + 1
    # The restored report says the same to the time at which it was computed.
    ranking = b"".join(Export(project, layouts_of("realism")["ranking"], protocol="realism"))
    assert files["data/realism-ranking.csv"] == ranking
    assert b"generators,gB,mean,8.5," in ranking
    for column in ("ratings,invalid", "realism,score_exact", "pairs,weight", "splits,draw", "ranking,low"):
        assert f"\nrealism-{column},".encode() in files["data/dictionary.csv"]


@pytest.mark.slow  # a bundle, made and restored
@pytest.mark.thorough
def test_tables_that_cannot_be_made_are_named(tmp_path: Path) -> None:
    study = RatedStudy()
    twin = {"sha256": "ab" * 32, "format": "PNG", "width": 80, "height": 80, "bytes": 999}
    for name in ("i1", "i6"):
        Image.objects.filter(pk=study.images[name].pk).update(scaled_from=twin)
    save_settings(study.project, DataSetSettings(splitting=Splitting(7, 0, 0, {"p1": "test"})), None)
    job = request_bundle(
        project=study.project, request=BundleRequest(pictures=False, reports=False), actor=None
    )
    assert run_job(job.pk)
    job.refresh_from_db()
    assert job.result is not None, job.error
    assert (
        "Tables that cannot be made, for the reasons in README.txt: realism-pairs, realism-splits."
        in job.result["words"]
    )
    with default_storage.open(job.result["file"]) as made:
        (tmp_path / "one.zip").write_bytes(made.read())
    files = dict(files_of(tmp_path / "one.zip"))
    told = files["README.txt"].decode()
    assert (
        "Tables that are missing because they cannot be made\n\n  realism-pairs       The same imag" in told
    )
    assert " ".join(told.split()).count("Name both prompts in one split, or leave one image out.") == 2
    assert "one row per pair of images" not in told
    assert {name for name in files if "pairs" in name or "splits" in name} == set()
    assert b"pairs" not in files["data/dictionary.csv"] + files["datapackage.json"]
    assert "data/realism-realism.csv" in files
    assert facts(back(tmp_path / "one.zip")) == facts(study.project)


def test_settings_of_a_bundle_replace_those_of_the_empty_project(tmp_path: Path) -> None:
    bundle_of(make_study(), tmp_path / "one.zip", reports=False)
    there = make_project("there")
    DataSet.objects.create(project=there, settings=DataSetSettings(most_pairs=8).as_json())
    assert settings_of(into(tmp_path / "one.zip", there)) == SETTINGS


def test_a_bundle_without_a_data_set_keeps_those_of_the_project(tmp_path: Path) -> None:
    project = make_project()
    make_picture(project)
    bundle_of(project, tmp_path / "one.zip", reports=False)
    assert {SCREENINGS, METRICS}.isdisjoint(dict(files_of(tmp_path / "one.zip")))
    there = make_project("there")
    mine = DataSetSettings(most_pairs=8)
    DataSet.objects.create(project=there, settings=mine.as_json())
    assert settings_of(into(tmp_path / "one.zip", there)) == mine


@pytest.mark.thorough
def test_more_rows_need_no_more_queries(tmp_path: Path) -> None:
    counts = []
    for images in (1, 3):
        path = tmp_path / f"{images}.zip"
        bundle_of(make_study(f"study-{images}", images), path, reports=False)
        with CaptureQueriesContext(connection) as queries:
            back(path, f"back-{images}")
        counts.append(len(queries))
    assert counts[0] == counts[1]


@pytest.mark.parametrize(
    ("name", "changed", "said"),
    [
        (SCREENINGS, {"persons": -1}, "“persons” is -1"),
        (SCREENINGS, {"person_confidence": 1.5}, "a number from 0 to 1"),
        (SCREENINGS, {"reasons": "ugly"}, "some of persons, classes"),
        (SCREENINGS, {"reasons": "words persons"}, "in this order"),
        (SCREENINGS, {"image": 2}, "duplicate"),
        (METRICS, {"value": True}, "a number from"),
        (METRICS, {"value": 1e13}, "a number from"),
        (METRICS, {"metric": ""}, "a text of 1 to 80"),
        (METRICS, {"image": 2}, "duplicate"),
        (METRICS, {"image": 9}, "“image” is 9"),
    ],
)
def test_bad_rows_are_named(tmp_path: Path, name: str, changed: dict[str, Any], said: str) -> None:
    bundle_of(make_study(), tmp_path / "one.zip", reports=False)
    with pytest.raises(BundleRefused) as refused:
        back(with_row(tmp_path / "one.zip", name, 1, lambda row: row.update(changed)))
    assert str(refused.value).startswith(f"{name}, line ")
    assert said in str(refused.value)
    assert not ImageMetric.objects.filter(project__slug="back").exists()


@pytest.mark.parametrize(
    "changed",
    [
        {"seed": "7"},
        {"invalid_from": 0},
        {"invalid_from": "2"},
        {"real_score": "1e99999999"},
        {"real_score": "11"},
        {"filters": []},
        {"filters": {"words": "woman"}},
        {"named": {"exam": ["a woman"]}},
        {"named": {"test": [1]}},
        {"test": 1.5},
        {"colour": "red"},
    ],
)
def test_bad_settings_are_refused(tmp_path: Path, changed: dict[str, Any]) -> None:
    bundle_of(make_study(), tmp_path / "one.zip", reports=False)
    with pytest.raises(BundleRefused, match=r"project\.json, data_set"):
        back(with_json(tmp_path / "one.zip", lambda told: told["data_set"].update(changed)))


def test_numbers_that_no_float_can_hold_are_refused() -> None:
    with pytest.raises(Unfit, match="a number from 0 to 1"):
        number(0, 1)(10**400)
    with pytest.raises(BundleRefused, match="these are not the settings of a data set"):
        stored_settings({"test": 10**400}, "project.json, data_set")
