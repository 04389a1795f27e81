"""A small disk for the process set, which can be filled."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

MEGABYTE = 1024 * 1024


@dataclass(frozen=True)
class Place:
    """A folder, and whether it can be filled without filling another disk."""

    home: Path
    own_disk: bool

    @property
    def in_words(self) -> str:
        return "ext4 on a loop device" if self.own_disk else "a folder (its disk cannot be filled: not root)"

    def fill(self) -> Path:
        """Fill the remaining space; return the file that occupies it."""
        filler = self.home / "filler"
        with filler.open("wb", buffering=0) as file, suppress(OSError):
            for size in (MEGABYTE, 4096):
                with suppress(OSError):
                    while True:
                        file.write(b"\0" * size)
        return filler


@contextmanager
def place(megabytes: int) -> Iterator[Place]:
    """Create the place and remove it afterwards."""
    root = Path(tempfile.mkdtemp(prefix="anatomark-faults-"))
    root.chmod(0o755)
    home = root / "home"
    home.mkdir(mode=0o755)
    own_disk = _mounted(root / "disk", home, megabytes)
    try:
        yield Place(home, own_disk)
    finally:
        if own_disk:
            subprocess.run(["umount", "--lazy", str(home)], check=False)
        shutil.rmtree(root, ignore_errors=True)


def _mounted(disk: Path, home: Path, megabytes: int) -> bool:
    if os.geteuid() != 0 or not shutil.which("mkfs.ext4"):
        return False
    with disk.open("wb") as file:
        file.truncate(megabytes * MEGABYTE)
    made = subprocess.run(["mkfs.ext4", "-q", "-m", "0", str(disk)], check=False, capture_output=True)
    mount = ["mount", "-o", "loop", str(disk), str(home)]
    if made.returncode or subprocess.run(mount, check=False, capture_output=True).returncode:
        return False
    home.chmod(0o755)
    return True
