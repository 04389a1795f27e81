"""No file is refused for what the machine could not do: the job is given back, and fails in the end."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from typing import Any, NoReturn

import pytest

from annotator.images import decoding_process
from annotator.images.decoding import DecoderUnavailable
from annotator.images.display import make_displays
from annotator.models import Image, Project
from annotator.uploads.upload_jobs import request_reading, request_storing
from annotator.work import leases
from annotator.work.jobs import run_job
from tests.annotator.job_acts import ended
from tests.annotator.uploads.bringing import DecodesHere, bring, brought, picture, states
from tests.factories import make_stored_image

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("apart")]
FILES = {f"g/p/{number}.png": picture(number) for number in (1, 2)}


def failing(number: int) -> Callable[..., NoReturn]:
    def fail(*_: object, **__: object) -> NoReturn:
        raise OSError(number, os.strerror(number))

    return fail


def starting(*words: str) -> Callable[..., Any]:
    real = subprocess.Popen
    return lambda _, **more: real(words, **more)


@pytest.mark.parametrize(
    "start",
    [
        starting("/no/such/python"),
        starting(sys.executable, "-c", "import nothing_of_this_name"),
        starting("/bin/false"),
        *map(failing, (errno.EAGAIN, errno.ENOMEM, errno.EMFILE, errno.ENFILE)),
    ],
)
def test_a_decoder_that_cannot_start(
    project: Project, monkeypatch: pytest.MonkeyPatch, start: Callable[..., Any]
) -> None:
    monkeypatch.setattr("annotator.images.decoding_process.subprocess.Popen", start)
    upload = bring(project, FILES)
    job = request_reading(upload=upload, actor=None)
    for attempt in range(1, leases.MAX_ATTEMPTS + 1):
        assert (job.status, set(states(upload).values())) == ("queued", {"received"}), job.error
        ended(job)
        assert job.attempts == attempt
    assert job.status == "failed"
    assert "No data was lost." in job.error
    assert set(states(upload).values()) == {"received"}


def test_a_decoder_killed_once_goes_on(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    real = decoding_process._send
    killed: list[int] = []

    def murder(process: Any, connection: Any, wanted: Any, contents: bytes) -> None:
        if not killed:
            killed.append(process.pid)
            os.kill(process.pid, signal.SIGKILL)
            process.wait()
        real(process, connection, wanted, contents)

    monkeypatch.setattr(decoding_process, "_send", murder)
    assert set(states(brought(project, FILES)).values()) == {"ready"}
    assert killed


def test_short_memory_fails_no_copy(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    def short(*_: object, **__: object) -> NoReturn:
        raise MemoryError

    image = make_stored_image(project)
    Image.objects.filter(pk=image.pk).update(display_state="pending")
    with monkeypatch.context() as broken:
        broken.setattr("annotator.images.drawing.Decoder", DecodesHere)
        broken.setattr("annotator.images.drawing._IDLE", {})
        broken.setattr("PIL.Image.Image.thumbnail", short)
        with pytest.raises(DecoderUnavailable, match="not enough memory"):
            make_displays([image.pk])
    image.refresh_from_db()
    assert image.display_state == "pending"


@pytest.mark.parametrize(
    "place",
    [
        "annotator.uploads.reading.read_limited",
        "annotator.images.decoding_process.Pipe",
        "annotator.uploads.manifests.read_in_child",
        "annotator.uploads.manifests.shutil.copyfileobj",
    ],
)
@pytest.mark.parametrize("number", [errno.EMFILE, errno.ENFILE, errno.EIO, errno.ENOSPC, errno.ENOMEM])
@pytest.mark.few(2)
def test_a_stored_file_that_the_machine_cannot_read(
    project: Project, monkeypatch: pytest.MonkeyPatch, place: str, number: int
) -> None:
    upload = bring(project, {**FILES, "manifest.csv": b"file,generator,prompt,number\nnone.png,,,\n"})
    job = request_reading(upload=upload, actor=None)
    with monkeypatch.context() as broken:
        broken.setattr(place, failing(number))
        ended(job)
        assert (job.status, set(states(upload).values()) & {"refused", "ignored"}) == ("queued", set())
    ended(job)
    assert (job.status, states(upload)["manifest.csv"]) == ("done", "table")
    assert not upload.files.filter(state="refused").exists()


def test_a_picture_unreadable_by_then(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    upload = brought(project, FILES)
    job = request_storing(upload=upload, actor=None)
    with monkeypatch.context() as broken:
        broken.setattr("annotator.uploads.reading.read_limited", failing(errno.EMFILE))
        run_job(job.pk)
    assert set(states(upload).values()) == {"ready"}
    run_job(job.pk)
    assert set(states(upload).values()) == {"stored"}
