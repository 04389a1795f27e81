"""The size of a run's project."""

from __future__ import annotations

from typing import Final

PEOPLE: Final = 240
SMALL: Final = 1_000
"""Up to so many images everybody owes all of them. Of more, each has two annotators, and half of everybody's
queue is submitted already, so that the tables are as full as they would be."""

MARK: Final = "said "
"""Prefix of a program's reply in the process set."""


def queue(images: int, people: int) -> int:
    """Return the number of images of each annotator."""
    return images if images <= SMALL else 2 * images // people


def submitted_before(images: int, people: int) -> int:
    """Return each annotator's annotations before the run."""
    return 0 if images <= SMALL else queue(images, people) // 2
