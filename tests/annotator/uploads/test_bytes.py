"""Bytes on a disk that is full, broken, or written to by two at once, and held in no memory."""

from __future__ import annotations

import errno
import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from django.conf import settings

from annotator.uploads import bytes as on_disk
from annotator.uploads.bytes import CannotKeep, Moved, Removed, append_at, length_at, place_of, remove_bytes
from tests.annotator.racing import race
from tests.annotator.uploads.disks import small_disk

KB = 1024
FULL = (
    "The server's disk is full. Uploaded parts are kept. Free some space, or ask the administrator "
    "of the server, then resume."
)


@pytest.fixture
def path(tmp_path: Path, settings: Any) -> Path:
    settings.UPLOAD_DIR = tmp_path / "receiving"
    return place_of(uuid4(), uuid4())


@pytest.fixture
def full_soon(tmp_path: Path, settings: Any) -> Iterator[Path]:
    """A file on a disk of 300 KB."""
    with small_disk(tmp_path / "disk", "300k") as disk:
        settings.UPLOAD_DIR = disk
        settings.UPLOAD_RESERVE_BYTES = 0
        yield place_of(uuid4(), uuid4())


def test_a_disk_that_is_full_keeps_what_was_confirmed_and_nothing_half(full_soon: Path) -> None:
    data = os.urandom(500 * KB)
    assert append_at(full_soon, 0, BytesIO(data), 100 * KB) == 100 * KB
    with pytest.raises(CannotKeep, match=FULL) as refused:
        append_at(full_soon, 100 * KB, BytesIO(data[100 * KB :]), 400 * KB)
    assert refused.value.full
    assert full_soon.read_bytes() == data[: 100 * KB]
    # There is room again for what others need, and for the rest once somebody has made room.
    assert append_at(full_soon, 100 * KB, BytesIO(data[100 * KB :]), 50 * KB) == 150 * KB
    assert full_soon.read_bytes() == data[: 150 * KB]


def test_a_disk_without_room_for_a_folder(full_soon: Path) -> None:
    filler = full_soon.parent.parent.parent / "filler"
    with pytest.raises(OSError, match="No space"):
        filler.write_bytes(bytes(400 * KB))
    with pytest.raises(CannotKeep) as refused:
        append_at(full_soon, 0, BytesIO(b"one"), 3)
    assert refused.value.full
    filler.unlink()
    assert append_at(full_soon, 0, BytesIO(b"one"), 3) == 3


def test_room_is_asked_for_on_the_disk_itself(full_soon: Path, settings: Any) -> None:
    on_disk.require_room(290 * KB)
    with pytest.raises(CannotKeep, match=r"no room for 310,000 bytes; 307,200 are free"):
        on_disk.require_room(310_000)
    settings.UPLOAD_RESERVE_BYTES = 100 * KB
    with pytest.raises(CannotKeep, match=r"no room for 250,000 bytes; 204,800 are free"):
        on_disk.require_room(250_000)


def test_a_long_body_stops_at_the_reserve(full_soon: Path, settings: Any, monkeypatch: Any) -> None:
    """What was free when a body began may be taken while it comes."""
    monkeypatch.setattr(on_disk, "CHUNK", 10 * KB)
    monkeypatch.setattr(on_disk, "PUSH_EVERY", 50 * KB)
    settings.UPLOAD_RESERVE_BYTES = 180 * KB
    with pytest.raises(CannotKeep, match="The server has no room"):
        append_at(full_soon, 0, BytesIO(bytes(250 * KB)), 250 * KB)
    assert length_at(full_soon) == 150 * KB


def test_a_read_only_disk(path: Path) -> None:
    path.parent.mkdir(parents=True)
    path.mkdir()
    with pytest.raises(CannotKeep, match=r"The server cannot store the file: Is a directory\.") as refused:
        append_at(path, 0, BytesIO(b"one"), 3)
    assert not refused.value.full


def test_bytes_that_could_not_be_pushed_are_not_confirmed(path: Path, monkeypatch: Any) -> None:
    """A failed fsync may have thrown the bytes away: only those pushed before it count."""
    monkeypatch.setattr(on_disk, "CHUNK", 10)
    monkeypatch.setattr(on_disk, "PUSH_EVERY", 20)
    pushes = 0
    real = os.fsync

    def failing(handle: int) -> None:
        nonlocal pushes
        pushes += 1
        if pushes == 2:
            raise OSError(errno.EIO, "Input/output error")
        real(handle)

    monkeypatch.setattr(os, "fsync", failing)
    with pytest.raises(CannotKeep, match="Input/output error"):
        append_at(path, 0, BytesIO(bytes(range(100))), 100)
    assert path.read_bytes() == bytes(range(20))


def test_nothing_is_confirmed_before_it_is_pushed(path: Path, monkeypatch: Any) -> None:
    pushed: list[int] = []
    real = os.fsync

    def noted(handle: int) -> None:
        pushed.append(os.fstat(handle).st_size)
        real(handle)

    monkeypatch.setattr(os, "fsync", noted)
    append_at(path, 0, BytesIO(b"one"), 3)
    # The file, then the folders that name it.
    assert (pushed[0], len(pushed)) == (3, 4)
    append_at(path, 3, BytesIO(b"two"), 3)
    assert pushed[4:] == [6]
    assert length_at(path) == 6
    assert pushed[5:] == [6]
    append_at(path.parent / "beside", 0, BytesIO(b"four"), 4)
    # The folder's own name is there already.
    assert (pushed[6], len(pushed)) == (4, 8)


def test_a_connection_that_breaks_keeps_what_came(path: Path) -> None:
    class Broken(BytesIO):
        def read(self, size: int | None = -1, /) -> bytes:
            if piece := super().read(min(size or 0, 5)):
                return piece
            raise OSError("the other side is gone")

    assert append_at(path, 0, Broken(b"0123456789"), 100) == 10
    assert append_at(path, 10, BytesIO(b"abc"), 100) == 13
    assert path.read_bytes() == b"0123456789abc"


def test_at_a_wrong_place_nothing_is_read_and_nothing_written(path: Path) -> None:
    append_at(path, 0, BytesIO(b"one"), 3)
    for offset in (0, 2, 4, 10**15):
        stream = BytesIO(b"two")
        with pytest.raises(Moved) as moved:
            append_at(path, offset, stream, 3)
        assert (moved.value.there, stream.tell()) == (3, 0)
    assert path.read_bytes() == b"one"


def test_nobody_waits_for_a_connection_that_died_in_silence(path: Path) -> None:
    """A writer whose client is gone holds nothing: the next one goes on, and the first finds that it has."""
    silent, outcome = threading.Event(), []

    class Silent(BytesIO):
        def read(self, size: int | None = -1, /) -> bytes:
            if self.tell():
                silent.wait(timeout=30)
            return super().read(3)

    def first() -> None:
        try:
            append_at(path, 0, Silent(b"onetwo"), 6)
        except Moved as moved:
            outcome.append(moved.there)

    thread = threading.Thread(target=first)
    thread.start()
    while length_at(path) < 3:
        time.sleep(0.01)
    assert append_at(path, 3, BytesIO(b"TWOTHREE"), 8) == 11
    silent.set()
    thread.join(timeout=30)
    assert outcome == [11]
    assert path.read_bytes() == b"oneTWOTHREE"


def test_nobody_writes_between_another_s_look_and_write(path: Path, monkeypatch: Any) -> None:
    real = on_disk._write

    def slow(handle: int, position: int, piece: bytes) -> None:
        time.sleep(0.1)
        real(handle, position, piece)

    monkeypatch.setattr(on_disk, "_write", slow)
    outcomes = race([partial(append_at, path, 0, BytesIO(letter * 9), 9) for letter in (b"a", b"b", b"c")])
    assert sorted(str(outcome) for outcome in outcomes) == ["9", "The file ends at 9.", "The file ends at 9."]
    assert path.read_bytes() == b"abc"[outcomes.index(9) : outcomes.index(9) + 1] * 9


def test_a_file_removed_under_the_writer(path: Path) -> None:
    class Removing(BytesIO):
        def read(self, size: int | None = -1, /) -> bytes:
            if self.tell() == 3:
                remove_bytes(path)
            return super().read(3)

    with pytest.raises(Removed):
        append_at(path, 0, Removing(b"onetwo"), 6)
    assert not path.exists()


def test_a_link_is_not_followed(path: Path, tmp_path: Path) -> None:
    target = tmp_path / "elsewhere"
    target.write_bytes(b"")
    path.parent.mkdir(parents=True)
    path.symlink_to(target)
    with pytest.raises(CannotKeep):
        append_at(path, 0, BytesIO(b"one"), 3)
    assert target.read_bytes() == b""


def peak(files: int) -> dict[str, Any]:
    """Megabytes of a process that reads and stores so many small files."""
    command = [sys.executable, "benchmarks/bench_uploads.py", "--memory-of", str(files)]
    done = subprocess.run(command, cwd=settings.BASE_DIR, capture_output=True, text=True, check=True)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


@pytest.mark.timeout(1200)
@pytest.mark.thorough
def test_thousands_of_files_take_no_more_than_a_hundred() -> None:
    few, many = peak(100), peak(2_600)
    # A list of 2,500 rows with their names would take 6 MB.
    assert many["worker MB"] - few["worker MB"] < 5
    assert many["decoder MB"] - few["decoder MB"] < 5
