"""The tables of a data set in a bundle."""

from __future__ import annotations

from pathlib import Path

import pytest

from analysis.data.data_sets import DataSetRead, read_data_set
from analysis.exports.realism import data_set
from annotator.models import Project
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
