"""Archives that are wrong as a whole: cut off, lying, or made to fill the server."""

from __future__ import annotations

import os
import struct
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from annotator.uploads.archives import zip_directory
from annotator.uploads.archives.archives import ArchiveRefused, EntryRefused, list_entries, open_entry
from tests.annotator.uploads.archives.zips import Member, archive, archive64, deflated, extra, outcomes

PICTURE = os.urandom(5_000)
MB = 1024 * 1024
WAY_OUT = "Create it again, or upload the files themselves."
CUT_OFF = f"This is not a zip archive, or it is truncated. {WAY_OUT}"
MISPLACED = (
    f"The archive's directory is not at its declared position, a fault of some programs over 4 GB. {WAY_OUT}"
)
ZIP64 = f"The archive's end is damaged (zip64). {WAY_OUT}"
MEMBERS = [Member(b"1.png", PICTURE), Member(b"2.png", PICTURE[::-1]), Member(b"3.png", b"three", method=0)]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "brought"


def refusal(path: Path, contents: bytes) -> str:
    """Why an archive as a whole is not read."""
    path.write_bytes(contents)
    with pytest.raises(ArchiveRefused) as refused:
        list_entries(path)
    return str(refused.value)


def memory_of(work: Callable[[], object]) -> int:
    """The most bytes that Python held for some work."""
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("tenths", range(10))
def test_cut_off_at_every_tenth(path: Path, tenths: int) -> None:
    whole = archive(MEMBERS, comment=b"with a comment")
    assert refusal(path, whole[: len(whole) * tenths // 10]) == CUT_OFF


def test_cut_off_at_every_byte(path: Path) -> None:
    whole = archive([Member(b"1.png", b"one", method=0), Member(b"2.png", b"two")], comment=b"words")
    for length in range(len(whole)):
        assert refusal(path, whole[:length]) == CUT_OFF


def test_something_after_the_end(path: Path) -> None:
    assert refusal(path, archive(MEMBERS) + b"\n") == CUT_OFF


@pytest.mark.parametrize("value", [0x00, 0x01, 0x7F, 0xFF])
def test_every_byte_wrong_once(path: Path, value: int) -> None:
    """Whatever a byte says, an archive is read, or refused in words: nothing else is ever raised."""
    members = [Member(b"1.png", b"one" * 9), Member(b"2.png", b"two", method=0, extra=extra(1, b"12345678"))]
    whole = archive(members)
    intact = {"1.png": b"one" * 9, "2.png": b"two"}
    read = 0
    for place in range(len(whole)):
        path.write_bytes(whole[:place] + bytes([value]) + whole[place + 1 :])
        try:
            found = outcomes(path)
        except ArchiveRefused:
            continue
        read += 1
        wrong = {name: each for name, each in found.items() if isinstance(each, bytes)}
        assert set(wrong.values()) <= set(intact.values()), place
    assert read > len(whole) // 2


@pytest.mark.parametrize(
    ("end", "words"),
    [
        ({"count": 4}, f"The archive declares 4 entries but has 3. {WAY_OUT}"),
        ({"count": 2}, f"The archive declares 2 entries but has 3. {WAY_OUT}"),
        ({"disk": 1}, "This is one of several parts of an archive. Join them first."),
        ({"length": 3 * 2**30}, MISPLACED),
        ({"length": 0}, MISPLACED),
        ({"start": 0}, MISPLACED),
        ({"start": 2**32 - 2}, MISPLACED),
        ({"start": 2**32 - 1}, ZIP64),
        ({"count": 0xFFFF}, ZIP64),
    ],
)
def test_an_end_that_lies(path: Path, end: dict[str, int], words: str) -> None:
    assert refusal(path, archive(MEMBERS, b"", **end)) == words


@pytest.mark.parametrize(
    ("end", "words"),
    [
        ({"length": 2**62}, MISPLACED),
        ({"start": 2**62, "length": 2**62}, MISPLACED),
        ({"place": 2**62}, ZIP64),
        ({"place": 0}, ZIP64),
        (
            {"count": 2**40},
            "The archive declares 1,099,511,627,776 entries but has 3. "
            "Create it again, or upload the files themselves.",
        ),
    ],
)
def test_a_large_archive_s_end_that_lies(path: Path, end: dict[str, int], words: str) -> None:
    path.write_bytes(archive64(MEMBERS))
    assert list(outcomes(path).values()) == [PICTURE, PICTURE[::-1], b"three"]
    assert refusal(path, archive64(MEMBERS, **end)) == words


def test_zip64_with_false_sizes(path: Path) -> None:
    everywhere = 0xFFFFFFFF
    outside = "its bytes lie outside the archive, which is truncated or forged"

    def lying(name: bytes, numbers: tuple[int, ...], **fields: Any) -> Member:
        field = extra(1, struct.pack(f"<{len(numbers)}Q", *numbers))
        return Member(name, b"1", method=0, size=everywhere, extra=field, **fields)

    members = [
        lying(b"true.png", (1,)),
        lying(b"large.png", (2**60,)),
        lying(b"packed.png", (1, 2**60), packed_size=everywhere),
        lying(b"far.png", (1, 1, 2**63), packed_size=everywhere, offset=everywhere),
        lying(b"missing.png", ()),
        lying(b"half.png", (1,), packed_size=everywhere),
    ]
    path.write_bytes(archive(members))
    assert outcomes(path) == {
        "true.png": b"1",
        "large.png": "it has 1,152,921,504,606,846,976 bytes; the limit is 67,108,864",
        "packed.png": outside,
        "far.png": outside,
        "missing.png": "it has 4,294,967,295 bytes; the limit is 67,108,864",
        "half.png": outside,
    }


def test_a_directory_that_is_larger_than_any(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(zip_directory, "MOST_DIRECTORY", 100)
    length = struct.unpack_from("<L", archive(MEMBERS), -10)[0]
    said = f"The archive's directory has {length} bytes; at most 100 are read. {WAY_OUT}"
    assert refusal(path, archive(MEMBERS)) == said


def test_a_hole_in_the_directory(path: Path) -> None:
    whole = bytearray(archive(MEMBERS))
    place = whole.rfind(b"PK\x01\x02")
    whole[place] = 0
    assert refusal(path, bytes(whole)) == (f"The archive's directory is damaged at byte {place:,}. {WAY_OUT}")


def test_too_many_entries(path: Path, settings: Any) -> None:
    settings.MAX_UPLOAD_FILES = 100
    path.write_bytes(archive(Member(b"%d.png" % number) for number in range(100)))
    assert len(outcomes(path)) == 100
    words = refusal(path, archive(Member(b"%d.png" % number) for number in range(101)))
    assert words == "The archive has more than 100 entries. Split it into several."


def test_a_bomb_of_many(path: Path) -> None:
    """Each entry is fine by itself; together they are 300 MB of a third of one."""
    packed, claimed = deflated(bytes(MB)), MB
    bomb = archive(
        Member(b"%d.png" % number, packed=packed, size=claimed, crc=0xA738EA1C) for number in range(300)
    )
    assert refusal(path, bomb) == (
        f"The archive has {len(bomb):,} bytes but unpacks to 314,572,800. Upload the files themselves."
    )


@pytest.mark.thorough
def test_a_bomb_that_says_it_is_small_is_left_at_once(path: Path) -> None:
    path.write_bytes(archive([Member(b"1.png", packed=deflated(bytes(150 * MB)), size=1_000_000)]))

    def look() -> None:
        with pytest.raises(EntryRefused, match="it has more than its declared 1,000,000 bytes"):
            open_entry(path, 0, 64 * MB)

    assert memory_of(look) < 4 * MB


@pytest.mark.thorough
def test_an_entry_costs_its_own_size_in_memory(path: Path) -> None:
    data = os.urandom(8 * MB)
    path.write_bytes(archive([Member(b"1.png", data), Member(b"2.png", data, method=0)]))
    del data
    for index in (0, 1):
        assert memory_of(lambda: open_entry(path, index, 64 * MB)) < 13 * MB  # noqa: B023 - called at once


def test_three_gigabytes_are_not_read_into_memory(path: Path) -> None:
    size = 3 * 2**30
    whole = archive([Member(b"1.png", b"", method=0, size=size, packed_size=size), Member(b"2.png", b"2")])
    with path.open("wb") as file:
        file.write(whole[:35])
        file.seek(size, os.SEEK_CUR)
        rest = bytearray(whole[35:])
        # The second entry, the directory and its start have moved by 3 GB.
        second = rest.rfind(b"PK\x01\x02")
        struct.pack_into("<L", rest, second + 42, 35 + size)
        struct.pack_into("<L", rest, len(rest) - 6, struct.unpack_from("<L", rest, len(rest) - 6)[0] + size)
        file.write(rest)
    found: dict[str, bytes | str] = {}
    assert memory_of(lambda: found.update(outcomes(path))) < 4 * MB
    assert found == {"1.png": "it has 3,221,225,472 bytes; the limit is 67,108,864", "2.png": b"2"}


@pytest.mark.slow  # lists tens of thousands of entries
def test_an_entry_costs_bytes_and_no_objects_to_list(path: Path) -> None:
    path.write_bytes(archive(Member(b"folder/prompt/%d.png" % number, b"1") for number in range(10_000)))
    count = 0

    def walk() -> None:
        nonlocal count
        count = sum(not entry.problem for entry in list_entries(path))

    assert memory_of(walk) < 3 * MB
    assert count == 10_000
    assert open_entry(path, 9_999, 10) == b"1"
