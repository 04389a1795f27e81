"""Read uploaded tables in a separate process with limits on memory and time.

A file that exceeds a limit ends only that process and is refused with the reason. The process has neither
settings nor database; it receives a path and returns the content.
"""

from __future__ import annotations

import gc
import pickle
import signal
import subprocess
import sys
import traceback
from collections.abc import Callable, Mapping
from io import BytesIO
from pathlib import Path
from typing import Any, Final

from annotator.exchange.formats.report import RowNote, StudyRefused
from annotator.exchange.formats.sheet import Sheet, SheetRow
from annotator.exchange.formats.tables import Record, Table, Texts
from annotator.work.machine_faults import blames_machine
from annotator.work.process_limits import ROOT, clean_environment, limit_memory, limit_processor
from scoring.grid.notation import Term

MOST_MEMORY: Final = 1024 * 1024 * 1024
"""Bytes: a table of 4,000,000 cells, the largest that is read, takes half of it."""
MOST_SECONDS: Final = 60
"""Processor time for one file."""
PATIENCE: Final = 600
"""Elapsed seconds: on a busy machine, a process may wait long for the processor."""

_ANSWERS: Final = frozenset(
    (each.__module__, each.__qualname__)
    for each in (set, frozenset, Record, RowNote, Sheet, SheetRow, Table, Term, Texts)
)
_TAKES: Final = {
    "too_much_memory": "more memory than a file may have",
    "too_long": "longer than a file may take",
}


class ReaderFailed(RuntimeError):
    """The reading process failed for a reason other than the file."""


def read_in_child(
    reader: str,
    path: Path,
    *,
    memory: int = MOST_MEMORY,
    seconds: int = MOST_SECONDS,
    **how: Any,
) -> Any:
    """Return the result of a reader of READERS, called as `reader(path, **how)`.

    Raises StudyRefused as the reader does, and with the code `too_much_memory` or `too_long` if the file
    exceeds a limit; OSError if no process can be started or the file cannot be read, ReaderFailed for a
    fault of the program.
    """
    command = [sys.executable, "-m", __name__, str(memory), str(seconds)]
    order = pickle.dumps((reader, str(path.resolve()), how))
    try:
        done = subprocess.run(
            command,
            input=order,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=ROOT,
            env=clean_environment(),
            timeout=PATIENCE,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise _takes(path, "too_long") from error
    if done.returncode == -signal.SIGXCPU:
        raise _takes(path, "too_long")
    if done.returncode == -signal.SIGKILL:
        # Sent by the kernel, or by the process itself, for lack of memory.
        raise _takes(path, "too_much_memory")
    if done.returncode != 0:
        raise ReaderFailed(f"The process that reads files ended with {done.returncode}.")
    return _value_of(path, _Answer(BytesIO(done.stdout)).load())


def _value_of(path: Path, answer: tuple[str, Any]) -> Any:
    outcome, said = answer
    if outcome == "refused":
        words, code, row = said
        raise StudyRefused(words, code=code, row=row)
    if outcome == "memory":
        raise _takes(path, "too_much_memory")
    if outcome == "machine":
        raise OSError(*said)
    if outcome == "failed":
        raise ReaderFailed(f"Reading a file failed: {said}.")
    return said


def _takes(path: Path, code: str) -> StudyRefused:
    return StudyRefused(
        f"Reading {path.name} takes {_TAKES[code]}. Split it into parts, as CSV in UTF-8.",
        code=code,
    )


class _Answer(pickle.Unpickler):
    """Unpickle only a reader's result: a file must not choose what is called here."""

    def find_class(self, module: str, name: str) -> Any:
        if (module, name) not in _ANSWERS:
            raise ReaderFailed(f"A reader must not return {module}.{name}.")
        return super().find_class(module, name)


def _readers() -> Mapping[str, Callable[..., Any]]:
    from annotator.exchange.formats.archives import unpack
    from annotator.exchange.formats.detection import read_annotations, read_mask_rows
    from annotator.exchange.formats.image_tables import read_count_rows, read_image_table

    return {
        "answers": read_annotations,
        "archive": unpack,
        "counts": read_count_rows,
        "image_table": read_image_table,
        "masks": read_mask_rows,
    }


def _main(memory: int, seconds: int) -> None:
    # Garbage collection grows with the data, and this process ends after one file.
    gc.disable()
    reader, path, how = pickle.load(sys.stdin.buffer)  # noqa: S301  from the process that started this one
    read = _readers()[reader]
    limit_memory(memory)
    limit_processor(seconds)
    answer = pickle.Pickler(sys.stdout.buffer, protocol=pickle.HIGHEST_PROTOCOL)
    # Without a list of all that was written, which takes as much memory as the answer.
    answer.fast = True
    try:
        answer.dump(_outcome(read, Path(path), how))
    except MemoryError:
        signal.raise_signal(signal.SIGKILL)  # as the kernel would


def _outcome(read: Callable[..., Any], path: Path, how: Mapping[str, Any]) -> tuple[str, Any]:
    try:
        return "read", read(path, **how)
    except StudyRefused as refused:
        return "refused", (str(refused), refused.code, refused.row)
    except MemoryError:
        return "memory", None
    except Exception as error:  # noqa: BLE001 - told without what stood in the file
        if blames_machine(error):
            return "machine", (error.errno, error.strerror)
        at = traceback.extract_tb(error.__traceback__)[-1]
        return "failed", f"{type(error).__name__} in {Path(at.filename).name}, line {at.lineno}"


if __name__ == "__main__":
    _main(int(sys.argv[1]), int(sys.argv[2]))
