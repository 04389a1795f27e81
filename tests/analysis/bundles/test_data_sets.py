"""The tables of a data set in a bundle."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.core.files.storage import default_storage

from analysis.bundles.bundle_jobs import request_bundle
from analysis.bundles.requests import BundleRequest
from analysis.data.data_sets import DataSetRead, read_data_set
from analysis.exports.realism import data_set
from annotator.data_sets.settings import DataSetSettings, save_settings
from annotator.models import Image, Project
from annotator.work.jobs import run_job
from scoring.data_sets.splits import Splitting
from tests.analysis.bundles.making import bundle_of, files_of
from tests.analysis.reports.test_data_sets import Study as RatedStudy

pytestmark = pytest.mark.django_db


def test_a_bundle_reads_its_data_set_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    study = RatedStudy()
    reads: list[str] = []

    def counted(project: Project, protocol: str) -> DataSetRead:
        reads.append(protocol)
        return read_data_set(project, protocol)

    monkeypatch.setattr(data_set, "read_data_set", counted)
    bundle_of(study.project, tmp_path / "one.zip", pictures=False, reports=False)
    assert {"data/pairs.csv", "data/splits.csv"} <= dict(files_of(tmp_path / "one.zip")).keys()
    assert reads == ["realism"]


@pytest.mark.slow  # a bundle of a whole study
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
    assert "Tables that cannot be made, for the reasons in README.txt: pairs, splits." in job.result["words"]
    with default_storage.open(job.result["file"]) as made:
        (tmp_path / "one.zip").write_bytes(made.read())
    files = dict(files_of(tmp_path / "one.zip"))
    told = files["README.txt"].decode()
    assert "missing because they cannot be made\n\n  pairs               The same imag" in told
    assert " ".join(told.split()).count("Name both prompts in one split, or leave one image out.") == 2
    assert "one row per pair of images" not in told
    assert {name for name in files if "pairs" in name or "splits" in name} == set()
    assert b"pairs" not in files["data/dictionary.csv"] + files["datapackage.json"]
    assert "data/realism.csv" in files
