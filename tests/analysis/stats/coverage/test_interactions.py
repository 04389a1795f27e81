"""Prompts that suit one generator: tests over images find too much, those over prompts keep their level."""

from __future__ import annotations

import pytest

from analysis.stats.coverage.interactions import share_apart
from analysis.stats.coverage.table import interaction_table

RUNS = 400


def test_only_the_test_over_prompts_keeps_its_level() -> None:
    """Within three standard errors (1.1 percentage points at 5%) of 400 studies."""
    found = share_apart(0.6, RUNS)
    assert found.over_images > 0.15
    assert found.over_prompts == pytest.approx(0.05, abs=0.033)
    without = share_apart(0.0, RUNS)
    assert without.over_images < 0.083
    assert without.over_prompts == pytest.approx(0.05, abs=0.033)
    assert share_apart(0.6, 5) == share_apart(0.6, 5)
    assert interaction_table([found]).splitlines()[-1].startswith("| 0.6 | ")
