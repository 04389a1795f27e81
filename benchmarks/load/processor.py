"""Processor time and memory of each part of the process set, from /proc."""

from __future__ import annotations

import os
import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tests.config.deploy.process_set import ProcessSet

_TICK: Final = os.sysconf("SC_CLK_TCK")
_QUIET_CORES: Final = 0.15
# Longer than reports wait for the end of a burst of submissions.
_LOOKS_SECONDS: Final = 7.0


@dataclass(frozen=True)
class _Processes:
    """Every process of the machine: processor seconds and children."""

    seconds: dict[int, float]
    children: dict[int, list[int]]

    def family(self, pid: int) -> Iterator[int]:
        """A process and its descendants."""
        yield pid
        for child in self.children[pid]:
            yield from self.family(child)


def used(running: ProcessSet) -> dict[str, float]:
    """Return the seconds by name of the process (`web`, `postgres`, …), its children included."""
    now = _processes()
    return {
        name: sum(now.seconds.get(pid, 0.0) for pid in now.family(process.pid))
        for name, process in running.running.items()
    }


def settle(running: ProcessSet, seconds: float = 120.0) -> None:
    """Wait for the work of a new project: vacuums, a checkpoint, its first reports."""
    deadline = time.monotonic() + seconds
    before, busy = used(running), 1.0
    while busy > _QUIET_CORES and time.monotonic() < deadline:
        time.sleep(_LOOKS_SECONDS)
        now = used(running)
        busy = sum(now[name] - before[name] for name in now) / _LOOKS_SECONDS
        before = now


def memory(running: ProcessSet) -> dict[str, float]:
    """Return the megabytes by name of the process, counting shared memory once."""
    now = _processes()
    return {
        name: sum(_megabytes(pid) for pid in now.family(process.pid))
        for name, process in running.running.items()
    }


def _processes() -> _Processes:
    found = _Processes({}, defaultdict(list))
    for path in Path("/proc").iterdir():
        if not path.name.isdigit():
            continue
        with suppress(OSError):
            # The name, in brackets, may contain anything. Ended children count towards their parent.
            fields = (path / "stat").read_text().rpartition(")")[2].split()
            found.seconds[int(path.name)] = sum(map(int, fields[11:15])) / _TICK
            found.children[int(fields[1])].append(int(path.name))
    return found


def _megabytes(pid: int) -> float:
    with suppress(OSError):
        for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1]) / 1024
    return 0.0
