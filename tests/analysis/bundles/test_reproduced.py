"""A bundle of the published study has the paper's numbers beside those of the data."""

from __future__ import annotations

from pathlib import Path
from zipfile import ZipFile

import pytest

from analysis.data.study import is_published_study
from annotator.models import Project
from tests.analysis.bundles.making import bundle_of

PAGE = Path(__file__).parents[3] / "docs" / "reference" / "reproduction.md"


@pytest.mark.django_db
def test_another_project_has_none(project: Project, tmp_path: Path) -> None:
    assert not is_published_study(project)
    bundle_of(project, tmp_path / "b.zip", pictures=False)
    with ZipFile(tmp_path / "b.zip") as archive:
        assert "reproduction.md" not in archive.namelist()
        assert b"reproduction.md" not in archive.read("README.txt")


@pytest.mark.thorough
@pytest.mark.study
@pytest.mark.slow
def test_the_study_has_the_documents_page(published: Project, tmp_path: Path) -> None:
    assert is_published_study(published)
    bundle_of(published, tmp_path / "b.zip", pictures=False)
    with ZipFile(tmp_path / "b.zip") as archive:
        page, told = archive.read("reproduction.md").decode(), archive.read("README.txt").decode()
    assert page == PAGE.read_text(encoding="utf-8")
    assert "reproduction.md       the numbers of the published paper beside those of this data\n" in told


@pytest.mark.thorough
@pytest.mark.study
@pytest.mark.slow
def test_pseudonyms_leave_it_out(published: Project, tmp_path: Path) -> None:
    bundle_of(published, tmp_path / "b.zip", pictures=False, hidden=True)
    with ZipFile(tmp_path / "b.zip") as archive:
        assert "reproduction.md" not in archive.namelist()
