"""Faults of the process set: killed, stopped, restarted, a full disk, dropped responses."""

from __future__ import annotations

import os
import random
import signal
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Final

import redis

from benchmarks.faults.place import Place
from benchmarks.faults.relay import Relay
from tests.config.deploy.process_set import ProcessSet

# Relative frequencies; faults with a slow restart are rare.
WEIGHTS: Final = {
    "answers dropped": 5,
    "web: one process killed": 4,
    "web: killed": 1,
    "web: restarted": 1,
    "web: stopped for 2 s": 2,
    "worker: one process killed": 3,
    "worker: killed": 1,
    "worker: stopped for 5 s": 1,
    "beat: killed": 1,
    "redis: killed": 3,
    "redis: stopped for 3 s": 2,
    "redis: emptied": 2,
    "redis: poisoned": 1,
    "postgres: one backend killed": 3,
    "postgres: one backend ended": 4,
    "postgres: all killed": 3,
    "postgres: immediate restart": 3,
    "postgres: fast restart": 3,
    "postgres: stopped for 3 s": 2,
    "proxy: killed": 3,
    "disk full for 3 s": 1,
}
# Each once before chance decides.
FIRST: Final = (
    "postgres: all killed",
    "answers dropped",
    "redis: killed",
    "web: one process killed",
    "postgres: one backend killed",
    "worker: killed",
    "proxy: killed",
    "disk full for 3 s",
    "postgres: immediate restart",
    "web: killed",
)


class Nemesis:
    """Injects faults into one set, limited to `kinds`."""

    def __init__(
        self,
        running: ProcessSet,
        place: Place,
        relay: Relay,
        seed: int,
        kinds: tuple[str, ...] = (),
    ) -> None:
        self.running, self.place, self.relay = running, place, relay
        self.random = random.Random(seed)
        self.done: Counter[str] = Counter()
        self._first = [] if kinds else list(FIRST)
        self._next: str | None = None
        self._weights = {name: weight for name, weight in WEIGHTS.items() if not kinds or name in kinds}
        if not place.own_disk:
            self._weights.pop("disk full for 3 s", None)
            self._first = [name for name in self._first if not name.startswith("disk")]

    def strike(self) -> bool:
        """Inject one fault; return False if its target is not running, so that it waits."""
        if self._next is None:
            names = list(self._weights)
            chance = self.random.choices(names, weights=list(self._weights.values()))[0]
            self._next = self._first.pop(0) if self._first else chance
        try:
            self._act(self._next)()
        except (KeyError, ProcessLookupError, IndexError, redis.RedisError):
            return False
        self.done[self._next] += 1
        self._next = None
        return True

    def _act(self, name: str) -> Callable[[], object]:
        kill, child, pause = self._signal, self._child, self._pause
        acts: dict[str, Callable[[], object]] = {
            "answers dropped": lambda: self.relay.drop(self.random.randint(1, 8)),
            "web: one process killed": lambda: child("web", signal.SIGKILL),
            "web: killed": lambda: kill("web", signal.SIGKILL),
            "web: restarted": lambda: kill("web", signal.SIGTERM),
            "web: stopped for 2 s": lambda: pause("web", 2),
            "worker: one process killed": lambda: child("worker", signal.SIGKILL),
            "worker: killed": lambda: kill("worker", signal.SIGKILL),
            "worker: stopped for 5 s": lambda: pause("worker", 5),
            "beat: killed": lambda: kill("beat", signal.SIGKILL),
            "redis: killed": lambda: kill("redis", signal.SIGKILL),
            "redis: stopped for 3 s": lambda: pause("redis", 3),
            "redis: emptied": lambda: self._redis().flushall(),
            "redis: poisoned": lambda: self._redis().lpush("anatomark:celery", "this is no message"),
            "postgres: one backend killed": lambda: self._backend(signal.SIGKILL),
            "postgres: one backend ended": lambda: self._backend(signal.SIGTERM),
            "postgres: all killed": self._kill_database,
            "postgres: immediate restart": lambda: kill("postgres", signal.SIGQUIT),
            "postgres: fast restart": lambda: kill("postgres", signal.SIGINT),
            "postgres: stopped for 3 s": lambda: pause("postgres", 3),
            "proxy: killed": lambda: kill("proxy", signal.SIGKILL),
            "disk full for 3 s": self._fill,
        }
        return acts[name]

    def _pid(self, name: str) -> int:
        process = self.running.running[name]
        if process.poll() is not None:
            raise ProcessLookupError(name)
        return process.pid

    def _signal(self, name: str, number: signal.Signals) -> None:
        os.kill(self._pid(name), number)

    def _child(self, name: str, number: signal.Signals) -> None:
        os.kill(self.random.choice(_group(self._pid(name))), number)

    def _backend(self, number: signal.Signals) -> None:
        found = [pid for pid in _group(self._pid("postgres"), sessions=True) if b"anatomark" in _title(pid)]
        os.kill(self.random.choice(found), number)

    def _kill_database(self) -> None:
        leader = self._pid("postgres")
        for pid in [leader, *_group(leader, sessions=True)]:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)

    def _pause(self, name: str, seconds: float) -> None:
        group = [self._pid(name), *_group(self._pid(name), sessions=True)]
        for pid in group:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGSTOP)
        time.sleep(seconds)
        for pid in group:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGCONT)

    def _fill(self) -> None:
        filler = self.place.fill()
        time.sleep(3)
        filler.unlink()

    def _redis(self) -> redis.Redis:
        return redis.Redis(
            port=self.running.ports.redis, password=self.running.secret("redis_password"), socket_timeout=5
        )


def _group(leader: int, *, sessions: bool = False) -> list[int]:
    """Return the other processes of a group, sorted; with `sessions` also children in other sessions."""
    found = []
    for path in Path("/proc").iterdir():
        with suppress(OSError, ValueError, IndexError):
            pid = int(path.name)
            parent, group = (path / "stat").read_text().rpartition(")")[2].split()[1:3]
            if pid != leader and (int(group) == leader or (sessions and int(parent) == leader)):
                found.append(pid)
    return sorted(found)


def _title(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""
