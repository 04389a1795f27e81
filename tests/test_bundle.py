"""The script that draws figures on pages is the one that draws the files."""

from __future__ import annotations

import pytest

from analysis.figures.bundle import BUNDLE, bundle


@pytest.mark.thorough  # changes only with the libraries
@pytest.mark.slow  # reads their scripts
def test_pages_draw_figures_with_what_draws_the_files() -> None:
    assert BUNDLE.read_text(encoding="utf-8") == bundle()
