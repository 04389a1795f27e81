"""A small bundle that would cost much to read: refused before it does."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from analysis.bundles.restoring.archive import Opened
from tests.analysis.bundles.making import kept_bundle, with_changed
from tests.analysis.bundles.test_bad_input import file_in, make_small, refusal

pytestmark = pytest.mark.django_db
SUMS = "sha256sums.txt"


@pytest.fixture
def bundle(tmp_path: Path) -> Path:
    """A bundle of three images and three answers; its project is gone."""
    return kept_bundle(make_small, tmp_path / "small.zip")


@pytest.mark.parametrize("again", ["README.txt", SUMS])
def test_a_file_listed_many_times_is_read_once(
    bundle: Path, again: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    listed = file_in(bundle, SUMS)
    line = next(line for line in listed.splitlines(keepends=True) if line.endswith(b"  README.txt\n"))
    more = line.replace(b"README.txt", again.encode()) * 10_000
    changed = with_changed(bundle, bundle.with_name("c.zip"), {SUMS: listed + more}, sums=False)
    reads: Counter[str] = Counter()
    pieces = Opened.pieces

    def counted(self: Opened, name: str) -> Iterator[bytes]:
        reads[name] += 1
        return pieces(self, name)

    monkeypatch.setattr(Opened, "pieces", counted)
    number = len(listed.splitlines()) + 1
    assert refusal(changed) == (
        f"{SUMS}, line {number}: {again} is unexpected; every other file is listed once. "
        "Export or copy the bundle again."
    )
    assert reads["README.txt"] == 1
