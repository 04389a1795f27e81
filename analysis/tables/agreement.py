"""What an agreement report finds and how it was made, in sentences, for every protocol."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from analysis.stats.generic.tables import row_of, rows_of
from analysis.tables.methods import LIBRARY, classification, computed_with, scores
from analysis.tables.wording import BETWEEN, PLACES, Finding, counted, limits, rounded, with_interval
from scoring.rounding import percent

# Krippendorff's customary bounds.
TENTATIVE: Final = 0.667
RELIABLE: Final = 0.8
FEWEST_IMAGES: Final = 20
"""Doubly annotated images below which agreement is not called that of chance."""
LOST: Final = {
    "both": "on whether the cell has an error",
    "same_affected": "on the number of affected parts",
    "same_total": "on the total",
    "same_severity": "on the severity",
}

Result = Mapping[str, Any]
Row = Mapping[str, Any]


def is_chance(alpha: Result) -> bool:
    """Return whether an alpha cannot be told from chance although there are enough images to see it."""
    return alpha["low"] is not None and alpha["n_units"] >= FEWEST_IMAGES and alpha["low"] <= 0


def in_words(alpha: Result) -> str:
    """Return how well annotators agree, as the beginning of a sentence; `alpha` has an interval."""
    if is_chance(alpha):
        return "Agreement is not clearly better than chance"
    if alpha["low"] <= 0:
        return "Too few images to tell whether annotators agree"
    if alpha["low"] >= RELIABLE:
        return "Annotators agree well"
    if alpha["low"] >= TENTATIVE:
        return "Annotators agree well enough for tentative conclusions"
    part, likely = "Annotators agree in part", "Annotators seem to agree, but it is not certain"
    return part if alpha["value"] < TENTATIVE else likely


def agreement_heading(result: Result) -> tuple[str, str]:
    """Return the heading of an agreement report and the sentence below it."""
    row = row_of(result, "headline_alpha")
    alpha, measure = row["pooled"], row["variable"]
    if alpha["value"] is None:
        return "Agreement is not known", f"{measure}: alpha cannot be computed: {alpha['refused']}."
    where = f"over {_images(alpha)} annotated by two or more of {alpha['n_coders']:,} annotators"
    value = rounded(alpha["value"], PLACES)
    if alpha["low"] is None:
        why = alpha["refused"]
        unknown = "How well annotators agree is not known"
        return unknown, f"{measure}: alpha is {value}, {where}, without interval: {why}."
    scale = f"1 is perfect agreement, 0 is chance; {TENTATIVE} is the usual minimum"
    return in_words(alpha), f"{measure}: alpha is {value} ({limits(alpha)}), {where}. {scale}."


def _alpha(row: Row, _: Result) -> Finding:
    estimate = row["pooled"]
    measure = f"{row['variable']}: alpha" if row["level"] else row["variable"]
    if estimate["value"] is None:
        return Finding("refused", f"{measure} is not defined: {estimate['refused']}.")
    if estimate["low"] is None:
        why = f"no interval: {estimate['refused']}"
        value = rounded(estimate["value"], PLACES)
        return Finding("note", f"{measure} is {value} over {_images(estimate)}; {why}.")
    return Finding("note", f"{measure} is {with_interval(estimate)} over {_images(estimate)}.")


def _headline_alpha(row: Row, result: Result) -> Finding:
    """Say alpha of the headline, and what it is good for by the customary bounds."""
    plain, alpha = _alpha(row, result), row["pooled"]
    if alpha["low"] is None:
        return Finding("refused", plain.text)
    kind, words = "clear", "By convention, this is enough for tentative conclusions (at least 0.667)."
    if alpha["low"] <= 0 and not is_chance(alpha):
        kind, words = "open", f"These are too few images to judge it: at least {FEWEST_IMAGES} are needed."
    elif alpha["low"] >= RELIABLE:
        words = "By convention, this is reliable: the whole interval is at least 0.800."
    elif alpha["high"] < TENTATIVE:
        words = "By convention, this is too low even for tentative conclusions (below 0.667)."
    elif alpha["low"] < TENTATIVE:
        kind, words = "open", "By convention, tentative conclusions need 0.667, which the interval includes."
    return Finding(kind, f"{plain.text} {words}")


def _other_annotators(row: Row, _: Result) -> Finding:
    estimate_of_others, fixed = row["others"], "Intervals hold for these annotators and prompts"
    if estimate_of_others["low"] is None:
        return Finding(
            "note", f"{fixed}. For other annotators there is no interval: {estimate_of_others['refused']}."
        )
    others = "With other annotators like these, alpha may lie anywhere from"
    return Finding("note", f"{fixed}. {others} {limits(estimate_of_others)}.")


def _images_needed(row: Row, result: Result) -> Finding:
    needed, images = result["settings"]["images_needed"], row["images"]
    return Finding(
        "note",
        f"{row['variable']}: an interval of ± {needed['width']:.2f} needs about {needed['needed']:,} "
        f"({needed['low']:,} to {needed['high']:,}) doubly annotated images; there are {images:,}.",
    )


def _pair_range(row: Row, result: Result) -> Finding:
    """Say between which pairs alpha of the headline lies, and its mean as published."""
    pairs = [pair for pair in rows_of(result, "pairs") if pair["variable"] == row["variable"]]
    known = [pair for pair in pairs if pair["agreement"]["value"] is not None]
    if len(known) < 2:
        return Finding("refused", f"{row['variable']}: fewer than two pairs of annotators have an alpha.")
    low, high = (pick(known, key=lambda pair: pair["agreement"]["value"]) for pick in (min, max))
    sizes = sorted({pair["images"] for pair in known})
    images = f"{sizes[0]:,}" if len(sizes) == 1 else f"{sizes[0]:,} to {sizes[-1]:,}"
    mean = row["mean_of_pairs"]
    published = "" if mean is None else f"; the mean of the pairs, as published, is {rounded(mean, PLACES)}"
    if low["agreement"]["value"] == high["agreement"]["value"]:
        alpha = f"alpha of every pair is {rounded(low['agreement']['value'], PLACES)}"
    else:
        alpha = "alpha is from " + " to ".join(
            f"{with_interval(pair['agreement'])} ({BETWEEN.join(pair['annotators'])})" for pair in (low, high)
        )
    return Finding("note", f"{row['variable']}: by pair ({images} images each), {alpha}{published}.")


def _ladder(row: Row, _: Result) -> Finding:
    shares = {rung: row[rung]["value"] for rung in LOST}
    if None in shares.values():
        return Finding("refused", f"Where agreement is lost is not known: {row['both']['refused']}.")
    before = dict(zip(shares, [1.0, *list(shares.values())[:-1]], strict=True))
    lost = max(shares, key=lambda rung: before[rung] - shares[rung])
    step = f"; most agreement is lost {LOST[lost]}" if before[lost] > shares[lost] else ""
    return Finding(
        "note",
        f"Of {row['either']:,} cells that at least one of two annotators marked, both marked "
        f"{percent(shares['both'])}% and entered the same in {percent(shares['same_severity'])}%{step}.",
    )


def _images(alpha: Result) -> str:
    return counted(alpha["n_units"], "image")


SENTENCES: Final[Mapping[str, Callable[[Row, Result], Finding]]] = {
    "headline_alpha": _headline_alpha,
    "alpha": _alpha,
    "other_annotators": _other_annotators,
    "images_needed": _images_needed,
    "pair_range": _pair_range,
    "ladder": _ladder,
}


def agreement_methods(result: Result) -> str:
    """Return the methods paragraph of an agreement report."""
    settings = result["settings"]
    if not settings["images"]:
        return f"No image was annotated by two annotators. {computed_with(result)}"
    measured = [_protocol(result["protocol"])] if "protocol" in result else []
    if "weights" in settings:
        measured = [classification(), scores(result), _SEVERITY]
    return " ".join(
        [
            f"Agreement was measured on {counted(settings['images'], 'image')} that at least two of "
            f"{counted(settings['annotators'], 'annotator')} had annotated.",
            *measured,
            "Krippendorff's alpha (Krippendorff 2018) is at each measure's level of measurement; beside that "
            "of nominal values stand AC1 (Gwet 2008) and, of marks, positive agreement.",
            f"Alphas are values of {LIBRARY}.alpha or, where its arrays would be too large, of the closed "
            "form, equal to 1e-12.",
            f"Confidence intervals ({100 * settings['confidence']:.0f}%) resample whole images: "
            "bias-corrected and accelerated bootstrap (Efron 1987) with expanded percentiles (Hesterberg "
            f"2015), {settings['replicates']:,} replicates, seed {settings['seed']}; below 7 images "
            "jackknife and Student's t. They hold for these annotators and prompts; those for other "
            "annotators are by a jackknife over images and annotators.",
            computed_with(result),
        ]
    )


_SEVERITY: Final = (
    "Overall severity is low, medium or high, cut at the median and the upper quartile of an annotator's "
    "scores: of all of them, and by pair, as published, of the images that the pair shares. ICC(A,1) (McGraw "
    "and Wong 1996) is from variance components by restricted maximum likelihood."
)


def _protocol(protocol: Result) -> str:
    source = protocol.get("shown_from")
    converted = f" The annotations were made under the protocol “{source}” and converted." if source else ""
    return f"Images were annotated under the protocol “{protocol['title']}”.{converted}"
