"""The methods paragraph of an agreement report."""

from __future__ import annotations

from analysis.tables.methods import LIBRARY, Result, classification, computed_with, counted, scores

_COEFFICIENTS = (
    "For cells, raw, positive and negative agreement and Gwet's AC1 (Gwet 2008) are given beside alpha; for "
    "scores, intraclass correlations (McGraw and Wong 1996)."
)


def agreement_methods(result: Result) -> str:
    """Return the paragraph from an agreement report's settings."""
    settings = result["settings"]
    pooled = result["pooled"]["cumulative_score"]
    if not pooled["n_units"]:
        return f"No image was annotated by two annotators. {computed_with(result)}"
    return " ".join(
        filter(
            None,
            [
                f"Agreement was measured on {counted(pooled['n_units'], 'image')} that at least two of "
                f"{counted(pooled['n_coders'], 'annotator')} had annotated.",
                classification(),
                scores(result),
                "Krippendorff's alpha (Krippendorff 2018) was computed at the interval level for cumulative "
                "scores, at the ordinal level for overall severity and at the nominal level for whether each "
                "of the 25 cells was marked.",
                _bands(settings),
                _COEFFICIENTS,
                point_estimates(result),
                resampling(result),
                computed_with(result),
            ],
        )
    )


def _bands(settings: Result) -> str:
    """Return the populations of the bands and of adjusted scores."""
    found = settings["populations"]
    return (
        f"Overall severity, shared images, was graded in {found['overall_severity']}. Overall severity was "
        f"graded in {found['overall_severity_all_images']}. Adjusted cumulative scores are "
        f"{found['cumulative_score_adjusted']}."
    )


def resampling(result: Result) -> str:
    """Return how intervals were made: what was resampled, and what was held fixed."""
    settings = result["settings"]
    intervals = settings["intervals"]
    return (
        f"Confidence intervals ({100 * settings['confidence']:.0f}%) resample images: {intervals['large']}, "
        f"{settings['replicates']:,} replicates, seed {settings['seed']}; {intervals['small']}. Annotators "
        f"and prompts were held fixed{_for_others(result)}. No interval was computed from fewer than "
        f"{settings['fewest_images']} images."
    )


def _for_others(result: Result) -> str:
    """Return what the intervals for other annotators are; empty without any."""
    found = result.get("over_annotators", {}).get("cumulative_score")
    if found is None or found["low"] is None:
        return ""
    return f"; intervals for other annotators are by {found['method']}, Student's t"


def point_estimates(result: Result) -> str:
    """Return the sentence on what computed the alphas; empty without any."""
    made = result["settings"]["point_estimates"]
    if not made[LIBRARY] + made["closed_form"]:
        return ""
    by_library, every = made[LIBRARY], made[LIBRARY] + made["closed_form"]
    text = f"Of {every:,} alphas {by_library:,} are values of krippendorff.alpha"
    if by_library == every:
        text = f"All {every:,} alphas are values of krippendorff.alpha"
    else:
        text += (
            f", the others, with more than {made['most_entries']:,} units × values² (for pairs together more "
            f"than {made['most_entries_of_pairs']:,}), of its closed form, which is equal to 1e-12"
        )
    if left_out := result["pairs_left_out"]:
        text += f"; the means of pairs also hold {counted(left_out, 'pair')} not listed, in closed form"
    return f"{text}."
