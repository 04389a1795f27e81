"""Decode images in a separate process with limits on memory and time.

An image that exceeds a limit or crashes the decoder ends only that process: its file is refused with the
reason, and the next file gets a new process. The process has neither settings nor database; it receives bytes
and returns facts about them.
"""

from __future__ import annotations

import contextlib
import json
import selectors
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from typing import Any, BinaryIO, Final, Self

from annotator.images.decoding import DecoderUnavailable, UnreadableImage, decode_contents
from annotator.work.machine_faults import blames_machine
from annotator.work.process_limits import ROOT, clean_environment, limit_memory

MOST_MEMORY: Final = 1024 * 1024 * 1024
"""Bytes of memory per image: twice the pixels accepted by default need two thirds of it."""
MOST_SECONDS: Final = 60
START_SECONDS: Final = 60

_LENGTH_BYTES: Final = 8
_REFERENCE: Final = bytes.fromhex(
    "89504e470d0a1a0a0000000d4948445200000001000000010802000000907753de"
    "0000000c49444154789c63606060000000040001f61738550000000049454e44ae426082"
)
"""A PNG of one pixel, which a working process can decode."""


@dataclass(frozen=True)
class Facts:
    """Facts about an image: SHA-256 of the file, format, and size in pixels as displayed."""

    sha256: str
    format: str
    width: int
    height: int


class Decoder:
    """A process that decodes images one after the other. Close it after use; not thread-safe."""

    def __init__(self, *, max_pixels: int, memory: int = MOST_MEMORY, seconds: float = MOST_SECONDS) -> None:
        self._max_pixels, self._memory, self._seconds = max_pixels, memory, seconds
        self._process: subprocess.Popen[bytes] | None = None
        self._ending = ""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def pid(self) -> int | None:
        """The process id; None before the first image and after a crash."""
        return self._process.pid if self._process else None

    def decode(self, contents: bytes) -> Facts:
        """Decode an image completely.

        Raises UnreadableImage with the reason, and DecoderUnavailable if the machine is at fault: a file is
        blamed for a crash only if it crashes a second process and another image does not.
        """
        answer = self._asked(contents) or self._asked(contents)
        if answer is None:
            ending = self._ending
            if self._asked(_REFERENCE) is None:
                raise _unavailable(self._ending)
            raise UnreadableImage(ending)
        if "machine" in answer:
            raise _unavailable(answer["machine"])
        if "reason" in answer:
            raise UnreadableImage(answer["reason"])
        return Facts(**answer)

    def _asked(self, contents: bytes) -> dict[str, Any] | None:
        """Return the result of the process; None if it crashed, with the cause in `_ending`.

        Raises UnreadableImage after the time limit, DecoderUnavailable if no process starts.
        """
        process = self._process = self._process or self._started()
        try:
            _send(process, contents)
            answer = _answer(process, time.monotonic() + self._seconds)
        except TimeoutError as error:
            self.close()
            raise UnreadableImage(f"decoding it took longer than {self._seconds:g} seconds") from error
        except OSError as error:
            if blames_machine(error):
                self.close()
                raise _unavailable(error.strerror or str(error)) from error
            answer = None
        if answer is None:
            self._ending = self._ended()
        return answer

    def close(self) -> None:
        """End the process."""
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            with process:
                pass

    def _started(self) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", __name__, str(self._max_pixels), str(self._memory)]
        try:
            self._process = process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                cwd=ROOT,
                env=clean_environment(),
                bufsize=0,
            )
            # The process reports when it is ready: a crash before that is not the image's fault.
            if _answer(process, time.monotonic() + START_SECONDS) is not None:
                return process
        except TimeoutError:
            said = f"it did not start within {START_SECONDS} seconds"
        except OSError as error:
            said = error.strerror or str(error)
        else:
            said = f"it ended with the exit status {process.wait()}"
        self.close()
        raise DecoderUnavailable(f"The process that decodes images does not start: {said}.")

    def _ended(self) -> str:
        """Return why the process ended while decoding an image."""
        process = self._process
        self._process = None
        if process is None:
            return "the decoding process was ended"
        with process:
            process.kill()
        if process.returncode in (-signal.SIGKILL, -signal.SIGSEGV, -signal.SIGABRT, -signal.SIGBUS):
            name = signal.Signals(-process.returncode).name
            return f"decoding it ended the process ({name}), often for lack of memory"
        return "decoding it ended the process"


def _unavailable(why: str) -> DecoderUnavailable:
    return DecoderUnavailable(f"Images cannot be decoded at the moment: {why}.")


def _send(process: subprocess.Popen[bytes], contents: bytes) -> None:
    assert process.stdin is not None
    process.stdin.write(len(contents).to_bytes(_LENGTH_BYTES, "big"))
    rest = memoryview(contents)
    while rest:
        rest = rest[process.stdin.write(rest) :]


def _answer(process: subprocess.Popen[bytes], until: float) -> dict[str, Any] | None:
    """Return the process's result; None if it ended. Raises TimeoutError."""
    assert process.stdout is not None
    line = b""
    with selectors.DefaultSelector() as selector:
        selector.register(process.stdout, selectors.EVENT_READ)
        while not line.endswith(b"\n"):
            if not selector.select(max(0, until - time.monotonic())):
                raise TimeoutError
            piece = process.stdout.read(65536)
            if not piece:
                return None
            line += piece
    answer: dict[str, Any] = json.loads(line)
    return answer


def _main(max_pixels: int, memory: int) -> None:
    """Decode images from the input until it ends."""
    limit_memory(memory)
    answers = sys.stdout.buffer
    answers.write(b"{}\n")
    answers.flush()
    for contents in _incoming(sys.stdin.buffer):
        with _said() as answer:
            decoded = decode_contents(contents, max_pixels=max_pixels)
            answer |= asdict(Facts(decoded.sha256, decoded.format, decoded.width, decoded.height))
        answers.write(json.dumps(answer).encode() + b"\n")
        answers.flush()


@contextmanager
def _said() -> Iterator[dict[str, Any]]:
    answer: dict[str, Any] = {}
    try:
        yield answer
    except UnreadableImage as error:
        answer["reason"] = error.reason
    except OSError as error:
        answer["machine"] = error.strerror or str(error)
    except MemoryError:
        answer["reason"] = _OUT_OF_MEMORY


_OUT_OF_MEMORY: Final = "decoding it takes more memory than allowed"


def _incoming(stream: BinaryIO) -> Iterator[bytes]:
    while head := stream.read(_LENGTH_BYTES):
        yield stream.read(int.from_bytes(head, "big"))


if __name__ == "__main__":
    with contextlib.suppress(KeyboardInterrupt):
        _main(int(sys.argv[1]), int(sys.argv[2]))
