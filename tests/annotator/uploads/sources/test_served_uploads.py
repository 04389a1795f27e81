"""Uploads to a real server that is killed, interrupted, and asked for more than it should hold."""

from __future__ import annotations

import hashlib
import http.client
import os
import re
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from annotator.models import Membership, Upload, UploadedFile
from annotator.uploads.receiving import begin_upload, path_of
from tests.annotator.uploads.disks import small_disk
from tests.annotator.uploads.sources.serving import Browser, serving
from tests.factories import ANNOTATOR, LEAD, make_member, make_project

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.timeout(300)]

MB = 1024 * 1024
DATA = os.urandom(20 * MB)


@pytest.fixture(autouse=True)
def place(tmp_path: Path, settings: Any) -> Path:
    settings.UPLOAD_DIR = tmp_path / "receiving"
    return tmp_path / "receiving"


@pytest.fixture
def lead() -> Membership:
    return make_member(make_project(), LEAD)


@pytest.fixture
def upload(lead: Membership) -> Upload:
    return begin_upload(project=lead.project, actor=lead.user)


def browser_of(site: Any, member: Membership) -> Browser:
    assert member.user is not None
    return Browser.of(site, member.user)


def wait_until(true: Callable[[], bool]) -> None:
    until = time.monotonic() + 60
    while not true():
        assert time.monotonic() < until, "it never came"
        time.sleep(0.02)


def send_the_rest(browser: Browser, address: str, piece: int = 4 * MB) -> None:
    """What a script does: ask, send from there, until all is there."""
    while (offset := browser.offset(address)) < len(DATA):
        browser.patch(address, offset, DATA[offset : offset + piece])


def is_whole(file: UploadedFile) -> bool:
    with path_of(file).open("rb") as there:
        same = hashlib.file_digest(there, "sha256").digest() == hashlib.sha256(DATA).digest()
    return same and UploadedFile.objects.get(pk=file.pk).state == "received"


@pytest.mark.slow  # a server of its own, which is ended
def test_interrupted_at_sixty_percent_and_resumed_tomorrow(lead: Membership, upload: Upload) -> None:
    with serving() as today:
        browser = browser_of(today, lead)
        address, offset = browser.announce(upload, "large.zip", len(DATA))
        assert offset == 0
        assert browser.patch(address, 0, DATA[: 4 * MB]).status == 204
        line = browser.begin_patch(address, 4 * MB, 16 * MB, DATA[4 * MB : 12 * MB])
        file = upload.files.get()
        wait_until(lambda: path_of(file).stat().st_size == 12 * MB)
        line.close()  # the laptop is shut
        wait_until(lambda: browser.offset(address) == 12 * MB)
        today.kill()
    with serving() as tomorrow:
        other = browser_of(tomorrow, make_member(upload.project, LEAD))
        assert other.announce(upload, "large.zip", len(DATA)) == (address, 12 * MB)
        send_the_rest(other, address)
    assert is_whole(file)


@pytest.mark.thorough
def test_killed_in_the_middle_of_a_piece(lead: Membership, upload: Upload) -> None:
    with serving() as site:
        browser = browser_of(site, lead)
        address, _ = browser.announce(upload, "large.zip", len(DATA))
        line = browser.begin_patch(address, 0, len(DATA), DATA[: 7 * MB + 11])
        file = upload.files.get()
        wait_until(lambda: path_of(file).exists() and path_of(file).stat().st_size >= 6 * MB)
        site.kill()
        line.close()
    there = path_of(file).read_bytes()
    assert DATA.startswith(there)
    assert UploadedFile.objects.get().state == "receiving"
    with serving() as site:
        browser = browser_of(site, lead)
        assert browser.offset(address) == len(there) >= 6 * MB
        send_the_rest(browser, address)
    assert is_whole(file)


@pytest.mark.thorough
def test_two_tabs_of_two_processes_send_one_file(lead: Membership, upload: Upload) -> None:
    with serving() as one, serving() as two:
        tabs = [browser_of(site, lead) for site in (one, two)]
        places = [tab.announce(upload, "large.zip", len(DATA)) for tab in tabs]
        assert places[0] == places[1]
        threads = [
            threading.Thread(target=send_the_rest, args=(tab, places[0][0], piece))
            for tab, piece in zip(tabs, (300_000, 410_000), strict=True)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(timeout=120)
    assert is_whole(upload.files.get())


@pytest.mark.parametrize("worker_class", ["gthread", "sync"])
@pytest.mark.thorough
def test_a_piece_of_any_size_costs_the_server_nothing(
    lead: Membership, upload: Upload, worker_class: str
) -> None:
    with serving(worker_class) as site:
        browser = browser_of(site, lead)
        address, _ = browser.announce(upload, "large.zip", 64 * MB + 3)
        assert browser.patch(address, 0, b"one").status == 204  # what is loaded once is loaded
        before = peak_of(site.worker)
        assert browser.patch(address, 3, bytes(64 * MB)).status == 204
        grown = peak_of(site.worker) - before
    assert grown < 10 * MB, f"{grown / MB:.1f} MB for a piece of 64 MB"


@pytest.mark.parametrize("worker_class", ["gthread", "sync"])
@pytest.mark.thorough
def test_a_refused_piece_is_answered_in_words_and_not_by_a_broken_line(
    lead: Membership, upload: Upload, worker_class: str
) -> None:
    """A client that is still sending 16 MB when the server says no must get to hear it."""
    piece = DATA[: 16 * MB]
    with serving(worker_class) as site:
        browser = browser_of(site, lead)
        address, _ = browser.announce(upload, "large.zip", len(DATA))
        assert browser.patch(address, 9, piece).status == 409
        signed_out = Browser(site, "nobody")
        assert signed_out.patch(address, 0, piece).status == 401
        Membership.objects.update(role=ANNOTATOR)
        assert browser.patch(address, 0, piece).status == 404
        Membership.objects.update(role=LEAD)
        wrong = {"Upload-Offset": "0", "Content-Type": "application/offset+octet-stream", "X-CSRFToken": "no"}
        assert browser.ask("PATCH", address, piece, **wrong).status == 403
        Upload.objects.update(status="discarded")
        answer = browser.patch(address, 0, piece)
        assert (answer.status, b"This upload accepts no files" in answer.body) == (410, True)  # type: ignore[attr-defined]


@pytest.mark.thorough
def test_a_full_disk_is_said_and_survived(
    lead: Membership, upload: Upload, tmp_path: Path, settings: Any
) -> None:
    with small_disk(tmp_path / "disk", "6m") as disk:
        settings.UPLOAD_DIR = disk
        with serving(UPLOAD_RESERVE_BYTES="0") as site:
            browser = browser_of(site, lead)
            address, _ = browser.announce(upload, "1.zip", 4 * MB)
            other, _ = browser.announce(upload, "2.zip", 1 * MB)
            assert browser.patch(address, 0, DATA[: 2 * MB]).status == 204
            # What fills the disk meanwhile is none of ours.
            (disk / "filler").write_bytes(bytes(3 * MB))
            line = browser.begin_patch(other, 0, 1 * MB - 4096, DATA[:1000])
            file = upload.files.get(name="2.zip")
            wait_until(lambda: path_of(file).exists())
            (disk / "filler2").write_bytes(bytes(900_000))
            line.sendall(DATA[1000 : 1 * MB - 4096])
            answer = http.client.HTTPResponse(line)
            answer.begin()
            assert (answer.status, b"The server's disk is full." in answer.read()) == (507, True)
            line.close()
            assert browser.patch(address, 2 * MB, DATA[2 * MB : 4 * MB]).status == 507
            assert (browser.offset(address), browser.offset(other)) == (2 * MB, 0)
            (disk / "filler").unlink()
            assert browser.patch(address, 2 * MB, DATA[2 * MB : 4 * MB]).status == 204
        assert path_of(upload.files.get(name="1.zip")).read_bytes() == DATA[: 4 * MB]


def peak_of(process: int) -> int:
    """The most bytes that a process has had in memory, counted anew from now on for the next call."""
    status = Path(f"/proc/{process}/status").read_text()
    found = re.search(r"VmHWM:\s+([0-9]+) kB", status)
    assert found is not None
    Path(f"/proc/{process}/clear_refs").write_text("5")
    return int(found[1]) * 1024
