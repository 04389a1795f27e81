"""Acknowledged saves, recorded outside the system and compared with its contents."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path


@dataclass
class Ledger:
    """Acknowledged saves, one line each in a file, and the clients' waiting times."""

    path: Path
    acknowledged: dict[int, list[tuple[int, str]]] = field(default_factory=dict)
    count: int = 0
    longest_wait: float = 0.0
    longest_silence: float = 0.0
    repeated: int = 0
    remarks: Counter[str] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        self._lock = threading.Lock()
        self._file = self.path.open("a", buffering=1)
        self._last = time.monotonic()

    def acknowledge(self, pk: int, version: int, note: str, waited: float) -> None:
        """Record an acknowledged save."""
        with self._lock:
            self._file.write(f"{pk} {version} {note}\n")
            self.acknowledged.setdefault(pk, []).append((version, note))
            self.count += 1
            now = time.monotonic()
            self.longest_silence = max(self.longest_silence, now - self._last)
            self.longest_wait = max(self.longest_wait, waited)
            self._last = now

    def repeat(self) -> None:
        """Record a retry."""
        with self._lock:
            self.repeated += 1

    def remark(self, what: str) -> None:
        """Record an impossible response."""
        with self._lock:
            self.remarks[what] += 1


@dataclass(frozen=True)
class Verdict:
    """The result of the comparison."""

    acknowledged: int
    lost: int
    doubled: int
    never_acknowledged: int
    export_wrong: int

    @property
    def good(self) -> bool:
        return not (self.lost or self.doubled or self.export_wrong)


def judge(
    ledger: Ledger,
    history: Mapping[int, Sequence[tuple[int, str]]],
    exported: Mapping[int, int],
    idents: Mapping[int, int],
) -> Verdict:
    """Compare the ledger with all versions ever stored and with the last ones in the export.

    `exported` has the value in the file for each assignment, `idents` what the last acknowledged save said.
    """
    lost = doubled = unknown = 0
    for pk, told in ledger.acknowledged.items():
        stored = Counter(note for _, note in history.get(pk, ()))
        kept = {note for _, note in told}
        lost += sum(1 for note in kept if not stored[note])
        unknown += sum(1 for note in stored if note not in kept)
        doubled += sum(number - 1 for number in stored.values())
    wrong = sum(1 for pk, ident in idents.items() if exported.get(pk) != ident)
    return Verdict(ledger.count, lost, doubled, unknown, wrong)
