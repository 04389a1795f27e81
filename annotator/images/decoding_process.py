"""Decode and draw images in a separate process with limits on memory and time.

An image that exceeds a limit or crashes the decoder ends only that process: its file is refused with the
reason, and the next file gets a new process. The process has neither settings nor database; it receives bytes
and returns facts about them.
"""

from __future__ import annotations

import contextlib
import json
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from enum import Enum
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from typing import Any, Final, Self

from annotator.images.decoding import (
    EXHAUSTS,
    DecodedImage,
    DecoderUnavailable,
    TookTooLong,
    UnreadableImage,
    decode_contents,
)
from annotator.images.encoding import draw_display, draw_jpeg
from annotator.work.machine_faults import blames_machine
from annotator.work.process_limits import ROOT, clean_environment, limit_memory

MOST_MEMORY: Final = 1024 * 1024 * 1024
"""Bytes of memory per image: twice the pixels accepted by default need two thirds of it."""
MOST_SECONDS: Final = 60
START_SECONDS: Final = 60
IDLE_SECONDS: Final = 60
"""A process that gets no image for so long ends itself; the next image gets a new one."""

_REFERENCE: Final = bytes.fromhex(
    "89504e470d0a1a0a0000000d4948445200000001000000010802000000907753de"
    "0000000c49444154789c63606060000000040001f61738550000000049454e44ae426082"
)
"""A PNG of one pixel, which a working process can decode."""


class Wanted(Enum):
    """What the process is asked to do with an image."""

    DECODE = b"d"
    DRAW = b"w"
    JPEG = b"j"


class Decoder:
    """A process that decodes images one after the other. Close it after use; not thread-safe."""

    def __init__(
        self,
        *,
        max_pixels: int,
        memory: int = MOST_MEMORY,
        seconds: float = MOST_SECONDS,
    ) -> None:
        self._max_pixels, self._memory, self._seconds = max_pixels, memory, seconds
        self._process: subprocess.Popen[bytes] | None = None
        self._connection: Connection
        self._ending, self._returned = "", b""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def pid(self) -> int | None:
        """The process id; None before the first image and after a crash."""
        return self._process.pid if self._process else None

    def decode(self, contents: bytes) -> DecodedImage:
        """Decode an image completely.

        Raises UnreadableImage with the reason, and DecoderUnavailable if the machine is at fault: a file is
        blamed for a crash only if it crashes a second process and another image does not.
        """
        return DecodedImage(**self._answered(contents, Wanted.DECODE))

    def draw_display(
        self,
        contents: bytes,
        *,
        max_side: int,
        hidden: Sequence[Sequence[int]] = (),
        seconds: float | None = None,
    ) -> bytes:
        """Return the display copy, as `encoding.draw_display` does.

        Raises as `decode`, and TookTooLong after `seconds` or the usual time.
        """
        how = json.dumps({"max_side": max_side, "hidden": hidden}).encode()
        usual = self._seconds
        try:
            self._seconds = seconds or usual
            self._answered(how + b"\n" + contents, Wanted.DRAW)
        finally:
            self._seconds = usual
        return self._returned

    def draw_jpeg(self, contents: bytes) -> bytes:
        """Return the display copy as JPEG, as `encoding.draw_jpeg` does. Raises as `decode`."""
        self._answered(contents, Wanted.JPEG)
        return self._returned

    def _answered(self, contents: bytes, wanted: Wanted) -> dict[str, Any]:
        answer = self._asked(contents, wanted) or self._asked(contents, wanted)
        if answer is None:
            ending = self._ending
            if self._asked(_REFERENCE, Wanted.DECODE) is None:
                raise _unavailable(self._ending)
            raise UnreadableImage(ending)
        if "machine" in answer:
            raise _unavailable(answer["machine"])
        if "reason" in answer:
            raise UnreadableImage(answer["reason"])
        return answer

    def _asked(self, contents: bytes, wanted: Wanted) -> dict[str, Any] | None:
        """Return the result of the process; None if it crashed, with the cause in `_ending`.

        Raises UnreadableImage after the time limit, DecoderUnavailable if no process starts.
        """
        if self._process is not None and self._process.poll() is not None:
            self.close()  # it had nothing to do for long
        process, connection = self._process or self._started(), self._connection
        self._process = process
        try:
            until = time.monotonic() + self._seconds
            _send(process, connection, wanted, contents)
            answer: dict[str, Any] = json.loads(_received(connection, until))
            if "drawn" in answer:
                self._returned = _received(connection, until)
        except TimeoutError as error:
            self.close()
            raise TookTooLong(f"{EXHAUSTS}took longer than {self._seconds:g} seconds") from error
        except (EOFError, OSError) as error:
            if isinstance(error, OSError) and blames_machine(error):
                self.close()
                raise _unavailable(error.strerror or str(error)) from error
            self._ending = self._ended()
            return None
        return answer

    def close(self) -> None:
        """End the process."""
        process, self._process = self._process, None
        if process is not None:
            self._connection.close()
            process.kill()
            with process:
                pass

    def _started(self) -> subprocess.Popen[bytes]:
        self._connection, theirs = Pipe()
        arguments = (theirs.fileno(), self._max_pixels, self._memory)
        try:
            self._process = process = subprocess.Popen(
                [sys.executable, "-m", __name__, *map(str, arguments)],
                stdin=subprocess.DEVNULL,
                cwd=ROOT,
                env=clean_environment(),
                pass_fds=[theirs.fileno()],
            )
            theirs.close()
            # The process reports when it is ready: a crash before that is not the image's fault.
            _received(self._connection, time.monotonic() + START_SECONDS)
            return process
        except TimeoutError:
            said = f"it did not start within {START_SECONDS} seconds"
        except EOFError:
            said = f"it ended with the exit status {process.wait()}"
        except OSError as error:
            said = error.strerror or str(error)
        self.close()
        raise DecoderUnavailable(f"The process that decodes images does not start: {said}.")

    def _ended(self) -> str:
        """Return why the process ended while decoding an image."""
        process = self._process
        self._process = None
        if process is None:
            return "the decoding process was ended"
        self._connection.close()
        with process:
            process.kill()
        if process.returncode in (-signal.SIGKILL, -signal.SIGSEGV, -signal.SIGABRT, -signal.SIGBUS):
            name = signal.Signals(-process.returncode).name
            return f"{EXHAUSTS}ended the process ({name}), often for lack of memory"
        return f"{EXHAUSTS}ended the process"


def _unavailable(why: str) -> DecoderUnavailable:
    return DecoderUnavailable(f"Images cannot be decoded at the moment: {why}.")


def _send(_: subprocess.Popen[bytes], connection: Connection, wanted: Wanted, contents: bytes) -> None:
    connection.send_bytes(wanted.value)
    connection.send_bytes(contents)


def _received(connection: Connection, until: float) -> bytes:
    """Return the next message of a process. Raises EOFError if it ended, TimeoutError."""
    if not connection.poll(max(0, until - time.monotonic())):
        raise TimeoutError
    return connection.recv_bytes()


def _main(connection: Connection, max_pixels: int, memory: int) -> None:
    """Decode images from the connection until it ends, or has been silent for long."""
    limit_memory(memory)
    connection.send_bytes(b"ready")
    with contextlib.suppress(EOFError, ConnectionError):
        while connection.poll(IDLE_SECONDS):
            wanted = Wanted(connection.recv_bytes())
            answer, returned = _carried_out(wanted, connection.recv_bytes(), max_pixels=max_pixels)
            connection.send_bytes(json.dumps(answer).encode())
            if "drawn" in answer:
                connection.send_bytes(returned)


def _carried_out(wanted: Wanted, contents: bytes, *, max_pixels: int) -> tuple[dict[str, Any], bytes]:
    """Return the answer, and what follows one with `drawn`: the image."""
    returned = b""
    with _answers() as answer:
        if wanted in (Wanted.DRAW, Wanted.JPEG):
            try:
                returned = _drawn(wanted, contents, max_pixels)
            except MemoryError:
                answer["machine"] = _NO_MEMORY  # storing it has decoded it within the same limit
            else:
                answer["drawn"] = True
            return answer, returned
        answer |= vars(decode_contents(contents, max_pixels=max_pixels))
    return answer, returned


def _drawn(wanted: Wanted, contents: bytes, max_pixels: int) -> bytes:
    if wanted == Wanted.JPEG:
        return draw_jpeg(contents, max_pixels=max_pixels)
    how, _, image = contents.partition(b"\n")
    return draw_display(image, max_pixels=max_pixels, **json.loads(how))


@contextmanager
def _answers() -> Iterator[dict[str, Any]]:
    answer: dict[str, Any] = {}
    try:
        yield answer
    except UnreadableImage as error:
        answer["reason"] = error.reason
    except OSError as error:
        answer["machine"] = error.strerror or str(error)
    except MemoryError:
        answer["reason"] = _OUT_OF_MEMORY


_NO_MEMORY: Final = "not enough memory"
_OUT_OF_MEMORY: Final = f"{EXHAUSTS}takes more memory than allowed"


if __name__ == "__main__":
    with contextlib.suppress(KeyboardInterrupt):
        _main(Connection(int(sys.argv[1])), *map(int, sys.argv[2:]))
