"""`make demo` on a fresh folder, on a terminal: a real environment, a real pip, and no network."""

from __future__ import annotations

import hashlib
import os
import pty
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from zipfile import ZipFile

import pytest

ROOT = Path(__file__).resolve().parents[2]
TELLS = "import json, os, sys; print(json.dumps([os.environ['DEMO_STARTED'], sys.argv[1:]]), flush=True)\n"


def wheel(folder: Path, name: str) -> str:
    """A library without contents; return its line in a lock file."""
    path = folder / f"{name}-1.0-py3-none-any.whl"
    info = f"{name}-1.0.dist-info"
    with ZipFile(path, "w") as archive:
        archive.writestr(f"{name}.py", "")
        archive.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
        archive.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        archive.writestr(f"{info}/RECORD", "")
    return f"{name}==1.0 --hash=sha256:{hashlib.sha256(path.read_bytes()).hexdigest()}"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with our Makefile, four libraries to install, and a command that tells what it was given."""
    shutil.copy(ROOT / "Makefile", tmp_path)
    (tmp_path / "config").mkdir()
    shutil.copy(ROOT / "config/installing.py", tmp_path / "config")
    lines = [wheel(tmp_path, name) for name in ("alpha", "beta", "gamma")]
    lines += ["--no-index", f"--find-links {tmp_path}", f"omega==1.0 ; python_version < '3' {lines[0][11:]}"]
    (tmp_path / "requirements.lock").write_text("\n".join(lines))
    (tmp_path / "manage.py").write_text(TELLS)
    # With pip in it, it takes seconds that nothing here is about.
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", ".venv"], cwd=tmp_path, check=True)
    return tmp_path


def on_a_terminal(folder: Path, *arguments: str) -> tuple[int, str]:
    """Run make there; return its exit code and all that the terminal showed."""
    leader, follower = pty.openpty()
    command = ["make", f"PY={sys.executable}", *arguments]
    making = subprocess.Popen(command, cwd=folder, stdin=follower, stdout=follower, stderr=follower)
    os.close(follower)
    shown = b""
    try:
        while piece := os.read(leader, 4096):
            shown += piece
    except OSError:
        pass  # Linux says so where the other end is closed
    os.close(leader)
    return making.wait(60), shown.decode()


@pytest.mark.thorough
def test_it_shows_how_far_it_is_and_passes_on_when_it_began(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = folder / "date"
    clock.write_text("#!/bin/sh\ntest -e .venv/.runtime && echo 2000 || echo 1000\n")
    clock.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")
    code, shown = on_a_terminal(folder, "demo", "STUDY=my study")
    assert code == 0, shown
    counted = re.findall(r"(\d+) of (\d+) (?:downloaded|unpacked)", shown)
    assert counted, shown
    assert counted[-1][1] == "3"
    assert re.search(r"Installed 3 libraries in \d+ s\.", shown)
    assert '["1000", ["demo", "--study", "my study"]]' in shown, "it began before anything was installed"
    code, shown = on_a_terminal(folder, "demo")
    assert (code, "librar" in shown) == (0, False)


@pytest.mark.thorough
def test_what_pip_refuses_is_shown_and_nothing_counts_as_installed(folder: Path) -> None:
    (folder / "alpha-1.0-py3-none-any.whl").write_bytes(b"something else")
    code, shown = on_a_terminal(folder, "demo")
    assert code != 0
    assert "HASHES" in shown
    assert not (folder / ".venv/.runtime").exists()


def heard() -> None:
    """What a shell starts in the background hears no Ctrl+C, and neither would what it starts."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def test_ctrl_c_is_answered_and_pip_ends(folder: Path) -> None:
    (folder / "pip.py").write_text("import time\nprint('Collecting alpha', flush=True)\ntime.sleep(600)\n")
    command = [sys.executable, "config/installing.py", ".venv/bin/python", "requirements.lock"]
    environment = {**os.environ, "PYTHONPATH": str(folder)}
    installing = subprocess.Popen(
        command, cwd=folder, stdout=subprocess.PIPE, text=True, env=environment, preexec_fn=heard
    )
    assert installing.stdout is not None
    assert "0 of 4 downloaded" in installing.stdout.readline()
    installing.send_signal(signal.SIGINT)
    said = installing.stdout.read()
    assert (installing.wait(30), "Stopped" in said) == (130, True)
