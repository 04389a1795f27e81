"""What each case costs: the slowest are printed, and an unmarked case may take a second at most.

Processor seconds of the tests' own process are counted: a clock blames a case for whatever else the machine
does, and a child's seconds fall to whichever case it ended in. What a case shares with others is nobody's
cost: fixtures of a wider scope, and full garbage collections, which search what all cases before have left.
Cases that wait for children are among the slowest, which are listed by elapsed time.
"""

from __future__ import annotations

import gc
import os
import time
from collections.abc import Generator, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass

import pytest

LIMIT = 1.0
"""Processor seconds that an unmarked case may take, set-up and tear-down included."""
BUSY = 3
"""How many times as much the same case costs on a machine that does other work."""
SHOWN = 20
KINDS = frozenset(
    {"browser", "worker", "process_set", "thorough", "databases", "study", "slow", "hypothesis"}
)
"""Markers that say why a case takes longer: it starts something, is about something large, or tries as many
generated examples as it was told to."""

_SPENT = pytest.StashKey["Cost"]()
_COSTS = pytest.StashKey[dict[str, "Cost"]]()


@dataclass
class Cost:
    """Processor and elapsed seconds of a case, without shared fixtures."""

    processor: float = 0.0
    clock: float = 0.0
    kinds: str = ""

    def add(self, processor: float, clock: float) -> None:
        """Add seconds; negative ones are subtracted."""
        self.processor += processor
        self.clock += clock


class Account:
    """The running case, and its depth in shared fixtures."""

    def __init__(self) -> None:
        self.cost = Cost()
        self.sharing = 0

    @contextmanager
    def counted(self, sign: int = 1) -> Iterator[None]:
        """Add the time of the block, or subtract it."""
        processor, clock = time.process_time(), time.monotonic()
        try:
            yield
        finally:
            self.cost.add(sign * (time.process_time() - processor), sign * (time.monotonic() - clock))


_account = Account()


@contextmanager
def shared() -> Iterator[None]:
    """Subtract the time of what belongs to all cases, once if it is nested."""
    if _account.sharing:
        yield
        return
    _account.sharing += 1
    try:
        with _account.counted(-1):
            yield
    finally:
        _account.sharing -= 1


_collection = ExitStack()


def collected(phase: str, info: Mapping[str, int]) -> None:
    """Subtract a full garbage collection."""
    if info["generation"] == 2 and phase == "start":
        _collection.enter_context(shared())
    elif info["generation"] == 2:
        _collection.close()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_setup(item: pytest.Item) -> Generator[None, object, object]:
    """Start a case's account."""
    names = {marker.name for marker in item.iter_markers()}
    _account.cost = Cost(kinds=",".join(sorted(KINDS & names)))
    with _account.counted():
        return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    """Add the case itself."""
    with _account.counted():
        return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(item: pytest.Item) -> Generator[None, object, object]:
    """Add the tear-down. The report carries the account, also between processes."""
    try:
        with _account.counted():
            return (yield)
    finally:
        cost = _account.cost
        item.user_properties.append(("cost", (cost.processor, cost.clock, cost.kinds)))


@pytest.hookimpl(wrapper=True)
def pytest_fixture_setup(fixturedef: pytest.FixtureDef[object]) -> Generator[None, object, object]:
    """Subtract shared fixtures, once if they are nested."""
    if fixturedef.scope == "function":
        return (yield)
    with shared():
        return (yield)


def pytest_configure(config: pytest.Config) -> None:
    """Store the accounts of this run."""
    config.stash[_COSTS] = {}
    config.pluginmanager.register(_Collecting(config.stash[_COSTS]))
    gc.callbacks.append(collected)


class _Collecting:
    """Reads the accounts from the reports of xdist's workers."""

    def __init__(self, costs: dict[str, Cost]) -> None:
        self.costs = costs

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Store one case's account."""
        if report.when == "teardown":
            for name, value in report.user_properties:
                if name == "cost" and isinstance(value, (tuple, list)):
                    self.costs[report.nodeid] = Cost(*value)


def over_budget(costs: Mapping[str, Cost], limit: float = LIMIT) -> list[str]:
    """Return the unmarked cases that took more processor seconds than the limit, the slowest first."""
    dear = [name for name, cost in costs.items() if cost.processor > limit and not cost.kinds]
    return sorted(dear, key=lambda name: -costs[name].processor)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Print the slowest cases, and those over the limit."""
    costs = config.stash[_COSTS]
    slowest = sorted(costs.items(), key=lambda pair: -pair[1].clock)[:SHOWN]
    if len(costs) > SHOWN:
        terminalreporter.section(f"slowest {SHOWN} of {len(costs)} cases: seconds by clock, by processor")
        for name, cost in slowest:
            terminalreporter.write_line(
                f"{cost.clock:7.2f} {cost.processor:7.2f}  {name} {cost.kinds}".rstrip()
            )
    for name in over_budget(costs):
        terminalreporter.write_line(
            f"unmarked and over {LIMIT:g} s: {costs[name].processor:.2f} s {name}", red=True
        )


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Fail a thorough run far over budget; otherwise a busy machine would reject good work."""
    costs = session.config.stash[_COSTS]
    if os.environ.get("THOROUGH") and over_budget(costs, BUSY * LIMIT) and not session.exitstatus:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
