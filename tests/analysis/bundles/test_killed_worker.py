"""A worker killed while it restores a bundle, as by a power cut: another goes on, or nothing is left."""

from __future__ import annotations

from pathlib import Path

import pytest
from PIL import Image as Picture
from pytest_django.fixtures import Settings

from analysis.bundles.restoring.uploaded import sweep_restoring
from annotator.images.decoding import decode_contents
from annotator.images.display import store_image
from annotator.models import Event, Image, Job
from annotator.work.jobs import cancel_job
from tests.analysis.bundles.bringing_back import asked_for, pictures_of, stagings
from tests.analysis.bundles.making import bundle_of, exports_of
from tests.annotator.uploads.bringing import encoded
from tests.annotator.uploads.killing import carried_out, killed_when, worker
from tests.factories import make_project

pytestmark = [pytest.mark.worker, pytest.mark.django_db(transaction=True)]
NUMBER = 200
LAYOUTS = ("images",)


@pytest.fixture
def bundle(tmp_path: Path, settings: Settings) -> tuple[bytes, dict[str, bytes]]:
    """A bundle of pictures that take a moment to decode, and the export that it has to give."""
    settings.UPLOAD_DIR = tmp_path / "media" / "receiving"
    noise, project = Picture.effect_noise((400, 400), 90), make_project("noise", name="Noise")
    for number in range(NUMBER):
        noise.putpixel((number, 0), number)
        noise.putpixel((number, 1), 255 - number)
        decoded = decode_contents(encoded(noise, compress_level=0), max_pixels=400 * 400)
        names = {"generator": "g", "prompt": "p", "source_name": f"{number}.png"}
        store_image(project=project, decoded=decoded, number=number, **names)
    contents = bundle_of(project, tmp_path / "noise.zip", reports=False)
    return contents, exports_of(project, layouts=LAYOUTS)


def killed_in_the_middle(job: Job, folder: Path) -> int:
    """How many pictures the rows speak of when the worker is dead; some are still to come."""
    there = Image.objects.filter(project__in=stagings(), display_error="")
    killed_when(worker(job, folder), lambda: there.count() > 0)
    done = there.count()
    assert 0 < done < NUMBER
    return done


def test_another_goes_on(bundle: tuple[bytes, dict[str, bytes]], tmp_path: Path) -> None:
    contents, expected = bundle
    target = make_project("target", name="Noise")
    job = asked_for(target, contents)
    done = killed_in_the_middle(job, tmp_path)
    before = {path: path.stat().st_mtime_ns for path in pictures_of(target)}
    assert done <= len(before) < NUMBER
    spoken_of = Image.objects.filter(project__in=stagings(), display_error="")
    kept = {Path(str(each.file.path)) for each in spoken_of}
    carried_out(job, tmp_path)
    assert exports_of(target, layouts=LAYOUTS) == expected
    # What the rows spoke of was not stored again.
    assert {path: path.stat().st_mtime_ns for path in kept} == {path: before[path] for path in kept}
    assert (len(pictures_of(target)), stagings().count()) == (NUMBER, 0)
    assert Event.objects.filter(project=target, verb="restored").count() == 1


def test_or_nothing_is_left_of_it(bundle: tuple[bytes, dict[str, bytes]], tmp_path: Path) -> None:
    target = make_project("target")
    job = asked_for(target, bundle[0])
    killed_in_the_middle(job, tmp_path)
    assert cancel_job(job=job, actor=None)
    sweep_restoring()
    assert (stagings().count(), Image.objects.filter(project=target).count()) == (0, 0)
    assert pictures_of(target) == []
    job.refresh_from_db()
    assert job.status == "cancelled"
