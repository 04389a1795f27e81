"""Who goes first where the processor is short: who waits for a page, before work that nobody waits for."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import Final

_SESSION: Final = Path("/proc/self/autogroup")


def give_way(steps: int) -> None:
    """Put this process, and those it starts from now on, behind others by so many steps (0 to 19).

    Linux weighs one session against another before it looks at the processes in each, so the session steps
    back too. Between containers and services their own weights decide (`cpu_shares`, `CPUWeight`).
    """
    if steps <= 0:
        return
    os.nice(steps)
    with suppress(OSError):  # elsewhere than on Linux, or not its own session's to say
        _SESSION.write_text(str(steps), encoding="ascii")
