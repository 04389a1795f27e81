"""No file is refused for what the machine could not do: the job is given back, and fails in the end."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
from typing import Any, Final, NoReturn

import pytest

from annotator import leases
from annotator.images import make_display
from annotator.jobs import run_job
from annotator.models import Image, Project, Upload
from annotator.uploads import decoding_apart
from annotator.uploads.jobs import request_reading
from tests.annotator.uploads.bringing import bring, picture, read, states
from tests.factories import make_project, make_stored_image

pytestmark = pytest.mark.django_db


@pytest.fixture
def project() -> Project:
    return make_project()


def brought(project: Project) -> Upload:
    upload = bring(project, TestTheMachineIsAtFault.FILES)
    assert read(upload).status == "done"
    return upload


class TestTheMachineIsAtFault:
    """Each way in which it can be."""

    FILES: Final = {f"g/p/{number}.png": picture(number) for number in range(1, 3)}

    @pytest.mark.parametrize(
        "words", [["/no/such/python"], [sys.executable, "-c", "import nothing_of_this_name"], ["/bin/false"]]
    )
    def test_a_decoder_that_cannot_start(
        self, project: Project, monkeypatch: pytest.MonkeyPatch, words: list[str]
    ) -> None:
        real = subprocess.Popen
        with monkeypatch.context() as broken:
            broken.setattr(
                "annotator.uploads.decoding_apart.subprocess.Popen", lambda _, **more: real(words, **more)
            )
            self.nothing_is_refused(project)

    @pytest.mark.parametrize("number", [errno.EAGAIN, errno.ENOMEM])
    def test_a_machine_without_room_for_a_process(
        self, project: Project, monkeypatch: pytest.MonkeyPatch, number: int
    ) -> None:
        def full(*_: object, **__: object) -> NoReturn:
            raise OSError(number, os.strerror(number))

        with monkeypatch.context() as broken:
            broken.setattr("annotator.uploads.decoding_apart.subprocess.Popen", full)
            self.nothing_is_refused(project)

    def test_a_machine_that_kills_whatever_decodes(
        self, project: Project, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        real = decoding_apart._send

        def murder(process: Any, contents: bytes) -> None:
            real(process, contents)
            os.kill(process.pid, signal.SIGKILL)
            process.wait()

        with monkeypatch.context() as broken:
            broken.setattr(decoding_apart, "_send", murder)
            self.nothing_is_refused(project, most=1)  # three processes for each file and attempt

    def test_a_decoder_killed_once_decodes_the_same_file_anew(
        self, project: Project, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        real = decoding_apart._send
        killed: list[int] = []

        def murder(process: Any, contents: bytes) -> None:
            if not killed:
                killed.append(process.pid)
                os.kill(process.pid, signal.SIGKILL)
                process.wait()
            real(process, contents)

        monkeypatch.setattr(decoding_apart, "_send", murder)
        assert set(states(brought(project)).values()) == {"ready"}
        assert killed

    def test_memory_that_is_short_fails_no_copy_for_display(
        self, project: Project, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def short(*_: object, **__: object) -> NoReturn:
            raise MemoryError

        image = make_stored_image(project)
        Image.objects.filter(pk=image.pk).update(display_state="pending")
        with monkeypatch.context() as broken:
            broken.setattr("PIL.Image.Image.thumbnail", short)
            with pytest.raises(MemoryError):
                make_display(image.pk)
        image.refresh_from_db()
        assert image.display_state == "pending"

    def nothing_is_refused(self, project: Project, most: int = 2) -> None:
        upload = bring(project, dict(list(self.FILES.items())[:most]))
        job = request_reading(upload=upload, actor=None)
        for attempt in range(1, leases.MAX_ATTEMPTS + 1):
            assert (job.status, set(states(upload).values())) == ("queued", {"received"}), job.error
            run_job(job.pk)
            job.refresh_from_db()
            assert job.attempts == attempt
        assert job.status == "failed"
        assert "Nothing was refused or lost." in job.error
        assert set(states(upload).values()) == {"received"}
