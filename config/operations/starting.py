"""What is checked before a process serves anybody: one clear line for each fault, and no traceback.

Less than `status.needed`: the first process of a set cannot wait for a worker, and saving needs no queue.
"""

from __future__ import annotations

import sys
from typing import Final

from django.db import connections

from config.operations import probes
from config.operations.lights import Light, Probe, State, ask

# In this order: each needs the ones before it.
NEEDED: Final[tuple[tuple[str, Probe], ...]] = (
    (probes.DATABASE, probes.database),
    (probes.MIGRATIONS, probes.migrations),
)
ALSO: Final[tuple[tuple[str, Probe], ...]] = (
    (probes.MEDIA, probes.media),
    (probes.LIBRARIES, probes.libraries),
    (probes.QUEUE, probes.queue),
    (probes.CLOCK, probes.clock),
)
# Saving answers needs neither; what is wrong with them is said, and the process starts.
SAID_ONLY: Final = frozenset({probes.QUEUE, probes.CLOCK})


def faults() -> list[Light]:
    """Return every light that is not good, as far as they can be asked without the one before."""
    found: list[Light] = []
    for name, probe in NEEDED:
        light = ask(probe, name)
        if light.state != State.GOOD:
            return [light, *(each for each in (ask(probes.media, probes.MEDIA),) if each.state != State.GOOD)]
    for name, probe in ALSO:
        if name == probes.QUEUE and any(light.name == probes.LIBRARIES for light in found):
            continue  # the same fault
        if (light := ask(probe, name)).state != State.GOOD:
            found.append(light)
    return found


def require_startable(process: str) -> None:
    """Say every fault in one line; raise SystemExit where the process could not do its work."""
    try:
        found = faults()
    finally:
        connections.close_all()  # a process that forks must not share them
    for light in found:
        verb = "goes on" if light.name in SAID_ONLY else "does not start"
        print(f"{process} {verb}. {light.line}", file=sys.stderr, flush=True)
    if any(light.name not in SAID_ONLY for light in found):
        raise SystemExit(1)
