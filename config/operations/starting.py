"""Start-up checks: one clear line for each fault, without a traceback.

Fewer than `status.needed`: the first process cannot wait for a worker, and saving needs no queue.
"""

from __future__ import annotations

import sys
from typing import Final

from django.db import connections

from config.operations import prerequisites
from config.operations.health import HealthCheck, HealthState, Probe, ask

# In this order, because each needs those before it.
NEEDED: Final[tuple[tuple[str, Probe], ...]] = (
    (prerequisites.DATABASE, prerequisites.database),
    (prerequisites.MIGRATIONS, prerequisites.migrations),
)
ALSO: Final[tuple[tuple[str, Probe], ...]] = (
    (prerequisites.MEDIA, prerequisites.media),
    (prerequisites.LIBRARIES, prerequisites.libraries),
    (prerequisites.QUEUE, prerequisites.queue),
    (prerequisites.CLOCK, prerequisites.clock),
)
# Saving annotations needs neither, so their faults are reported but do not prevent the start.
SAID_ONLY: Final = frozenset({prerequisites.QUEUE, prerequisites.CLOCK})


def faults() -> list[HealthCheck]:
    """Return every failed health check, omitting those that depend on a failed one."""
    found: list[HealthCheck] = []
    for name, probe in NEEDED:
        light = ask(probe, name)
        if light.state != HealthState.GOOD:
            return [
                light,
                *(
                    each
                    for each in (ask(prerequisites.media, prerequisites.MEDIA),)
                    if each.state != HealthState.GOOD
                ),
            ]
    for name, probe in ALSO:
        if name == prerequisites.QUEUE and any(light.name == prerequisites.LIBRARIES for light in found):
            continue  # the same fault
        if (light := ask(probe, name)).state != HealthState.GOOD:
            found.append(light)
    return found


def require_startable(process: str) -> None:
    """Print every fault on one line; raise SystemExit if the process could not work."""
    try:
        found = faults()
    finally:
        connections.close_all()  # a process that forks must not share them
    for light in found:
        verb = "continues" if light.name in SAID_ONLY else "does not start"
        print(f"{process} {verb}. {light.line}", file=sys.stderr, flush=True)
    if any(light.name not in SAID_ONLY for light in found):
        raise SystemExit(1)
