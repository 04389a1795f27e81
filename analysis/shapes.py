"""The order of keys in a result's JSON: PostgreSQL stores objects without one."""

from __future__ import annotations

from typing import Any

# From the whole to the detail, as docs/data-formats.md shows them; every key of every report.
ORDER = (
    "pairs",
    "pairs_left_out",
    "mean_of_pairs",
    "pooled",
    "by",
    "ladder",
    "planner",
    "disagreements",
    "generators",
    "generator_comparisons",
    "blocked_by_prompt",
    "adjusted_for_annotator",
    "weight_sensitivity",
    "generator_tests",
    "prompts",
    "prompt_groups",
    "error_types",
    "body_parts",
    "annotators",
    "distributions",
    "severity_sums",
    "settings",
    "omnibus",
    "means",
    "name",
    "generator",
    "prompt",
    "prompt_group",
    "batch",
    "quarter",
    "error_type",
    "body_part",
    "cell",
    "annotator",
    "annotations",
    "images",
    "mean",
    "variance",
    "median",
    "severity",
    "image_mean",
    "image_variance",
    "image_median",
    "severity_per_image",
    "cumulative_score",
    "overall_severity",
    "overall_severity_all_images",
    "cells",
    "cumulative_score_adjusted",
    "value",
    "low",
    "high",
    "n_units",
    "n_coders",
    "method",
    "refused",
    "alpha",
    "units",
    "level_of_measurement",
    "a",
    "b",
    "c",
    "images_a",
    "images_b",
    "mean_a",
    "mean_b",
    "prompts_shared",
    "a_lower",
    "b_lower",
    "difference",
    "f",
    "df1",
    "df2",
    "t",
    "df",
    "p",
    "p_holm",
    "hedges_g",
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
