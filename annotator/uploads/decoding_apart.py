"""Pictures decoded in a process of their own, which may take so much memory and so long.

A picture that takes more, or that crashes the decoder, ends that process and nothing else: its file is
refused with the reason, and the next file gets a new process. The process knows neither the settings nor
the database; it is given bytes and says what they are.
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
"""Bytes of memory for one picture: twice as many pixels as are taken by default need two thirds of it."""
MOST_SECONDS: Final = 60
START_SECONDS: Final = 60

_LENGTH_BYTES: Final = 8
_REFERENCE: Final = bytes.fromhex(
    "89504e470d0a1a0a0000000d4948445200000001000000010802000000907753de"
    "0000000c49444154789c63606060000000040001f61738550000000049454e44ae426082"
)
"""A PNG of one pixel, about which a process that works has something to say."""


@dataclass(frozen=True)
class Facts:
    """What a picture is: the SHA-256 of the file, its format, and its size in pixels as it is looked at."""

    sha256: str
    format: str
    width: int
    height: int


class Decoder:
    """A process that decodes one picture after the other. Close it; one thread at a time."""

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
        """The process at work; None before the first picture and after one that ended it."""
        return self._process.pid if self._process else None

    def decode(self, contents: bytes) -> Facts:
        """Decode a picture to its last pixel.

        Raises UnreadableImage with the reason, and DecoderUnavailable where the machine is at fault: a file
        is blamed for the end of its process only if it ends a second one, and another picture does not.
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
        """What the process says of a picture; None where that ended it, and `_ending` says how.

        Raises UnreadableImage where it takes too long, DecoderUnavailable where no process starts.
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
            # It says so once it has everything it needs: what ends it before is no picture's fault.
            if _answer(process, time.monotonic() + START_SECONDS) is not None:
                return process
        except TimeoutError:
            said = f"it did not start within {START_SECONDS} seconds"
        except OSError as error:
            said = error.strerror or str(error)
        else:
            said = f"it ended with the exit status {process.wait()}"
        self.close()
        raise DecoderUnavailable(f"The process that decodes pictures does not start: {said}.")

    def _ended(self) -> str:
        """Why the process ended in the middle of a picture, which it did not survive."""
        process = self._process
        self._process = None
        if process is None:
            return "the process that decodes it was ended"
        with process:
            process.kill()
        if process.returncode in (-signal.SIGKILL, -signal.SIGSEGV, -signal.SIGABRT, -signal.SIGBUS):
            name = signal.Signals(-process.returncode).name
            return f"decoding it ended the process that did it ({name}); often that is memory"
        return "decoding it ended the process that did it"


def _unavailable(why: str) -> DecoderUnavailable:
    return DecoderUnavailable(f"Pictures cannot be decoded just now: {why}.")


def _send(process: subprocess.Popen[bytes], contents: bytes) -> None:
    assert process.stdin is not None
    process.stdin.write(len(contents).to_bytes(_LENGTH_BYTES, "big"))
    rest = memoryview(contents)
    while rest:
        rest = rest[process.stdin.write(rest) :]


def _answer(process: subprocess.Popen[bytes], until: float) -> dict[str, Any] | None:
    """The process's answer; None where it ended. Raises TimeoutError."""
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
    """Decode what comes in until nothing comes any more."""
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


_OUT_OF_MEMORY: Final = "decoding it takes more memory than a picture may have"


def _incoming(stream: BinaryIO) -> Iterator[bytes]:
    while head := stream.read(_LENGTH_BYTES):
        yield stream.read(int.from_bytes(head, "big"))


if __name__ == "__main__":
    with contextlib.suppress(KeyboardInterrupt):
        _main(int(sys.argv[1]), int(sys.argv[2]))
