"""Read a backup after verifying all of it."""

from __future__ import annotations

import gzip
import hashlib
import json
import tarfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import IO, Final, cast

from config.operations.backups.writing import FORMAT, MANIFEST, SEAL, BackupContents, BackupRefused, Hashing

_PIECE: Final = 1024 * 1024


def verified(path: Path) -> BackupContents:
    """Verify a whole backup and return its contents.

    Raise BackupRefused if any byte is missing or changed.
    """
    try:
        with tarfile.open(path, "r:") as tar:
            return _verified(tar, path)
    except FileNotFoundError:
        raise BackupRefused(f"{path} does not exist.") from None
    except (tarfile.TarError, EOFError, OSError, ValueError) as error:
        raise BackupRefused(f"{path} is not a complete backup: {error or type(error).__name__}.") from error


def _verified(tar: tarfile.TarFile, path: Path) -> BackupContents:
    found: dict[str, dict[str, object]] = {}
    kept: dict[str, bytes] = {}
    for member in tar:
        file = tar.extractfile(member) if member.isreg() else None
        if file is None or member.name in found or not _is_plain(member.name):
            raise BackupRefused(f"{path} contains a file that backups do not have: {member.name!r}.")
        reader = Hashing(file)
        parts = []
        while part := reader.read(_PIECE):
            if member.name in {MANIFEST, SEAL}:
                parts.append(part)
        kept[member.name] = b"".join(parts)
        found[member.name] = {"size": member.size, "sha256": reader.digest.hexdigest()}
    if MANIFEST not in found or SEAL not in found:
        raise BackupRefused(f"{path} is truncated: its manifest is missing.")
    if hashlib.sha256(kept[MANIFEST]).hexdigest().encode() != kept[SEAL]:
        raise BackupRefused(f"{path} was changed: its manifest differs from the original.")
    return _compared(json.loads(kept[MANIFEST]), found, path)


def _compared(said: dict[str, object], found: dict[str, dict[str, object]], path: Path) -> BackupContents:
    if said.pop("format", None) != FORMAT:
        raise BackupRefused(f"{path} was made by a newer program version.")
    contents = BackupContents(**said)  # type: ignore[arg-type]
    listed = {name: each for name, each in found.items() if name not in {MANIFEST, SEAL}}
    wrong = sorted(
        name
        for name in contents.members.keys() | listed.keys()
        if contents.members.get(name) != listed.get(name)
    )
    if wrong:
        raise BackupRefused(f"{path} was changed: {len(wrong)} of its files differ, among them {wrong[0]}.")
    return contents


def _is_plain(name: str) -> bool:
    parts = PurePosixPath(name).parts
    return (
        bool(parts)
        and not name.startswith("/")
        and ".." not in parts
        and "\\" not in name
        and "\0" not in name
    )


@contextmanager
def member(tar: tarfile.TarFile, contents: BackupContents, name: str) -> Iterator[Hashing]:
    """Yield a file of the backup; raise BackupRefused at the end if it has changed since verification."""
    file = tar.extractfile(name)
    if file is None:
        raise BackupRefused(f"{name} is missing from the backup.")
    reader = Hashing(file)
    yield reader
    while reader.read(_PIECE):
        pass
    if reader.digest.hexdigest() != contents.members[name]["sha256"]:
        raise BackupRefused(f"{name} changed while it was restored.")


def table_lines(reader: Hashing) -> Iterator[bytes]:
    """Yield the lines of a table file."""
    with gzip.open(cast("IO[bytes]", reader), "rb") as unpacked:
        yield from unpacked
