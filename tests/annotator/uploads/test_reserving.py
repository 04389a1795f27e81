"""Room on the disk is promised once: over all open announcements, by everybody, at the same moment."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from functools import partial
from io import BytesIO
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from django.utils import timezone

from annotator.models import Project, Upload, UploadedFile
from annotator.uploads.receiving import append, begin_upload, discard_upload, place_file, remove_file
from annotator.uploads.refusals import NoRoom, TooMany
from tests.annotator.racing import race
from tests.factories import LEAD, make_member, make_project

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.databases]
GB = 1024**3


@pytest.fixture(autouse=True)
def disk(tmp_path: Path, settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """A disk with 21 GB, of which uploads may take 20. What is written is too little to be seen."""
    settings.UPLOAD_DIR = tmp_path
    settings.MAX_UPLOAD_BYTES = 20 * GB
    monkeypatch.setattr("annotator.uploads.bytes.shutil.disk_usage", lambda _: SimpleNamespace(free=21 * GB))


def begun(project: Project | None = None) -> Upload:
    lead = make_member(project or make_project(), LEAD)
    return begin_upload(project=lead.project, actor=lead.user)


def fresh(upload: Upload) -> Upload:
    return Upload.objects.select_related("project").get(pk=upload.pk)


def announce(upload: Upload, name: str, size: int = 8 * GB) -> UploadedFile:
    return place_file(upload=fresh(upload), name=name, size=size)


def test_what_was_promised_before_is_promised_once() -> None:
    """The twenty announcements of 8 GB: two of them fit."""
    mine, hers = begun(), begun()
    announce(mine, "1.zip")
    announce(hers, "1.zip")
    for upload in (mine, hers):
        with pytest.raises(NoRoom) as refused:
            announce(upload, "2.zip")
        assert refused.value.full
    assert UploadedFile.objects.count() == 2
    announce(mine, "1.zip")  # the same one again
    announce(mine, "3.zip", 4 * GB)


def test_room_comes_back_with_what_is_removed_discarded_or_abandoned() -> None:
    removed, discarded, abandoned, last = (begun() for _ in range(4))
    file = announce(removed, "1.zip")
    announce(discarded, "1.zip")
    ends: list[Callable[[], object]] = [
        lambda: remove_file(file),
        lambda: discard_upload(upload=fresh(discarded), actor=None),
    ]
    for end in ends:
        with pytest.raises(NoRoom):
            announce(abandoned, "1.zip")
        end()
        announce(abandoned, "1.zip")
        remove_file(abandoned.files.get())
        announce(last, f"{last.files.count()}.zip")
    with pytest.raises(NoRoom):
        announce(abandoned, "1.zip")
    Upload.objects.filter(pk=last.pk).update(touched_at=timezone.now() - timedelta(minutes=61))
    announce(abandoned, "1.zip")
    # Whoever comes back asks anew, and is told at once instead of at the end.
    announce(abandoned, "2.zip")
    late = UploadedFile.objects.select_related("upload").get(upload=last, name="0.zip")
    with pytest.raises(NoRoom):
        append(file=late, offset=0, stream=BytesIO(b"x"), length=1)
    remove_file(abandoned.files.get(name="2.zip"))
    remove_file(last.files.get(name="1.zip"))
    assert append(file=late, offset=0, stream=BytesIO(b"x"), length=1) == 1


def test_what_has_come_is_on_the_disk_and_not_promised_as_well(monkeypatch: pytest.MonkeyPatch) -> None:
    upload = begun()
    file = announce(upload, "1.zip", 18 * GB)
    with pytest.raises(NoRoom):
        announce(upload, "2.zip", 3 * GB)
    # 17 GB of it have come.
    monkeypatch.setattr("annotator.uploads.bytes.shutil.disk_usage", lambda _: SimpleNamespace(free=4 * GB))
    monkeypatch.setattr("annotator.uploads.reserving._length", lambda _: 17 * GB)
    announce(upload, "2.zip", 2 * GB)
    assert file.size == 18 * GB


@pytest.mark.parametrize("turn", range(5))
@pytest.mark.few(2)
def test_of_many_announced_at_once_the_last_room_is_given_once(turn: int) -> None:
    uploads = [begun() for _ in range(4)]
    outcomes = race([partial(announce, upload, f"{place}.zip") for place in range(2) for upload in uploads])
    assert sum(isinstance(outcome, UploadedFile) for outcome in outcomes) == 2, outcomes
    assert sum(isinstance(outcome, NoRoom) for outcome in outcomes) == 6, outcomes
    assert UploadedFile.objects.count() == 2


def test_one_person_leaves_room_for_others(settings: Any) -> None:
    settings.UPLOAD_UNFINISHED_BYTES = 10 * GB
    project = make_project()
    mine, hers = begun(project), begun(project)
    announce(mine, "1.zip")
    with pytest.raises(NoRoom, match="of unfinished files"):
        announce(mine, "2.zip", 3 * GB)
    announce(hers, "1.zip")
    settings.UPLOAD_UNFINISHED_FILES = 2
    announce(mine, "3.zip", 1)
    with pytest.raises(TooMany):
        announce(mine, "4.zip", 1)
    append(file=mine.files.get(name="3.zip"), offset=0, stream=BytesIO(b"x"), length=1)
    announce(mine, "4.zip", 1)
