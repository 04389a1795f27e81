"""Which failed tests `make test` tries once more."""

from __future__ import annotations

import pytest

from tests.run import to_try_again

SAVING = "tests/browser/test_saving.py::test_a_cut_line[after the commit]"
REDIS = "tests/config/deploy/test_restarts.py::test_a_worker_outlives_redis"
QUEUE = "tests/browser/test_queue.py::test_next"


@pytest.mark.parametrize(
    ("said", "names"),
    [
        (f"FAILED {SAVING} - TimeoutError: - late", [SAVING]),
        (f"FAILED {REDIS} - late\nFAILED {QUEUE} - late", [REDIS, QUEUE]),
        (f"FAILED {QUEUE}\nERROR {QUEUE} - late\n1 failed, 1 error", [QUEUE]),
        (
            f"FAILED {QUEUE} - late\nFAILED {SAVING} - late\nFAILED {QUEUE}[2] - x",
            [QUEUE, SAVING, f"{QUEUE}[2]"],
        ),
    ],
)
def test_a_few_that_may_be_late(said: str, names: list[str]) -> None:
    assert to_try_again(f"....F..\n=== short test summary info ===\n{said}") == names


@pytest.mark.parametrize(
    "said",
    [
        "",
        "4 passed",
        "FAILED tests/annotator/test_queue.py::test_next - assert 1 == 2",
        "FAILED tests/config/operations/test_lights.py::test_red - assert 1 == 2",
        f"FAILED {QUEUE} - late\nFAILED tests/annotator/test_queue.py::test_next - assert 1 == 2",
        "\n".join(f"FAILED {QUEUE}[{number}] - late" for number in range(4)),
        "ERROR tests/browser/test_queue.py - ImportError",
        f"SKIPPED [1] {QUEUE}: no Chromium",
    ],
)
def test_nothing_else(said: str) -> None:
    assert to_try_again(said) == []
