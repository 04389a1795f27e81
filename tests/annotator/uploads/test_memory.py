"""What reading and storing take of memory does not grow with the number of files."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest
from django.conf import settings


def peak(files: int) -> dict[str, Any]:
    """Megabytes of a process that reads and stores so many small files."""
    command = [sys.executable, "benchmarks/bench_uploads.py", "--memory-of", str(files)]
    done = subprocess.run(command, cwd=settings.BASE_DIR, capture_output=True, text=True, check=True)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


@pytest.mark.timeout(1200)
@pytest.mark.thorough
def test_three_thousand_files_take_no_more_than_five_hundred() -> None:
    few, many = peak(500), peak(3_000)
    # A list of 2,500 rows with their names would take 6 MB.
    assert many["worker MB"] - few["worker MB"] < 5
    assert many["decoder MB"] - few["decoder MB"] < 5
