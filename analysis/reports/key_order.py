"""The order of keys in a result's JSON, which PostgreSQL does not keep."""

from __future__ import annotations

from typing import Any

# From the whole to the detail, as docs/reference/data-formats.md shows them; every key of every report.
_KEYS = """
protocol tables findings figures model strips pairs pairs_left_out mean_of_pairs mean_of_pairs_estimates
pooled adjusted_minus_raw over_annotators by ladder coefficients images_needed disagreements generators
balance weights prompts prompt_groups error_types body_parts annotators answers conduct program settings means
name generator prompt prompt_group batch quarter error_type body_part cell annotator annotations images mean
variance median severity cumulative_score overall_severity overall_severity_all_images cells
cumulative_score_adjusted value low high n_units n_coders computed_by method refused caution a b c
difference t df p p_holm undefined overall either counts shares alone_counts alone_shares both same_affected
same_total same_severity rows left_out marked from to standard_error needed width image number scores
one_sided marks submitted counted not_counted reason count components twin standard_deviation share
raw_agreement positive_agreement negative_agreement gwet_ac1 weighted_kappa weighted_kappa_estimate
icc_agreement icc_consistency pearson spearman correlations doubly_annotated all_annotations words shift
score next order compared most_levels lines verdict reasons last references lately reference repeats short
work timed median_ms fast_share unused anchors fewest_anchors recent level fast_ms equal hasty repeat_pairs
acceptable sample severities across overlap random all windows ahead outside people left standings planned
open skipped withdrawn imported training norming sessions guidelines changes interim
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
