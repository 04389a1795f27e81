"""The order of keys in a result's JSON, which PostgreSQL does not keep."""

from __future__ import annotations

from typing import Any

# From the whole to the detail, as docs/reference/data-formats.md shows them; every key of every report.
_KEYS = """
protocol stages first second across data_set suggestions tables findings figures model strips lines answers
conduct targeted drawn_unknown mixed_arms overlap program settings slug kind code table name title headline
shown_from words line columns rows row unit meaning label value low high n_units n_coders computed_by method
refused places width needed annotations images annotators generator image score next cell marks submitted
counted partly_unread not_counted reason count annotator verdict reasons last references anchors overall
lately reference repeats pairs alpha shift work timed median_ms fast_share severities unused random all people
left planned open skipped withdrawn imported training norming standings sessions guidelines changes interim
"""
ORDER = tuple(_KEYS.split())
_PLACES = {key: place for place, key in enumerate(ORDER)}


def in_order(value: Any) -> Any:
    """Return the JSON value with its keys in documented order, unknown ones last by name."""
    if isinstance(value, dict):
        keys = sorted(value, key=lambda key: (_PLACES.get(key, len(ORDER)), key))
        return {key: in_order(value[key]) for key in keys}
    if isinstance(value, list):
        return [in_order(item) for item in value]
    return value
