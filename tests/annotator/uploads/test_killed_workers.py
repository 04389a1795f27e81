"""Workers killed in the middle of an upload, as by a power cut: another goes on, and nothing is doubled."""

from __future__ import annotations

from pathlib import Path

import pytest
from PIL import Image as Picture
from pytest_django.fixtures import Settings

from annotator.images.storage import PARTIAL_FOLDER
from annotator.models import Event, Image, Upload
from annotator.uploads.status import counts
from annotator.uploads.storing import CHUNK
from annotator.uploads.upload_jobs import request_reading, request_storing
from tests.annotator.uploads.bringing import bring, encoded, zipped
from tests.annotator.uploads.killing import carried_out, killed_when, worker
from tests.factories import make_project

pytestmark = [pytest.mark.thorough, pytest.mark.django_db(transaction=True)]

NUMBER = 240


@pytest.fixture(autouse=True)
def media(tmp_path: Path, settings: Settings) -> Path:
    """A media folder of the test's own, which the workers share."""
    settings.MEDIA_ROOT = tmp_path / "media"
    return tmp_path / "media"


def test_a_worker_killed_while_reading_and_one_while_storing(tmp_path: Path) -> None:
    # Large enough that decoding takes a moment.
    noise = Picture.effect_noise((500, 500), 90)
    pictures = {}
    for number in range(NUMBER):
        noise.putpixel((number, 0), number % 256)
        noise.putpixel((number, 1), 255 - number % 256)
        pictures[f"g/p/{number}.png"] = encoded(noise, compress_level=0)
    upload = bring(make_project(), {"all.zip": zipped(pictures)})
    reading_is_survived(upload, tmp_path)
    storing_is_survived(upload, tmp_path, pictures)


def reading_is_survived(upload: Upload, folder: Path) -> None:
    job = request_reading(upload=upload, actor=None, send=False)
    read = upload.files.filter(width__isnull=False)
    killed_when(worker(job, folder), lambda: read.count() > 0)
    done = read.count()
    assert 0 < done < NUMBER
    before = dict(read.values_list("pk", "sha256"))
    carried_out(job, folder)
    upload.refresh_from_db()
    assert (upload.status, counts(upload)["ready"], counts(upload)["archive"]) == ("ready", NUMBER, 1)
    assert upload.files.count() == NUMBER + 1
    assert before.items() <= dict(read.values_list("pk", "sha256")).items()
    assert Event.objects.filter(verb="upload_read").count() == 1


def storing_is_survived(upload: Upload, folder: Path, pictures: dict[str, bytes]) -> None:
    job = request_storing(upload=upload, actor=None, send=False)
    killed_when(worker(job, folder), lambda: Image.objects.count() > 20)
    done = Image.objects.count()
    assert 20 < done < NUMBER
    # Each image is whole and tied to its file: they came in one transaction.
    assert counts(upload)["stored"] == done
    assert all(image.file.read() == pictures[image.source_name] for image in Image.objects.all())
    carried_out(job, folder)
    upload.refresh_from_db()
    assert (upload.status, counts(upload)["stored"], Image.objects.count()) == ("stored", NUMBER, NUMBER)
    assert all(image.file.read() == pictures[image.source_name] for image in Image.objects.all())
    kept = [path for path in (folder / "media" / "originals").rglob("*") if path.is_file()]
    assert len(kept) == NUMBER
    assert len(list((folder / "media" / PARTIAL_FOLDER).glob("*"))) <= CHUNK
    assert Event.objects.filter(verb="upload_stored").count() == 1
