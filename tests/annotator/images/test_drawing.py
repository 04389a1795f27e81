"""Copies are drawn in a process of their own, which a hostile image may end, but not the worker."""

from __future__ import annotations

import os
import signal
from io import BytesIO
from typing import Any

import pytest
from PIL import Image as Picture

from annotator.images import decoding_process, drawing
from annotator.images.decoding import UnreadableImage
from annotator.images.decoding_process import Decoder, Wanted

MOST = 5_000
"""Pixels; of no other test, so that the processes are this module's."""


def _png(width: int = 40, height: int = 20) -> bytes:
    buffer = BytesIO()
    Picture.new("RGB", (width, height), "red").save(buffer, "PNG")
    return buffer.getvalue()


def _size(contents: bytes) -> tuple[str | None, tuple[int, int]]:
    with Picture.open(BytesIO(contents)) as shown:
        return shown.format, shown.size


def _kept() -> list[Decoder]:
    return list(drawing._IDLE[os.getpid(), MOST])


def test_copies_are_drawn_in_one_process_that_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    def never(*_: object, **__: object) -> None:
        raise AssertionError("decoded in the worker")

    monkeypatch.setattr("annotator.images.decoding._open", never)
    webp = drawing.draw_display(_png(), max_pixels=MOST, max_side=10)
    (decoder,) = _kept()
    pid = decoder.pid
    jpeg = drawing.draw_jpeg(webp, max_pixels=MOST)
    monkeypatch.undo()
    assert (_size(webp), _size(jpeg)) == (("WEBP", (10, 5)), ("JPEG", (10, 5)))
    assert [each.pid for each in _kept()] == [pid]


def test_a_process_that_ended_for_lack_of_work_is_replaced() -> None:
    first = drawing.draw_display(_png(), max_pixels=MOST, max_side=10)
    (decoder,) = _kept()
    process, pid = decoder._process, decoder.pid
    assert process is not None
    assert pid is not None
    os.kill(pid, signal.SIGALRM)
    assert process.wait() == -signal.SIGALRM
    assert drawing.draw_display(_png(), max_pixels=MOST, max_side=10) == first
    assert _kept()[0].pid != pid


def test_hidden_rectangles_are_blurred_in_the_full_size() -> None:
    buffer = BytesIO()
    picture = Picture.new("L", (40, 20), "white")
    picture.paste("black", (0, 0, 8, 20))
    picture.save(buffer, "PNG")
    copy = drawing.draw_display(buffer.getvalue(), max_pixels=MOST, max_side=40, hidden=[(0, 0, 16, 20)])
    with Picture.open(BytesIO(copy)) as shown:
        grey = shown.convert("L")
    assert 40 < int(grey.getpixel((4, 10))) < 215  # type: ignore[arg-type]
    assert int(grey.getpixel((30, 10))) > 240  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("contents", "refusal", "reason"),
    [
        (b"\n\n\n", UnreadableImage, "not a PNG, JPEG or WebP image"),
        (_png(100, 100), UnreadableImage, r"10,000 pixels.*5,000"),
    ],
)
def test_a_refusal_is_told_as_in_the_same_process(
    contents: bytes, refusal: type[UnreadableImage], reason: str
) -> None:
    with pytest.raises(refusal, match=reason):
        drawing.draw_display(contents, max_pixels=MOST, max_side=10)


def test_an_image_that_ends_every_process_is_blamed_and_the_next_is_drawn(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    hostile = _png(30, 30)
    real = decoding_process._send

    def murder(process: Any, connection: Any, wanted: Wanted, contents: bytes) -> None:
        if contents.endswith(hostile):
            process.kill()
            process.wait()
        real(process, connection, wanted, contents)

    monkeypatch.setattr(decoding_process, "_send", murder)
    with pytest.raises(UnreadableImage, match="ended the process"):
        drawing.draw_display(hostile, max_pixels=MOST, max_side=10)
    assert _size(drawing.draw_display(_png(), max_pixels=MOST, max_side=10)) == ("WEBP", (10, 5))
