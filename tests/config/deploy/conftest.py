"""One process set for all tests of this folder."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.config.deploy.process_set import ProcessSet, free_ports, missing_programs
from tests.config.deploy.team import SEED, interpreter


@pytest.fixture(scope="session")
def team() -> Iterator[ProcessSet]:
    """The whole set, running, with the project of SEED; skips, by name, where a program is missing."""
    with running_team({}) as running:
        yield running


@contextmanager
def running_team(extra: Mapping[str, str]) -> Iterator[ProcessSet]:
    """A whole set for a while, told `extra`, with the project of SEED."""
    if missing := missing_programs():
        pytest.skip(f"the team's process set was not started: {', '.join(missing)} not found")
    home = Path(tempfile.mkdtemp(prefix="anatomark-team-"))
    python, told = interpreter(home)
    home.chmod(0o755)  # the processes are not root's
    running = ProcessSet(home, free_ports(), python=python, extra={**told, **extra})
    try:
        running.prepare()
        running.start_all()
        said = running.manage("shell", "-c", SEED)
        (home / "seeded").write_text(said.stdout)
        yield running
    finally:
        running.stop_all()
        shutil.rmtree(home, ignore_errors=True)


@pytest.fixture(scope="session")
def invitation(team: ProcessSet) -> str:
    """The secret of an open invitation."""
    return (team.home / "seeded").read_text().split("invitation ")[1].strip()
