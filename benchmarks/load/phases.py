"""The phases of a project of one size, and the comparison with acknowledged requests."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass
from typing import Any, Final

from benchmarks.load.processor import used
from benchmarks.load.size import MARK
from tests.config.deploy.process_set import ROOT, ProcessSet

THINK_SECONDS: Final = 4.0
THINKING_SAVES: Final = 4
"""A pause before each draft and the submission: with four drafts an image takes 20 s. Entering a published
answer takes 16.4 s by the keystroke-level model, looking at the image left out."""

RATE: Final = 100
FLOOR_ANNOTATORS: Final = 32


@dataclass(frozen=True)
class Phase:
    """The actions and speed of a number of annotators."""

    name: str
    annotators: int
    walk: str = "labelling"
    pace: str = "closed"
    saves: int = 1
    pictures: bool = True


def phases(annotators: list[int]) -> list[Phase]:
    """Return all phases for one size of project, floors first."""
    thinking = [Phase("thinking", number, pace="thinking", saves=THINKING_SAVES) for number in annotators]
    return [
        *(
            Phase(f"floor: {walk}", number, walk=walk)
            for number in (1, FLOOR_ANNOTATORS)
            for walk in ("bare view", "bare insert")
        ),
        *(Phase("as fast as it goes", number) for number in annotators),
        *(Phase("submissions alone", number, saves=0, pictures=False) for number in (1, FLOOR_ANNOTATORS)),
        Phase(f"{RATE} requests/s", FLOOR_ANNOTATORS, pace="open"),
        *thinking,
    ]


class Client:
    """The annotators' process."""

    def __init__(self, running: ProcessSet) -> None:
        certificate = running.home / "secrets" / "tls.crt"
        command = [sys.executable, "-m", "benchmarks.load.client", str(running.ports.https), str(certificate)]
        self._process = subprocess.Popen(
            command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def tell(self, **told: Any) -> dict[str, Any]:
        """Send one line and return the reply. Raises RuntimeError if the program has ended."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(told) + "\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        if not line:
            raise RuntimeError(f"the annotators' program ended with {self._process.wait()}")
        said: dict[str, Any] = json.loads(line)
        return said

    def close(self) -> None:
        """End the program."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait(60)


def seed(running: ProcessSet, images: int, people: int) -> list[dict[str, Any]]:
    """Create the project; return cookie and first assignment of each annotator."""
    found: list[dict[str, Any]] = _inside(running, f"make({images}, {people})")
    return found


def measure(running: ProcessSet, client: Client, phase: Phase, seconds: float) -> dict[str, Any]:
    """Run one phase; return the annotators' results and the processor time of each part."""
    before = used(running)
    said = client.tell(
        walk=phase.walk,
        annotators=phase.annotators,
        pace=phase.pace,
        saves=phase.saves,
        pictures=phase.pictures,
        seconds=seconds,
        rate=RATE,
        think_seconds=THINK_SECONDS,
    )
    after = used(running)
    spent = {name: after[name] - before[name] for name in after}
    return {"phase": phase.name, "annotators": phase.annotators, **said, "server": spent}


def stored(running: ProcessSet, images: int) -> dict[str, Any]:
    """Return the stored contents of the project (see `seeding.stored`)."""
    found: dict[str, Any] = _inside(running, f"stored({images})")
    return found


def compared(client: Client, found: dict[str, Any], seeded: int) -> dict[str, int]:
    """Return how many submissions and drafts were acknowledged, and how many of them are not stored.

    `found` is what `stored` returns; `seeded` answers were there before the run.
    """
    told = client.tell()
    acknowledged, there = set(told["submitted"]), set(found["submitted"])
    acts: dict[str, int] = found["acts"]
    return {
        "submissions": len(told["submitted"]),
        "saves": told["saves"],
        "submissions acknowledged twice": len(told["submitted"]) - len(acknowledged),
        "submissions not stored": len(acknowledged - there),
        "submissions stored and not acknowledged": len(there) - seeded - len(acknowledged),
        "saves missing or doubled": abs(acts.get("draft_saved", 0) - told["saves"]),
        "Events missing or doubled": abs(acts.get("submitted", 0) - seeded - len(acknowledged)),
    }


def _inside(running: ProcessSet, call: str) -> Any:
    name = call.partition("(")[0]
    script = f"from benchmarks.load.seeding import {name}; {call}"
    done = running.manage("shell", "--no-imports", "-c", script)
    return json.loads(done.stdout.split(MARK)[-1])
