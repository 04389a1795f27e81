"""Frictionless, without what it changes for everybody."""

from __future__ import annotations

import csv
from typing import Any

import frictionless


def validate(descriptor: str) -> Any:
    """Frictionless's report on a data package.

    Reading a table, it lifts Python's own limit of a CSV field for the whole process; our readers rely on it.
    """
    limit = csv.field_size_limit()
    try:
        return frictionless.validate(descriptor)
    finally:
        csv.field_size_limit(limit)
