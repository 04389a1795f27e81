"""The machine's Python versions, each with an environment of requirements.lock only."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LOCK = ROOT / "requirements.lock"
KEPT = ROOT / "var" / "runtime"
LEAST = (3, 11)

_ABOUT = """
import json, os, sys
print(json.dumps([sys.version_info[:3], os.path.realpath(sys.executable), sys.prefix == sys.base_prefix]))
"""


class NotInstalled(RuntimeError):
    """The environment could not be made; the message says why."""


@dataclass(frozen=True, order=True)
class Interpreter:
    """One Python of this machine."""

    version: tuple[int, ...]
    path: Path

    @property
    def name(self) -> str:
        """The version as text."""
        return ".".join(map(str, self.version))


def interpreters() -> list[Interpreter]:
    """Return the machine's Pythons that the product runs on, oldest first.

    Environments are left out, and so is what does not start.
    """
    found = {}
    asked = set()
    for place in _usual_places():
        for path in sorted(place.glob("python3*")):
            minor = re.fullmatch(r"python3(?:\.(\d+))?", path.name)
            if not minor or int(minor[1] or LEAST[1]) < LEAST[1] or path.resolve() in asked:
                continue
            asked.add(path.resolve())
            if known := _asked(path):
                found[known.path] = known
    return sorted(found.values())


def chosen(found: list[Interpreter]) -> list[Interpreter]:
    """Return the oldest, and the newest if its version differs."""
    return [found[0], *([found[-1]] if found[-1].version[:2] != found[0].version[:2] else [])]


def environment(python: Interpreter) -> Path:
    """Return the folder of an environment with the lock alone, made the first time; raises NotInstalled.

    It is kept until the lock changes.
    """
    digest = hashlib.sha256(LOCK.read_bytes()).hexdigest()[:12]
    home = KEPT / f"{digest}-{python.name}"
    if not (home / "complete").exists():
        for outdated in KEPT.glob(f"*-{python.name}"):
            shutil.rmtree(outdated)
        _run([str(python.path), "-m", "venv", "--without-pip", str(home)])
        install = ["install", "--disable-pip-version-check", "--no-compile", "--require-hashes", "-qq"]
        _run([*pip(python), "--python", str(home / "bin" / "python"), *install, "-r", str(LOCK)])
        (home / "complete").touch()
    return home


def _usual_places() -> Iterator[Path]:
    on_path = (Path(place) for place in os.environ.get("PATH", "").split(os.pathsep) if place)
    yield from (place for place in on_path if place.name != "shims")  # they only lead to the managers' own
    yield from (Path(sys.base_prefix, "bin"), Path("/usr/bin"), Path("/usr/local/bin"))
    managers = (
        Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"), "versions"),
        Path(os.environ.get("UV_PYTHON_INSTALL_DIR", Path.home() / ".local/share/uv/python")),
    )
    for manager in managers:
        yield from sorted(manager.glob("*/bin"))


def _asked(path: Path) -> Interpreter | None:
    try:
        said = subprocess.run(
            [str(path), "-c", _ABOUT], capture_output=True, text=True, check=True, timeout=20
        ).stdout
        version, real, own = json.loads(said)
    except (OSError, subprocess.SubprocessError, ValueError):
        return None
    known = Interpreter(tuple(version), Path(real))
    return known if own and known.version >= LEAST else None


def pip(python: Interpreter | None = None) -> list[str]:
    """A pip from outside of the environment: Debian's Python may have none to put into it.

    The Python's own first, because an older pip does not run on a newer Python. Raises NotInstalled where no
    Python has one.
    """
    own = [str(python.path)] if python else []
    for path in (*own, sys.executable, str(Path(sys.base_prefix, "bin", "python3"))):
        command = [path, "-m", "pip"]
        if subprocess.run([*command, "--version"], capture_output=True, check=False).returncode == 0:
            return command
    raise NotInstalled("no Python of this machine has pip")


def _run(command: list[str]) -> None:
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode:
        raise NotInstalled(f"{' '.join(command)} failed:\n{(done.stdout + done.stderr)[-2000:]}")
