"""Files that appear whole or not at all, however long they are."""

from __future__ import annotations

import os
import tracemalloc
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from analysis.exports.anatomy.layouts import SHEET
from analysis.exports.files import Export, write_whole
from annotator.models import Annotation, Assignment, Project
from tests.analysis.factories import EARLIER
from tests.factories import make_batch, make_image, make_member, make_payload, make_project


def test_a_file_is_replaced(tmp_path: Path) -> None:
    path = tmp_path / "out.csv"
    path.write_bytes(b"old")
    write_whole([b"a", b"b"], path)
    assert path.read_bytes() == b"ab"
    assert list(tmp_path.iterdir()) == [path]


def test_an_error_half_way_leaves_what_was_there(tmp_path: Path) -> None:
    def broken() -> Iterator[bytes]:
        yield b"a"
        raise OSError("the disk is full")

    path = tmp_path / "out.csv"
    path.write_bytes(b"old")
    with pytest.raises(OSError, match="the disk is full"):
        write_whole(broken(), path)
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_file_that_cannot_be_written_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(OSError):
        write_whole([b"a"], tmp_path / "nowhere" / "out.csv")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("there", [True, False])
def test_a_link_stays_a_link(tmp_path: Path, there: bool) -> None:
    (tmp_path / "kept").mkdir()
    target, link = tmp_path / "kept" / "out.csv", tmp_path / "out.csv"
    if there:
        target.write_bytes(b"old")
    link.symlink_to(target)
    assert write_whole([b"a", b"bc"], link) == 3
    assert (link.is_symlink(), target.read_bytes()) == (True, b"abc")
    assert list(target.parent.iterdir()) == [target]


def test_a_pipe_is_written_to(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with ThreadPoolExecutor(1) as threads:
        reading = threads.submit(pipe.read_bytes)
        assert write_whole([b"a", b"bc"], pipe) == 3
        assert reading.result(timeout=10) == b"abc"
    assert (pipe.is_fifo(), list(tmp_path.iterdir())) == (True, [pipe])


def test_a_device_is_written_to(tmp_path: Path) -> None:
    device = tmp_path / "device"
    device.symlink_to(os.devnull)
    assert write_whole([b"abc"], device) == 3
    assert Path(os.devnull).is_char_device()
    assert device.is_char_device()


def peak_kib(project: Project) -> tuple[int, int]:
    """The most memory an export took, in KiB, and the lines it wrote."""
    export = Export(project, SHEET)
    tracemalloc.start()
    for _ in export:
        pass
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return peak // 1024, export.lines


def fill(project: Project, count: int) -> None:
    """Twenty annotators judge every image."""
    batch = make_batch(project)
    payload = make_payload([("missing.limbs", "1/4c"), ("extra.hands", "1/2b"), ("extra.face", "1/2a")])
    people = [make_member(project) for _ in range(20)]
    images = [make_image(project) for _ in range(count // 20)]
    assignments = Assignment.objects.bulk_create(
        Assignment(batch=batch, image=picture, annotator=person, position=position)
        for person in people
        for position, picture in enumerate(images, start=1)
    )
    Annotation.objects.bulk_create(
        Annotation(
            assignment=assignment,
            payload=payload,
            ratings=[],
            status="submitted",
            submitted_at=EARLIER,
            saved_at=EARLIER,
        )
        for assignment in assignments
    )


@pytest.mark.django_db
@pytest.mark.thorough
def test_memory_does_not_grow_with_the_project() -> None:
    small, large = make_project(), make_project()
    fill(small, 1000)
    fill(large, 6000)
    peak_kib(small)  # first use of everything
    small_peak, small_lines = peak_kib(small)
    large_peak, large_lines = peak_kib(large)
    assert (small_lines, large_lines) == (1000, 6000)
    assert large_peak < 1.5 * small_peak
