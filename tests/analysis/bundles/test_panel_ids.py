"""Ids of panels leave a project in no export and no bundle; tests/analysis/api walks the API."""

from __future__ import annotations

from pathlib import Path
from zipfile import ZipFile

import pytest

from annotator.models import Recruited
from tests.analysis.bundles.making import bundle_of, exports_of, make_rich

pytestmark = [pytest.mark.django_db, pytest.mark.thorough]

IDS = {name: f"Canary{name.title()}" for name in ("participant", "study", "session")}


def test_no_export_and_no_bundle_has_the_ids_or_answers(tmp_path: Path) -> None:
    project = make_rich()
    member = project.memberships.filter(assignments__annotation__isnull=False).first()
    assert member is not None
    Recruited.objects.create(membership=member, answers={"about": "CanaryAnswer"}, **IDS)
    files = exports_of(project)
    bundle_of(project, path := tmp_path / "bundle.zip")
    files |= {name: _inner(tmp_path, name, content) for name, content in files.items()}
    with ZipFile(path) as archive:
        files |= {name: archive.read(name) for name in archive.namelist()}
    assert any(member.code.encode() in content for content in files.values())
    assert [name for name, content in files.items() if b"Canary" in content] == []


def _inner(place: Path, name: str, content: bytes) -> bytes:
    """The unpacked parts of a workbook; other files as they are."""
    if not content.startswith(b"PK"):
        return content
    (place / name).write_bytes(content)
    with ZipFile(place / name) as archive:
        return b"".join(archive.read(part) for part in archive.namelist())
