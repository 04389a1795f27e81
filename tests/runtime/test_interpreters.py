"""The choice of Python versions."""

from __future__ import annotations

import sys
from pathlib import Path

from tests.runtime.interpreters import Interpreter, chosen, interpreters

DEBIAN = Interpreter((3, 11, 2), Path("/one"))
BUILT = Interpreter((3, 11, 7), Path("/two"))
NEWEST = Interpreter((3, 13, 0), Path("/three"))


def test_the_oldest_is_checked_and_the_newest_where_all_are_asked_for() -> None:
    found = [DEBIAN, BUILT, NEWEST]
    assert chosen(found, every=False) == [DEBIAN]
    assert chosen(found, every=True) == [DEBIAN, NEWEST]
    assert chosen([DEBIAN, BUILT], every=True) == [DEBIAN]


def test_only_what_runs_and_is_no_environment_is_found(tmp_path: Path) -> None:
    for name, text in {"python3.12": "exit 1", "python3.13": "echo '[[3, 10, 1], \"/x\", true]'"}.items():
        (tmp_path / name).write_text(f"#!/bin/sh\n{text}\n")
        (tmp_path / name).chmod(0o755)
    assert interpreters([tmp_path]) == []
    real = Path(sys.base_prefix, "bin", "python3").resolve()
    (tmp_path / "python3").symlink_to(real)
    assert interpreters([tmp_path]) == [Interpreter(sys.version_info[:3], real)]
    if sys.prefix != sys.base_prefix:
        assert interpreters([Path(sys.prefix, "bin")]) == []
