"""What agreement reports say, from numbers made by hand."""

from __future__ import annotations

from typing import Any

import pytest

from analysis.tables.agreement.findings import agreement_findings, agreement_heading
from analysis.tables.lines import line_of

Values = dict[str, Any]
NEEDED: Values = {"width": 0.1, "images": 60, "needed": 1305, "low": 560, "high": 4420}


def estimate(value: float | None, low: float | None = None, high: float | None = None, **more: Any) -> Values:
    refused = "too few: 3 images" if value is None or low is None else None
    return {
        "value": value,
        "low": low,
        "high": high,
        "n_units": 60,
        "n_coders": 4,
        "refused": refused,
        **more,
    }


def result(score: Values, adjusted: Values, gap: Values | None = None) -> Values:
    rungs = ("both", "same_affected", "same_total", "same_severity")
    shares = {rung: estimate(value) for rung, value in zip(rungs, (0.9, 0.8, 0.2, 0.1), strict=True)}
    ladder = {"name": "all cells", "either": 436, "shares": shares}
    bands, cells = estimate(0.69, 0.51, 0.81), estimate(0.45, 0.38, 0.51)
    pair = {"annotators": ["b", "c"], "images": 7, "cumulative_score": estimate(-0.05, -0.66, 0.56)}
    other = {"annotators": ["a", "b"], "images": 12, "cumulative_score": estimate(0.83, 0.58, 1.0)}
    return {
        "pooled": {
            "cumulative_score": score,
            "cumulative_score_adjusted": adjusted,
            "overall_severity": bands,
            "overall_severity_all_images": {
                **bands,
                "caution": "bands cut from as few as 9 scores: alpha is too low on average",
            },
            "cells": cells,
        },
        "over_annotators": {"cumulative_score": estimate(0.55)},
        "adjusted_minus_raw": gap or estimate(None),
        "mean_of_pairs": {"cumulative_score": 0.39},
        "mean_of_pairs_estimates": {"cumulative_score": estimate(0.39)},
        "pairs": [pair, other],
        "by": {
            "error_type": [{"name": "missing", "cells": cells}, {"name": "extra", "cells": bands}],
            "body_part": [{"name": "torso", "cells": estimate(None)}],
        },
        "ladder": {"overall": [ladder]},
        "images_needed": NEEDED,
    }


@pytest.mark.parametrize(
    ("low", "value", "high", "kind", "words"),
    [
        (0.82, 0.9, 0.95, "clear", "reliable by convention"),
        (0.7, 0.8, 0.9, "clear", "enough for tentative conclusions by convention (at least 0.667)"),
        (0.3, 0.55, 0.72, "open", "whether these annotators reach it is open"),
        (0.1, 0.3, 0.5, "clear", "too low even for tentative conclusions"),
        (None, 0.5, None, "refused", "It has no interval: too few: 3 images."),
        (None, None, None, "refused", "Agreement on the score cannot be computed: too few: 3 images."),
    ],
)
def test_the_first_sentence(
    low: float | None, value: float | None, high: float | None, kind: str, words: str
) -> None:
    first = agreement_findings(result(estimate(value, low, high), estimate(0.8, 0.7, 0.9)))[0]
    assert first.kind == kind
    assert words in first.text


@pytest.mark.parametrize(
    ("low", "value", "heading"),
    [
        (0.82, 0.9, "Annotators agree well"),
        (0.7, 0.8, "Annotators agree well enough for tentative conclusions"),
        (0.3, 0.55, "Annotators agree in part"),
        (0.5, 0.7, "Annotators seem to agree, but it is not certain"),
        (-0.1, 0.1, "Agreement is not clearly better than chance"),
        (None, 0.5, "How well annotators agree is not known"),
        (None, None, "Agreement is not known"),
    ],
)
def test_the_heading_is_the_finding(low: float | None, value: float | None, heading: str) -> None:
    found, below = agreement_heading(result(estimate(value, low, 0.95), estimate(0.8, 0.7, 0.9)))
    assert found == heading
    if low == 0.3:
        assert below == (
            "Alpha of the score is 0.55 (0.30 to 0.95), over 60 images annotated by two or more of 4 "
            "annotators. 1 is perfect agreement, 0 is chance; 0.667 is the usual minimum."
        )
    few = estimate(0.1, -0.1, 0.3) | {"n_units": 12}
    assert agreement_heading(result(few, few))[0] == "Too few images to tell whether annotators agree"
    assert agreement_heading({}) == ("", "")


def test_every_sentence() -> None:
    score, adjusted = estimate(0.553, 0.305, 0.721), estimate(0.757, 0.56, 0.85)
    made = result(score, adjusted, estimate(0.204, 0.04, 0.45))
    made["over_annotators"] = {"cumulative_score": estimate(0.553, -0.133, 1.0)}
    made["mean_of_pairs_estimates"] = {"cumulative_score": estimate(0.39, 0.1, 0.6)}
    found = agreement_findings(made)
    assert [finding.text for finding in found] == [
        "Krippendorff's alpha of the score is 0.55 [0.31, 0.72], over 60 images and 4 annotators. By "
        "convention 0.667 is enough for tentative conclusions; whether these annotators reach it is open, "
        "because the interval includes it.",
        "Intervals apply to these annotators and prompts. With other annotators like these, alpha may lie "
        "anywhere from −0.13 to 1.00.",
        "With every annotator's scores brought to one mean and spread, alpha of the score is 0.76 [0.56, "
        "0.85], a difference of 0.20 [0.04, 0.45]: part of the disagreement is that some annotators are "
        "stricter.",
        "Alpha is 0.69 [0.51, 0.81] for the overall severity of an image (low, medium or high; bands cut "
        "from as few as 9 scores: alpha is too low on average) and 0.45 [0.38, 0.51] for whether a cell has "
        "an error.",
        "Of 436 cells that at least one of two annotators marked, both marked 90% and entered the same in "
        "10%; most agreement is lost on the total.",
        "An interval of ± 0.10 needs about 1,305 (560 to 4,420) doubly annotated images; there are 60.",
        "By pair (7 to 12 images each), alpha of the score ranges from −0.05 [−0.66, 0.56] (b – c) to 0.83 "
        "[0.58, 1.00] (a – b); the unweighted mean of the pairs, as in the published study, is 0.39 "
        "[0.10, 0.60].",
        "Among error types, agreement is highest on extra (0.69 [0.51, 0.81]) and lowest on missing (0.45 "
        "[0.38, 0.51]).",
    ]


def test_a_folded_section_says_that_its_bands_are_cut_from_few_scores() -> None:
    line = line_of("agreement", "all", result(estimate(0.55, 0.3, 0.74), estimate(0.7, 0.5, 0.8)))
    assert line is not None
    assert line.text.endswith(
        "; overall severity 0.69 [0.51, 0.81] (too low on average), cells 0.45 [0.38, 0.51]"
    )


@pytest.mark.parametrize(
    ("low", "high", "kind", "words"),
    [
        (-0.05, 0.3, "open", "The data do not show whether leniency explains any disagreement."),
        (0.004, 0.3, "open", "The data do not show whether leniency explains any disagreement."),
        (0.01, 0.3, "clear", "part of the disagreement is that some annotators are stricter."),
        (-0.3, -0.01, "clear", "adjusted scores agree less."),
    ],
)
def test_leniency_is_concluded_from_the_interval_of_the_difference(
    low: float, high: float, kind: str, words: str
) -> None:
    """A higher value alone was called leniency in a quarter of simulated studies without any."""
    gap = estimate((low + high) / 2, low, high)
    found = agreement_findings(result(estimate(0.55, 0.3, 0.7), estimate(0.7, 0.5, 0.8), gap))
    (said,) = (finding for finding in found if "one mean and spread" in finding.text)
    assert said.kind == kind
    assert said.text.endswith(words)


def test_too_few_annotators_for_others_are_said() -> None:
    made = result(estimate(0.55, 0.3, 0.7), estimate(0.7, 0.5, 0.8))
    made["over_annotators"] = {"cumulative_score": estimate(0.55) | {"refused": "too few: 2 annotators"}}
    assert agreement_findings(made)[1].text == (
        "Intervals apply to these annotators and prompts; there is none for other annotators: too few: 2 "
        "annotators."
    )


def test_ties_are_named_together() -> None:
    made = result(estimate(0.55, 0.3, 0.7), estimate(0.7, 0.5, 0.8))
    cells = [estimate(value, value - 0.1, value + 0.1) for value in (0.5, 0.501, 0.3)]
    names = ("missing", "extra", "proportion")
    made["by"]["error_type"] = [{"name": n, "cells": c} for n, c in zip(names, cells, strict=True)]
    assert agreement_findings(made)[-1].text == (
        "Among error types, agreement is highest on missing and extra (0.50 [0.40, 0.60]) and lowest "
        "on proportion (0.30 [0.20, 0.40])."
    )
    made["by"]["error_type"] = made["by"]["error_type"][:2]
    assert not any("Among error types" in finding.text for finding in agreement_findings(made))
