"""Archives as people bring them: ordinary ones, and those whose entries are wrong one by one."""

from __future__ import annotations

import os
import stat
import struct
import zipfile
import zlib
from pathlib import Path

import pytest

from annotator.uploads.archives.archives import EntryRefused, list_entries, open_entry
from tests.annotator.uploads.archives.zips import UTF8, Member, archive, deflated, extra, outcomes

PICTURE = os.urandom(100_000)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "brought"


def told(path: Path, *members: Member) -> dict[str, bytes | str]:
    """What comes of an archive of these."""
    path.write_bytes(archive(members))
    return outcomes(path)


def test_what_the_standard_library_writes(path: Path) -> None:
    with zipfile.ZipFile(path, "w") as made:
        made.writestr("sdxl/", b"")
        made.writestr("sdxl/physician/1.png", PICTURE, zipfile.ZIP_DEFLATED)
        made.writestr("sdxl/physician/2.png", PICTURE[:10], zipfile.ZIP_STORED)
        made.writestr("empty.png", b"")
        with made.open("stream.png", "w", force_zip64=True) as stream:
            stream.write(PICTURE)
    assert [(entry.index, entry.name, entry.size) for entry in list_entries(path)] == [
        (1, "sdxl/physician/1.png", 100_000),
        (2, "sdxl/physician/2.png", 10),
        (3, "empty.png", 0),
        (4, "stream.png", 100_000),
    ]
    assert list(outcomes(path).values()) == [PICTURE, PICTURE[:10], b"", PICTURE]


def test_an_archive_written_to_a_pipe(path: Path) -> None:
    """Sizes come after the bytes then; the directory has them."""

    class Pipe:
        def __init__(self) -> None:
            self.file = path.open("wb")

        def write(self, data: bytes) -> int:
            return self.file.write(data)

        def flush(self) -> None:
            self.file.flush()

    with zipfile.ZipFile(Pipe(), "w", zipfile.ZIP_DEFLATED) as made:  # type: ignore[call-overload]
        made.writestr("1.png", PICTURE)
    assert outcomes(path) == {"1.png": PICTURE}


def test_an_archive_may_be_empty(path: Path) -> None:
    path.write_bytes(archive([]))
    assert list(list_entries(path)) == []


def test_what_systems_leave_behind_is_ignored(path: Path) -> None:
    names = ["__MACOSX/a/._1.png", "a/._1.png", "a/.DS_Store", "a/Thumbs.db", "Desktop.INI", ".git/x.png"]
    found = told(path, *(Member(name.encode()) for name in names), Member(b"a/x._1.png", b"1"))
    assert found == {**dict.fromkeys(names, "ignored"), "a/x._1.png": b"1"}


@pytest.mark.parametrize(
    ("member", "words"),
    [
        (Member(b"../1.png"), "the name leads out of its folder (“..”)"),
        (Member(b"a/../../1.png"), "the name leads out of its folder (“..”)"),
        (Member(b"..\\1.png"), "the name leads out of its folder (“..”)"),
        (Member(b"/etc/1.png"), "the name is an absolute path; only relative paths are accepted"),
        (Member(b"\\\\host\\1.png"), "the name is an absolute path; only relative paths are accepted"),
        (Member(b"C:\\1.png"), "the name is an absolute path; only relative paths are accepted"),
        (Member(b"c:/1.png"), "the name is an absolute path; only relative paths are accepted"),
        (Member(b""), "the name is empty"),
        (Member(b"a/", b"1"), "the name is a folder"),
        (Member(b"a//1.png"), "the name has an empty part or “.” between its slashes"),
        (Member(b"x" * 1001), "the name has 1,001 characters; 1,000 are allowed"),
        (Member(b"1.png", flags=1), "it is encrypted; create the archive without a password"),
        (Member(b"1.png", flags=0x2001), "it is encrypted; create the archive without a password"),
        (
            Member(b"1.png", b"../../etc/passwd", mode=stat.S_IFLNK | 0o777),
            "it is a link; links are not followed",
        ),
        (Member(b"1.png", mode=stat.S_IFIFO | 0o644), "it is not a regular file"),
        (Member(b"1.png", mode=stat.S_IFCHR | 0o644), "it is not a regular file"),
        (
            Member(b"1.png", method=12, packed=b"BZh9"),
            "it is compressed with bzip2; create an ordinary zip archive (stored or deflate)",
        ),
        (
            Member(b"1.png", method=14, packed=b"lzma"),
            "it is compressed with LZMA; create an ordinary zip archive (stored or deflate)",
        ),
        (
            Member(b"1.png", method=77, packed=b"?"),
            "it is compressed with method 77; create an ordinary zip archive (stored or deflate)",
        ),
        (Member(b"in.zip"), "it is an archive inside an archive; unpack it and upload its files"),
        (Member(b"in.TAR.GZ"), "it is an archive inside an archive; unpack it and upload its files"),
        (Member(b"1.png", disk=1), "it is in another part of the archive; join the parts first"),
        (
            Member(b"1.png", b"1", offset=10**6),
            "its bytes lie outside the archive, which is truncated or forged",
        ),
        (
            Member(b"1.png", b"1", packed_size=10**6),
            "its bytes lie outside the archive, which is truncated or forged",
        ),
        (Member(b"1.png", bytes(10**7)), "its 9,732 bytes would unpack to 10,000,000"),
        (Member(b"1.png", b"1", size=2**31), "it has 2,147,483,648 bytes; the limit is 67,108,864"),
    ],
    ids=lambda value: "" if isinstance(value, Member) else value[:40],
)
def test_entries_that_are_seen_to_be_wrong(path: Path, member: Member, words: str) -> None:
    """Listed with words, and refused with the same ones when opened nevertheless; the rest is fine."""
    path.write_bytes(archive([Member(b"good.png", PICTURE), member]))
    good, bad = list_entries(path, 64 * 1024 * 1024)
    assert (good.problem, bad.problem) == ("", words)
    assert open_entry(path, 0, 10**6) == PICTURE
    with pytest.raises(EntryRefused) as refused:
        open_entry(path, 1, 64 * 1024 * 1024)
    assert str(refused.value) == words


@pytest.mark.parametrize(
    ("member", "words"),
    [
        (
            Member(b"1.png", PICTURE, crc=1),
            "its checksum is wrong: the archive is damaged",
        ),
        (
            Member(b"1.png", PICTURE, method=0, crc=zlib.crc32(b"other")),
            "its checksum is wrong: the archive is damaged",
        ),
        (Member(b"1.png", PICTURE, size=99_999), "it has more than its declared 99,999 bytes"),
        (Member(b"1.png", PICTURE, size=100_001), "it has 100,000 bytes but declares 100,001"),
        (Member(b"1.png", b"12", method=0, size=3), "it has 2 bytes but declares 3"),
        (Member(b"1.png", b"x", packed=b"\xff\xff\xff"), "its compressed bytes are damaged"),
        (Member(b"1.png", PICTURE, packed=deflated(PICTURE)[:-9]), "its compressed bytes are truncated"),
        (Member(b"1.png", PICTURE, packed=b""), "its compressed bytes are truncated"),
        (
            Member(b"1.png", b"1", local_name=b"2.png"),
            "the archive's directory and the entry itself contradict each other",
        ),
    ],
    ids=lambda value: "" if isinstance(value, Member) else value[:40],
)
def test_entries_that_are_wrong_once_they_are_opened(path: Path, member: Member, words: str) -> None:
    path.write_bytes(archive([member, Member(b"good.png", PICTURE)]))
    found = outcomes(path)
    assert found["1.png"] == words
    assert found["good.png"] == PICTURE


def test_a_local_extra_field_that_reaches_over_the_end(path: Path) -> None:
    found = told(path, Member(b"1.png", b"1", local_extra=b"", packed=b""), Member(b"2.png", b"2"))
    assert found["2.png"] == b"2"
    whole = bytearray(path.read_bytes())
    struct.pack_into("<H", whole, 28, 0xFFFF)  # the length of the first entry's own extra field
    path.write_bytes(whole)
    assert outcomes(path)["1.png"] == "its bytes lie outside the archive, which is truncated or forged"


def test_more_than_the_caller_allows_is_never_inflated(path: Path) -> None:
    path.write_bytes(archive([Member(b"1.png", PICTURE)]))
    with pytest.raises(EntryRefused, match="it has 100,000 bytes; the limit is 99,999"):
        open_entry(path, 0, 99_999)
    assert open_entry(path, 0, 100_000) == PICTURE


def test_one_name_twice(path: Path) -> None:
    words = "the archive has this name more than once"
    found = told(path, Member(b"a/1.png", b"1"), Member(b"2.png", b"2"), Member(b"a\\1.png", b"3"))
    assert found == {"a/1.png": words, "2.png": b"2", "a/1.png again": words}


def test_entries_that_share_their_bytes(path: Path) -> None:
    words = "it shares bytes with another entry, which ordinary programs never do"
    first = Member(b"1.png", PICTURE)
    found = told(path, first, Member(b"2.png", PICTURE, offset=0), Member(b"3.png", b"3"))
    assert found == {"1.png": words, "2.png": words, "3.png": b"3"}


def test_an_entry_quoted_by_the_one_before_it(path: Path) -> None:
    """The way small archives unpack to petabytes: each entry's bytes are the next one's header and bytes."""
    words = "it shares bytes with another entry, which ordinary programs never do"
    inner = archive([Member(b"2.png", PICTURE)])[: 35 + len(deflated(PICTURE))]
    # The first one's bytes are the second one, whose header begins after its own 35 bytes.
    outer = Member(b"1.png", inner, method=0)
    path.write_bytes(archive([outer, Member(b"2.png", PICTURE, offset=35, packed=b"", packed_size=100)]))
    assert outcomes(path) == {"1.png": words, "2.png": words}


@pytest.mark.parametrize(
    ("raw", "flags", "name"),
    [
        (b"plain.png", 0, "plain.png"),
        ("Ärztin/é.png".encode("cp437"), 0, "Ärztin/é.png"),
        ("schön_höhe größe Öl.png".encode("cp437"), 0, "schön_höhe größe Öl.png"),
        ("Ärztin/é.png".encode(), UTF8, "Ärztin/é.png"),
        ("Ärztin/é.png".encode(), 0, "Ärztin/é.png"),
        ("写真/人物1.png".encode(), UTF8, "写真/人物1.png"),
        ("写真/人物1.png".encode("cp932"), 0, "写真/人物1.png"),
        ("表示のテスト.png".encode("cp932"), 0, "表示のテスト.png"),
        ("表.png".encode("cp932"), 0, "ò\\.png"),
        ("врач.png".encode("cp866"), 0, "óαáτ.png"),
        (b"\xff\xfe.png", UTF8, "\ufffd\ufffd.png"),
        (b"a\\b\\1.png", 0, "a/b/1.png"),
        (b"a\x01b.png", 0, "a\\x01b.png"),
    ],
)
def test_names_in_whatever_encoding(path: Path, raw: bytes, flags: int, name: str) -> None:
    path.write_bytes(archive([Member(raw, b"1", flags=flags)]))
    (entry,) = list_entries(path)
    assert entry.name == name
    assert entry.problem == ("the name has control characters" if "\x01" in raw.decode("latin-1") else "")


def test_the_name_that_info_zip_adds(path: Path) -> None:
    raw = "врач.png".encode("cp866")
    field = struct.pack("<BL", 1, zlib.crc32(raw)) + "врач.png".encode()
    stale = struct.pack("<BL", 1, 1) + b"other.png"
    path.write_bytes(archive([Member(raw, b"1", extra=extra(0x7075, field))]))
    assert outcomes(path) == {"врач.png": b"1"}
    path.write_bytes(archive([Member(b"1.png", b"1", extra=extra(0x7075, stale) + b"\x01")]))
    assert outcomes(path) == {"1.png": b"1"}
