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
from collections.abc import Mapping, Sequence
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
        return DecodedImage(**self._answered("decode", contents))

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
        self._answered("draw", contents, seconds, max_side=max_side, hidden=hidden)
        return self._returned

    def draw_jpeg(self, contents: bytes) -> bytes:
        """Return the display copy as JPEG, as `encoding.draw_jpeg` does. Raises as `decode`."""
        self._answered("jpeg", contents)
        return self._returned

    def _answered(self, do: str, contents: bytes, seconds: float | None = None, **how: Any) -> dict[str, Any]:
        order, seconds = json.dumps({"do": do, **how}).encode(), seconds or self._seconds
        answer = self._asked(order, contents, seconds) or self._asked(order, contents, seconds)
        if answer is None:
            ending = self._ending
            if self._asked(b'{"do": "decode"}', _REFERENCE, self._seconds) is None:
                raise _unavailable(self._ending)
            raise UnreadableImage(ending)
        if "machine" in answer:
            raise _unavailable(answer["machine"])
        if "reason" in answer:
            raise UnreadableImage(answer["reason"])
        return answer

    def _asked(self, order: bytes, contents: bytes, seconds: float) -> dict[str, Any] | None:
        """Return the result of the process; None if it crashed, with the cause in `_ending`.

        Raises UnreadableImage after the time limit, DecoderUnavailable if no process starts.
        """
        if self._process is not None and self._process.poll() is not None:
            self.close()  # it had nothing to do for long
        self._process = process = self._process or self._started()
        connection = self._connection
        try:
            until = time.monotonic() + seconds
            _send(process, connection, order, contents)
            answer: dict[str, Any] = json.loads(_received(connection, until))
            if "drawn" in answer:
                self._returned = _received(connection, until)
        except TimeoutError as error:
            self.close()
            raise TookTooLong(f"{EXHAUSTS}took longer than {seconds:g} seconds") from error
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


def _send(_: subprocess.Popen[bytes], connection: Connection, order: bytes, contents: bytes) -> None:
    connection.send_bytes(order)
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
            order = json.loads(connection.recv_bytes())
            answer, returned = _carried_out(order, connection.recv_bytes(), max_pixels=max_pixels)
            connection.send_bytes(json.dumps(answer).encode())
            if "drawn" in answer:
                connection.send_bytes(returned)


def _carried_out(
    order: Mapping[str, Any], contents: bytes, *, max_pixels: int
) -> tuple[dict[str, Any], bytes]:
    """Return the answer, and what follows one with `drawn`: the image."""
    do, how = order["do"], {name: value for name, value in order.items() if name != "do"}
    try:
        if do == "decode":
            return vars(decode_contents(contents, max_pixels=max_pixels)), b""
        draw = draw_jpeg if do == "jpeg" else draw_display
        return {"drawn": True}, draw(contents, max_pixels=max_pixels, **how)
    except UnreadableImage as error:
        return {"reason": error.reason}, b""
    except OSError as error:
        return {"machine": error.strerror or str(error)}, b""
    except MemoryError:
        # What is drawn was decoded within the same limit before it was stored.
        return ({"reason": _OUT_OF_MEMORY} if do == "decode" else {"machine": _NO_MEMORY}), b""


_NO_MEMORY: Final = "not enough memory"
_OUT_OF_MEMORY: Final = f"{EXHAUSTS}takes more memory than allowed"


if __name__ == "__main__":
    with contextlib.suppress(KeyboardInterrupt):
        _main(Connection(int(sys.argv[1])), *map(int, sys.argv[2:]))
