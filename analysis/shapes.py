"""The order of keys in a result's JSON: PostgreSQL stores objects without one."""

from __future__ import annotations

from typing import Any

# From the whole to the detail, as docs/data-formats.md shows them; every key of every report.
ORDER = (
    "pairs",
    "mean_of_pairs",
    "pooled",
    "generators",
    "generator_tests",
    "prompts",
    "prompt_groups",
    "error_types",
    "body_parts",
    "annotators",
    "generator",
    "prompt",
    "prompt_group",
    "error_type",
    "body_part",
    "annotator",
    "annotations",
    "images",
    "mean",
    "variance",
    "severity",
    "cumulative_score",
    "overall_severity",
    "overall_severity_all_images",
    "cells",
    "alpha",
    "units",
    "level_of_measurement",
    "a",
    "b",
    "c",
    "t",
    "df",
    "p",
    "undefined",
)
_PLACES = {key: place for place, key in enumerate(ORDER)}


def in_order(value: Any) -> Any:
    """The same JSON value with the keys of its objects in documented order, unknown ones last by name."""
    if isinstance(value, dict):
        keys = sorted(value, key=lambda key: (_PLACES.get(key, len(ORDER)), key))
        return {key: in_order(value[key]) for key in keys}
    if isinstance(value, list):
        return [in_order(item) for item in value]
    return value
