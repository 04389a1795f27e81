"""The tests that the threat model names exist."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_every_test_it_names_is_there() -> None:
    page = (ROOT / "docs" / "explanation" / "threat-model.md").read_text()
    rows = [line for line in page.splitlines() if "`tests/" in line]
    assert len(rows) > 15
    missing = []
    for row in rows:
        folder = ROOT
        for name in re.findall(r"`((?:tests/|test_)[\w/.]+)`", row):
            # `test_b.py` after `tests/a/test_a.py` stands in the same folder.
            path = ROOT / name if name.startswith("tests/") else folder / name
            folder = path.parent
            if not path.exists():
                missing.append(name)
    assert missing == []


def test_security_md_sends_nobody_to_an_address_of_somebody() -> None:
    text = (ROOT / "SECURITY.md").read_text()
    assert "private vulnerability reporting" in text
    assert not re.search(r"[\w.]+@[\w.]+|https?://", text)
