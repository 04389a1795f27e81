"""Methods paragraphs for a paper, from a report's settings."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from analysis.tables.table import rounded
from scoring.grid.taxonomy import SEVERITIES, SEVERITY_TITLES

LIBRARY = "krippendorff"
# In the order in which the paragraph cites them.
REFERENCES = (
    "P. Muhr et al. (2024), Evaluating text-to-image generated photorealistic images of human anatomy, "
    "Cureus 16(11), e74193.",
    "B. L. Welch (1947), The generalization of “Student's” problem when several different population "
    "variances are involved, Biometrika 34, 28–35.",
    "O. J. Dunn (1961), Multiple comparisons among means, Journal of the American Statistical Association "
    "56, 52–64.",
    "S. Holm (1979), A simple sequentially rejective multiple test procedure, Scandinavian Journal of "
    "Statistics 6, 65–70.",
    "L. V. Hedges (1981), Distribution theory for Glass's estimator of effect size and related estimators, "
    "Journal of Educational Statistics 6, 107–128.",
    "K.-Y. Liang, S. L. Zeger (1986), Longitudinal data analysis using generalized linear models, Biometrika "
    "73, 13–22.",
    "K. Krippendorff (2018), Content Analysis: An Introduction to Its Methodology, 4th edition, Sage.",
    "J. Cohen (1988), Statistical Power Analysis for the Behavioral Sciences, 2nd edition, Erlbaum.",
    "C. J. Clopper, E. S. Pearson (1934), The use of confidence or fiducial limits illustrated in the case "
    "of the binomial, Biometrika 26, 404–413.",
    "T. C. Hesterberg (2015), What teachers should know about the bootstrap, The American Statistician 69, "
    "371–386.",
)


def methods(result: Mapping[str, Any]) -> str:
    """Return the methods paragraph of a comparison; empty for a result without settings."""
    settings = result.get("settings")
    if not settings or "weights" not in settings:
        return ""
    return " ".join(
        (_population(settings), _scores(settings), _unit(settings), _tests(result), computed_with(settings))
    )


def _population(settings: Mapping[str, Any]) -> str:
    several = settings["images_judged_more_than_once"]
    twice = "none of them more than once" if not several else f"{several:,} of them more than once"
    people = settings["annotators"]
    return (
        f"{_counted(people, 'annotator')} made {_counted(settings['annotations'], 'annotation')} of "
        f"{_counted(settings['images'], 'image')}, {twice}, marking errors of five types on five body parts "
        "in three severities (Muhr et al. 2024)."
    )


def _scores(settings: Mapping[str, Any]) -> str:
    weights = ", ".join(
        f"{rounded(settings['weights'][severity], 2)} for {SEVERITY_TITLES[severity]}"
        for severity in SEVERITIES
    )
    return (
        "The cumulative score of an annotation is the sum over all marks of affected over total body parts, "
        f"weighted by severity ({weights} errors)."
    )


def _unit(settings: Mapping[str, Any]) -> str:
    decided = settings["images_adjudicated"]
    adjudicated = f", or the adjudicated value where there was one ({decided:,})" if decided else ""
    return (
        "The image was the unit of analysis: scores of an image judged more than once were averaged"
        f"{adjudicated}. Means are given with {100 * settings['confidence']:.0f} % intervals by Student's t."
    )


def _tests(result: Mapping[str, Any]) -> str:
    parts = [
        "Generators were compared pairwise by Welch's two-sided test for unequal variances (Welch 1947), "
        "corrected for the number of pairs (Holm 1979); effect sizes are Hedges' g with intervals from its "
        "large-sample variance (Hedges 1981)."
    ]
    if any("simultaneous" in test for test in result["generator_comparisons"]):
        parts.append("Joint intervals of differences are Bonferroni's (Dunn 1961).")
    adjusted = result.get("adjusted") or {"refused": ""}
    if adjusted["refused"] is None:
        parts.append(
            f"Differences and means adjusted for {' and '.join(adjusted['adjusted_for'])} are those of "
            "least squares over images with standard errors clustered by image (Liang and Zeger 1986)."
        )
    if result["blocked_by_prompt"]["omnibus"]["refused"] is None:
        parts.append(
            "Differences in prompt difficulty were accounted for by the F test of the additive model of "
            "generator and prompt, and by paired t tests over prompt means."
        )
    if result["adjusted_for_annotator"]["refused"] is None:
        parts.append(
            "Differences in leniency were accounted for by least squares with the annotator as a fixed "
            "effect and standard errors clustered by image (Liang and Zeger 1986)."
        )
    if result.get("mixed_model", {}).get("pairs"):
        parts.append(
            "A mixed model of annotations with random effects of annotator, prompt, generator by prompt, "
            "and image (REML, Satterthwaite's degrees of freedom) generalises to other annotators and "
            "prompts. In the other tests, annotators are fixed, and so are prompts unless they are the unit."
        )
    elif len(result["generators"]) > 1:
        parts.append("Annotators and prompts are fixed in all tests.")
    return " ".join(parts)


def computed_with(settings: Mapping[str, Any]) -> str:
    """Return the last sentence, which names the software versions."""
    names = {"python": "Python", "numpy": "NumPy", "scipy": "SciPy", "pandas": "pandas"}
    used = {
        name: text
        for name, text in settings["versions"].items()
        # Older results name the library although it computed nothing.
        if name != LIBRARY or settings.get("point_estimates", {}).get(LIBRARY)
    }
    versions = ", ".join(f"{names.get(name, name)} {text}" for name, text in used.items())
    return f"Computed with Anatomark ({versions})."


def agreement_methods(result: Mapping[str, Any]) -> str:
    """Return the methods paragraph of an agreement report; empty for a result without settings."""
    settings = result.get("settings")
    if not settings or "replicates" not in settings:
        return ""
    pooled = result["pooled"]["cumulative_score"]
    if not pooled["n_units"]:
        return f"No image has annotations from two annotators. {computed_with(settings)}"
    intervals = settings["intervals"]
    return (
        f"Agreement was measured on {_counted(pooled['n_units'], 'image')} that at least two of "
        f"{_counted(pooled['n_coders'], 'annotator')} had annotated, by Krippendorff's alpha (2018) "
        "at the interval level for cumulative scores, ordinal for overall severity (low, medium and high cut "
        "at the median and the upper quartile of each annotator's scores) and nominal for whether each of "
        f"the 25 cells was marked. {_point_estimates(result)}"
        f"Intervals of {100 * settings['confidence']:.0f} % resample images: "
        f"{intervals['large']}, {settings['replicates']:,} replicates, seed {settings['seed']}; "
        f"{intervals['small']}. Fewer than {settings['fewest_images']} images were not analysed. "
        f"{computed_with(settings)}"
    )


def _point_estimates(result: Mapping[str, Any]) -> str:
    """Return the sentence on what computed the alphas; empty for a result stored without it."""
    made = result["settings"].get("point_estimates")
    if not made or not made[LIBRARY] + made["closed_form"]:
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
        text += f"; the means of pairs also hold {_counted(left_out, 'pair')} not listed, in closed form"
    return f"{text}. "


def _counted(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"
