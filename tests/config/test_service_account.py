"""A command typed as root leaves nothing that the services cannot write."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from django.conf import settings

SERVICE = 12_345
WRITES = """
import os, sys
from pathlib import Path
from config.service_account import run_as_owner
folder = Path(sys.argv[1])
run_as_owner(folder / "none", folder / "of-root", folder / "var")
(folder / "var" / "new").mkdir()
print(os.getuid(), os.getgid(), os.getgroups())
"""

needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can become somebody else")


def written_by(folder: Path) -> str:
    command = [sys.executable, "-c", WRITES, str(folder)]
    return subprocess.run(command, cwd=settings.BASE_DIR, capture_output=True, text=True, check=True).stdout


@needs_root
def test_root_becomes_the_owner_of_the_data() -> None:
    # Not below pytest's folder, which only root may enter.
    with TemporaryDirectory() as folder:
        home = Path(folder)
        home.chmod(0o755)
        for name in ("of-root", "var"):
            (home / name).mkdir()
        os.chown(home / "var", SERVICE, SERVICE)
        assert written_by(home) == f"{SERVICE} {SERVICE} [{SERVICE}]\n"
        assert (home / "var" / "new").stat().st_uid == SERVICE


@needs_root
def test_without_an_account_root_stays_root(tmp_path: Path) -> None:
    (tmp_path / "var").mkdir()
    assert written_by(tmp_path).startswith("0 0 ")
