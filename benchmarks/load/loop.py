"""One phase: all connections in one loop, each response timed from when its request was due."""

from __future__ import annotations

import heapq
import select
import time
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import count
from typing import Final

from benchmarks.load.lines import Broken, Line
from benchmarks.load.pacing import Pace
from benchmarks.load.walk import Person, Unexpected, Walk

PATIENCE_SECONDS: Final = 30.0
_PARTS: Final = {"p50": 50, "p95": 95, "p99": 99, "max": 100}


@dataclass
class Lane:
    """One annotator of a phase: a connection, a user, and their present step."""

    line: Line
    person: Person
    walk: Walk
    kind: str = ""
    request: bytes = b""
    due: float = 0.0
    waits: bool = False
    last: tuple[int, bytes] | None = None

    def go_ahead(self, steps: int) -> None:
        """Take some steps without measuring, so that annotators are at different ones."""
        for _ in range(steps):
            _, request = next(self.walk) if self.last is None else self.walk.send(self.last)
            self.line.send(request)
            while (answer := self.line.ready()) is None:
                select.select([self.line.socket], [], [], PATIENCE_SECONDS)
            self.last = answer


@dataclass
class Told:
    """The results of a phase: seconds of each response by kind, and errors."""

    seconds: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    errors: list[str] = field(default_factory=list)


class Run:
    """One phase."""

    def __init__(self, lanes: list[Lane], pace: Pace, end: float, replace: Callable[[Lane], None]) -> None:
        self.pace, self.end, self.replace = pace, end, replace
        self.told = Told()
        self.poll = select.epoll()
        self.lanes: dict[int, Lane] = {}
        self.order = count()
        self.later: list[tuple[float, int, Lane]] = []
        for lane in lanes:
            self._watch(lane)
            self._advance(lane, lane.last)

    def until_over(self) -> Told:
        """Run until the end, and until every request has a response."""
        while self.later or any(lane.waits for lane in self.lanes.values()):
            now = time.monotonic()
            if now > self.end + PATIENCE_SECONDS:
                self.told.errors += [f"{lane.kind}: no answer" for lane in self.lanes.values() if lane.waits]
                break
            while self.later and self.later[0][0] <= now:
                self._send(heapq.heappop(self.later)[2])
            if now >= self.end:
                self.later.clear()
            wait = min(self.later[0][0] - time.monotonic(), 1.0) if self.later else 1.0
            for number, _ in self.poll.poll(max(0.0, wait)):
                self._answered(self.lanes[number])
        self.poll.close()
        return self.told

    def _watch(self, lane: Lane) -> None:
        number = lane.line.socket.fileno()
        self.lanes[number] = lane
        self.poll.register(number, select.EPOLLIN)

    def _answered(self, lane: Lane) -> None:
        try:
            answer = lane.line.ready()
        except (Broken, OSError) as error:
            self._give_up(lane, f"{lane.kind}: {error}")
            return
        if answer is None:
            if lane.line.over:
                self._forget(lane)
                if lane.waits:
                    self._give_up(lane, f"{lane.kind}: hung up without an answer")
            return
        self.told.seconds[lane.kind].append(time.monotonic() - lane.due)
        lane.waits = False
        self._advance(lane, answer)

    def _advance(self, lane: Lane, answer: tuple[int, bytes] | None) -> None:
        """Take the next step of a walk and plan its request."""
        try:
            lane.kind, lane.request = next(lane.walk) if answer is None else lane.walk.send(answer)
        except Unexpected as error:
            self._give_up(lane, str(error))
            return
        except StopIteration:
            self.replace(lane)
            lane.kind, lane.request = next(lane.walk)
        lane.due = self.pace(lane.kind)
        if lane.due < self.end:
            heapq.heappush(self.later, (lane.due, next(self.order), lane))

    def _send(self, lane: Lane) -> None:
        before = lane.line.socket.fileno()
        lane.waits = True
        try:
            renewed = lane.line.send(lane.request)
        except OSError as error:
            self._give_up(lane, f"{lane.kind}: {error}")
            return
        if renewed:
            self.lanes.pop(before, None)
            self._watch(lane)

    def _forget(self, lane: Lane) -> None:
        number = lane.line.socket.fileno()
        if self.lanes.get(number) is lane:
            self.poll.unregister(number)

    def _give_up(self, lane: Lane, why: str) -> None:
        self.told.errors.append(why)
        lane.waits = False
        lane.walk.close()


def figures(found: list[float]) -> dict[str, float]:
    """Return count and percentiles in milliseconds."""
    ordered = sorted(found)
    at = {name: ordered[-(-len(ordered) * part // 100) - 1] for name, part in _PARTS.items()}
    return {"count": len(ordered), **{name: value * 1000 for name, value in at.items()}}
