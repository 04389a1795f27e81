"""`make check` runs the tests of the rooms that changed, and no others."""

from __future__ import annotations

import pytest

from tests.check import ALWAYS, rooms


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        ([], []),
        (["annotator/annotations/saving.py"], ["tests/annotator/annotations"]),
        (["analysis/stats/generic/alphas.py"], ["tests/analysis/stats/generic"]),
        (["analysis/stats/means.py", "analysis/stats/generic/alphas.py"], ["tests/analysis/stats"]),
        (
            ["templates/annotator/queue/queue.html", "static/css/labelling/questions.css"],
            ["tests/annotator/web"],
        ),
        (["templates/analysis/report/report.html"], ["tests/analysis/web"]),
        (["tests/annotator/work/test_jobs.py"], ["tests/annotator/work"]),
        (["tests/test_run.py"], ["tests/test_run.py"]),
        (["README.md", "Makefile"], []),
    ],
)
def test_rooms_of_changed_files(changed: list[str], expected: list[str]) -> None:
    assert rooms(changed) == [ALWAYS, *expected]
