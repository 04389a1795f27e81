"""Process priority: pages before background work."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import Final

_SESSION: Final = Path("/proc/self/autogroup")


def give_way(steps: int) -> None:
    """Lower the priority of this process and its future children by this many steps (0 to 19).

    Linux weighs sessions before the processes in them, so the session's priority is lowered too. Containers
    and services have their own weights (`cpu_shares`, `CPUWeight`).
    """
    if steps <= 0:
        return
    os.nice(steps)
    with suppress(OSError):  # not on Linux, or not allowed for this session
        _SESSION.write_text(str(steps), encoding="ascii")
