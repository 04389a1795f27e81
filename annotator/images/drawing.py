"""Decoding processes, which read images and draw copies of them, and are kept for the next image.

The bytes of an image are decoded only there: a decoder's fault ends a process without secrets, not a worker.
"""

from __future__ import annotations

import atexit
import os
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Final

from annotator.images.decoding import DecoderUnavailable, TookTooLong, UnreadableImage
from annotator.images.decoding_process import Decoder

_MOST_IDLE: Final = 4
"""Processes that one worker keeps; each ends itself when it has nothing to do."""

HURRY_SECONDS: Final = 15
"""A web process serves nobody else meanwhile; the largest image takes 2 seconds."""

_IDLE: Final[dict[tuple[int, int], deque[Decoder]]] = {}
"""By process id, because a fork must not share the pipes, and pixels."""


def draw_display(
    contents: bytes,
    *,
    max_pixels: int,
    max_side: int,
    hidden: Sequence[Sequence[int]] = (),
    hurried: bool = False,
) -> bytes:
    """Return the display copy, as `encoding.draw_display` does.

    Raises UnreadableImage, and DecoderUnavailable if the machine is at fault, or if a request is waiting
    (`hurried`) and drawing takes longer than HURRY_SECONDS.
    """
    with decoder(max_pixels) as process:
        seconds = HURRY_SECONDS if hurried else None
        try:
            return process.draw_display(contents, max_side=max_side, hidden=hidden, seconds=seconds)
        except TookTooLong as error:
            if not hurried:
                raise
            raise DecoderUnavailable("The copy takes long to draw; a worker has more time.") from error


def draw_jpeg(contents: bytes, *, max_pixels: int) -> bytes:
    """Return the display copy as JPEG, as `encoding.draw_jpeg` does. Raises as `draw_display`."""
    with decoder(max_pixels) as process:
        return process.draw_jpeg(contents)


@contextmanager
def decoder(max_pixels: int) -> Iterator[Decoder]:
    """Yield a process that nobody else uses meanwhile; it is kept afterwards."""
    idle = _IDLE.setdefault((os.getpid(), max_pixels), deque())
    try:
        process = idle.pop()
    except IndexError:
        process = Decoder(max_pixels=max_pixels)
    usable = False  # perhaps in the middle of an answer
    try:
        yield process
        usable = True
    except UnreadableImage:
        usable = True
        raise
    finally:
        if usable and len(idle) < _MOST_IDLE:
            idle.append(process)
        else:
            process.close()


@atexit.register
def close_idle() -> None:
    """End the processes that this one keeps."""
    for (pid, _), idle in _IDLE.items():
        while pid == os.getpid() and idle:
            idle.pop().close()
