"""Files that appear whole or not at all."""

from __future__ import annotations

import errno
import os
import time
from pathlib import Path

import pytest
from pytest_django.fixtures import Settings

from annotator.images.storage import remove_abandoned, save_whole


@pytest.fixture(autouse=True)
def media(tmp_path: Path, settings: Settings) -> Path:
    settings.MEDIA_ROOT = tmp_path / "media"
    return tmp_path / "media"


def test_a_file_appears_whole_or_not_at_all(media: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    save_whole("a/b.bin", b"first")

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", full)
        with pytest.raises(OSError, match="No space"):
            save_whole("a/b.bin", b"second")
    assert (media / "a" / "b.bin").read_bytes() == b"first"
    save_whole("a/b.bin", b"second")
    assert (media / "a" / "b.bin").read_bytes() == b"second"


def test_half_files_of_killed_processes_are_removed(media: Path) -> None:
    assert remove_abandoned() == 0
    save_whole("a", b"1")
    young, old = media / "partial" / "young", media / "partial" / "old"
    for path in (young, old):
        path.write_bytes(b"half")
    hours_ago = time.time() - 2 * 60 * 60
    os.utime(old, (hours_ago, hours_ago))
    assert remove_abandoned() == 1
    assert [path.name for path in (media / "partial").iterdir()] == ["young"]
