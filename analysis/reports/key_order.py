"""The order of keys in a result's JSON, which PostgreSQL does not keep."""

from __future__ import annotations

from typing import Any

# From the whole to the detail, as docs/reference/data-formats.md shows them; every key of every report.
_KEYS = """
protocol
pairs pairs_left_out mean_of_pairs mean_of_pairs_estimates pooled adjusted_minus_raw over_annotators by
ladder coefficients images_needed disagreements generators balance adjusted generator_comparisons
mixed_model generators_by_prompt group_tests weights
generator_tests prompts prompt_groups error_types body_parts annotators distributions
severity_sums generator_cells answers program settings means name generator prompt prompt_group
batch quarter error_type body_part cell annotator annotations images
annotations_without_errors images_without_errors mean variance median severity
image_mean image_variance image_median severity_per_image cumulative_score overall_severity
overall_severity_all_images cells cumulative_score_adjusted value low high n_units n_coders computed_by
method refused caution a b c images_a images_b mean_a mean_b
difference simultaneous f df1 df2 t df p p_holm hedges_g undefined overall either
counts shares alone_counts alone_shares both same_affected same_total same_severity formula rows left_out
marked from to standard_error needed width image number scores one_sided marks
submitted
counted not_counted reason count components omitted twin standard_deviation share standard_deviation_estimate
share_estimate interaction prompts_left_out
raw_agreement positive_agreement negative_agreement gwet_ac1 weighted_kappa weighted_kappa_estimate
icc_agreement icc_consistency
pearson spearman correlations
doubly_annotated all_annotations sums marked_parts pins most generators_left_out adjusted_for
annotation_mean prompts_refused
balanced words prompt_counts spread state shift between by_annotation strips score next tested clear epsilon
order compared most_levels lines
verdict reasons last
references lately reference repeats short work timed median_ms fast_share unused anchors
fewest_anchors recent level fast_ms equal hasty repeat_pairs acceptable
sample severities across overlap random all ranking weighting windows ahead outside
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
