"""Archives as people bring them: ordinary ones, and those whose entries are wrong one by one."""

from __future__ import annotations

import os
import shutil
import stat
import zipfile
from pathlib import Path

import pytest

from annotator.exchange.formats.archives import unpack
from annotator.exchange.formats.report import StudyRefused
from tests.annotator.exchange.formats.zips import (
    UTF8,
    Member,
    archive,
    archive64,
    deflated,
    extra,
    outcomes,
    unpacked,
)

PICTURE = os.urandom(100_000)
MB = 1024 * 1024


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
    assert [(entry.position, entry.name, entry.size) for entry in unpacked(path)[0]] == [
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
    assert outcomes(path) == {}


def test_what_systems_leave_behind_is_ignored(path: Path) -> None:
    names = ["__MACOSX/a/._1.png", "a/._1.png", "a/.DS_Store", "a/Thumbs.db", "Desktop.INI", ".git/x.png"]
    names += ["README.md", "a/notes.TXT"]
    found = told(path, *(Member(name.encode()) for name in names), Member(b"a/x._1.png", b"1"))
    assert found == {**dict.fromkeys(names, "ignored"), "a/x._1.png": b"1"}


OUT = "the name leads out of its folder (“..”)"
ABSOLUTE = "the name is an absolute path; only relative paths are accepted"
ORDINARY = "create an ordinary zip archive (stored or deflate)"
OUTSIDE = "its bytes lie outside the archive, which is truncated or forged"
LINK = stat.S_IFLNK | 0o777


@pytest.mark.parametrize(
    ("member", "words"),
    [
        (Member(b"../1.png"), OUT),
        (Member(b"..\\1.png"), OUT),
        (Member(b"/etc/1.png"), ABSOLUTE),
        (Member(b"\\\\host\\1.png"), ABSOLUTE),
        (Member(b"C:\\1.png"), ABSOLUTE),
        (Member(b""), "the name is empty"),
        (Member(b"a/", b"1"), "the name is a folder"),
        (Member(b"a//1.png"), "the name has an empty part or “.” between its slashes"),
        (Member(b"x" * 1001), "the name has 1,001 characters; 1,000 are allowed"),
        (Member(b"1.png", flags=1), "it is encrypted; create the archive without a password"),
        (Member(b"1.png", b"../../etc/passwd", mode=LINK), "it is a link; links are not followed"),
        (Member(b"1.png", mode=stat.S_IFIFO | 0o644), "it is not a regular file"),
        (Member(b"1.png", method=12, packed=b"BZh9"), f"it is compressed with bzip2; {ORDINARY}"),
        (Member(b"1.png", method=77, packed=b"?"), f"it is compressed with method 77; {ORDINARY}"),
        (Member(b"in.zip"), "it is an archive inside an archive; unpack it and upload its files"),
        (Member(b"1.png", disk=1), "it is in another part of the archive; join the parts first"),
        (Member(b"1.png", b"1", offset=10**6), OUTSIDE),
        (Member(b"1.png", b"1", packed_size=10**6), OUTSIDE),
        (Member(b"1.png", bytes(10**7)), "its 9,732 bytes would unpack to 10,000,000"),
        (Member(b"1.png", b"1", size=2**31), "it has 2,147,483,648 bytes; the limit is 67,108,864"),
    ],
    ids=lambda value: "" if isinstance(value, Member) else value[:40],
)
def test_entries_that_are_seen_to_be_wrong(path: Path, member: Member, words: str) -> None:
    path.write_bytes(archive([Member(b"good.png", PICTURE), member]))
    (good, bad), written = unpacked(path)
    assert (good.problem, bad.problem, written) == ("", words, {0: PICTURE})


@pytest.mark.parametrize(
    ("member", "words"),
    [
        (Member(b"1.png", PICTURE, crc=1), "it is damaged (Bad CRC-32 for file '1.png'); create the archive"),
        (Member(b"1.png", PICTURE, size=99_999), "it is damaged (Bad CRC-32"),
        (Member(b"1.png", PICTURE, size=100_001), "it has 100,000 bytes but declares 100,001; create"),
        (Member(b"1.png", b"12", method=0, size=3), "it has 2 bytes but declares 3; create"),
        (Member(b"1.png", b"x", packed=b"\xff\xff\xff"), "it is damaged (Error -3 while decompressing"),
        (Member(b"1.png", PICTURE, packed=deflated(PICTURE)[:-9]), "it is damaged (Bad CRC-32"),
        (Member(b"1.png", b"1", local_name=b"2.png"), "it is damaged (File name in directory '1.png'"),
    ],
)
def test_entries_that_are_wrong_once_they_are_opened(path: Path, member: Member, words: str) -> None:
    path.write_bytes(archive([member, Member(b"good.png", PICTURE)]))
    (bad, good), written = unpacked(path)
    assert bad.problem.startswith(words), bad.problem
    assert (good.problem, written) == ("", {1: PICTURE})


def test_more_than_an_entry_may_have_is_never_inflated(path: Path) -> None:
    path.write_bytes(archive([Member(b"1.png", PICTURE)]))
    assert outcomes(path, most_bytes=99_999) == {"1.png": "it has 100,000 bytes; the limit is 99,999"}
    assert outcomes(path, most_bytes=100_000) == {"1.png": PICTURE}


def test_one_name_twice(path: Path) -> None:
    words = "the archive has this name more than once"
    found = told(path, Member(b"a/1.png", b"1"), Member(b"2.png", b"2"), Member(b"a\\1.png", b"3"))
    assert found == {"a/1.png": words, "2.png": b"2", "a/1.png again": words}


SHARED = "it shares bytes with another entry, which ordinary programs never do"


def test_entries_that_share_their_bytes(path: Path) -> None:
    first = Member(b"1.png", PICTURE)
    found = told(path, first, Member(b"2.png", PICTURE, offset=0), Member(b"3.png", b"3"))
    assert found == {"1.png": SHARED, "2.png": SHARED, "3.png": b"3"}


def test_an_entry_quoted_by_the_one_before_it(path: Path) -> None:
    """The way small archives unpack to petabytes: each entry's bytes are the next one's header and bytes."""
    inner = archive([Member(b"2.png", PICTURE)])[: 35 + len(deflated(PICTURE))]
    # The first one's bytes are the second one, whose header begins after its own 35 bytes.
    outer = Member(b"1.png", inner, method=0)
    path.write_bytes(archive([outer, Member(b"2.png", PICTURE, offset=35, packed=b"", packed_size=100)]))
    assert outcomes(path) == {"1.png": SHARED, "2.png": SHARED}


@pytest.mark.parametrize(
    ("raw", "flags", "name"),
    [
        (b"plain.png", 0, "plain.png"),
        ("Ärztin/é.png".encode(), UTF8, "Ärztin/é.png"),
        ("Ärztin/é.png".encode(), 0, "Ärztin/é.png"),
        (b"a\\b\\1.png", 0, "a/b/1.png"),
        (b"a\x01b.png", 0, "a\\x01b.png"),
    ],
)
def test_names_that_say_how_they_are_written(path: Path, raw: bytes, flags: int, name: str) -> None:
    path.write_bytes(archive([Member(raw, b"1", flags=flags)]))
    ((entry,), _) = unpacked(path)
    assert entry.name == name
    assert entry.problem == ("the name has control characters" if "\x01" in raw.decode("latin-1") else "")


@pytest.mark.parametrize(
    ("name", "encoding"), [("Ärztin/é.png", "cp437"), ("表示のテスト/表.png", "cp932"), ("врач.png", "cp866")]
)
def test_names_in_an_old_code_page_are_asked_about(path: Path, name: str, encoding: str) -> None:
    path.write_bytes(archive([Member(b"plain.png", b"0"), Member(name.encode(encoding), b"1")]))
    asked = unpack(path, folder=str(path.parent), key="", most_bytes=9, most_files=9, reserve=0)
    assert (encoding, name) in asked["asked"]
    assert {entry.name: entry.problem for entry in unpacked(path, encoding)[0]} == {"plain.png": "", name: ""}


def refusal(path: Path, contents: bytes, **limits: int) -> str:
    """Why an archive as a whole is not read."""
    path.write_bytes(contents)
    with pytest.raises(StudyRefused) as refused:
        unpacked(path, "", **limits)
    return str(refused.value)


NO_ZIP = "It is not a zip archive, or it is truncated. Create it again, or upload the files themselves."
THREE = [Member(b"1.png", PICTURE), Member(b"2.png", PICTURE[::-1]), Member(b"3.png", b"three", method=0)]


def test_cut_off_at_every_byte(path: Path) -> None:
    whole = archive([Member(b"1.png", b"one", method=0), Member(b"2.png", b"two")], comment=b"words")
    for length in range(len(whole) - 5):
        assert refusal(path, whole[:length]) == NO_ZIP


@pytest.mark.parametrize("value", [0x00, 0x01, 0x7F, 0xFF])
def test_every_byte_wrong_once(path: Path, value: int) -> None:
    """Whatever a byte says, an archive is read, or refused in words: nothing else is ever raised."""
    members = [Member(b"1.png", b"one" * 9), Member(b"2.png", b"two", method=0, extra=extra(1, b"12345678"))]
    whole = archive(members)
    read = 0
    for place in range(len(whole)):
        path.write_bytes(whole[:place] + bytes([value]) + whole[place + 1 :])
        try:
            entries, written = unpacked(path, encoding="cp437")
        except StudyRefused:
            continue
        read += 1
        assert set(written.values()) <= {b"one" * 9, b"two"}, place
        assert all(entry.problem or entry.ignored or entry.position in written for entry in entries), place
    assert read > len(whole) // 2


def test_a_large_archive(path: Path) -> None:
    path.write_bytes(archive64(THREE))
    assert list(outcomes(path).values()) == [PICTURE, PICTURE[::-1], b"three"]


def test_too_many_entries(path: Path) -> None:
    hundred = archive(Member(b"%d.png" % number) for number in range(100))
    path.write_bytes(hundred)
    assert len(outcomes(path, most_files=100)) == 100
    assert refusal(path, hundred, most_files=99) == "It has more than 99 entries. Split it into several."


def test_a_bomb_of_many(path: Path) -> None:
    """Each entry is fine by itself; together they are 300 MB of a third of one."""
    packed = deflated(bytes(MB))
    members = [Member(b"%d.png" % number, bytes(MB), packed=packed) for number in range(300)]
    whole = archive(members)
    words = f"Its {len(whole):,} bytes would unpack to 314,572,800. Upload the files themselves."
    assert refusal(path, whole) == words


def test_an_archive_for_which_the_disk_has_no_room(path: Path) -> None:
    # The whole disk: what is free of it changes while other tests run.
    words = refusal(path, archive(THREE), reserve=shutil.disk_usage(path.parent).total)
    assert words.startswith("It unpacks to 200,005 bytes, but the server has 0 free for uploads.")
