"""Differences between the authors' published script and the description of their method."""

from __future__ import annotations

from typing import Final

from analysis.stats.frames import RatingsFrame
from analysis.stats.reproduction.alphas import KINDS, pair_alphas
from analysis.stats.reproduction.authors import (
    BandCounts,
    band_counts,
    prompt_sums,
    score_bounds,
    table_bounds,
)
from analysis.stats.reproduction.tables import markdown_table, number

CATEGORIES: Final = """\
### Agreement on single categories

The script appends a yes/no pair after its loop over the body parts instead of inside it, so it compares only
the five face cells of the 25. The table of pairs below has both.
"""


def differences(frame: RatingsFrame) -> str:
    """Return the differences between the published script and the described method."""
    return "\n".join(
        [
            "## Where the authors' script and the description differ\n",
            "Read in scripts/data_analysis.py of the authors' repository (commits 3565ec8 and 2c9e601), "
            "reimplemented and run on the same annotations.\n",
            CATEGORIES,
            _severity_figure(frame),
            _prompt_figure(frame),
        ]
    )


def _severity_figure(frame: RatingsFrame) -> str:
    text = (
        "### Overall severity by generator (a figure's bar labels)\n\n"
        "The script requests quantiles of whole table rows, which pandas sorts by the first numeric column: "
        "the image number. Its bounds are the scores of the annotations in the middle and at three quarters "
        "of the *image numbers*, not quantiles of scores"
    )
    if not frame.annotations["number"].any():
        return f"{text}. (The images have no numbers here, so its bounds cannot be shown.)\n"
    bounds, described = table_bounds(frame), score_bounds(frame)
    crossed = [name for name, (low, medium) in bounds.items() if low > medium]
    rows = [
        (name, *(number(bound, 3) for bound in (*bounds[name], *described[name]))) for name in sorted(bounds)
    ]
    header = ("Annotator", "Script: low to", "Script: medium to", "Scores: low to", "Scores: medium to")
    return (
        f"{text}; for {len(crossed)} of {len(bounds)} annotators the lower bound is above the upper one.\n\n"
        f"{markdown_table(header, rows)}\n"
        f"{_band_table(band_counts(frame, bounds), band_counts(frame, described))}"
    )


def _band_table(script: BandCounts, described: BandCounts) -> str:
    rows = [
        (name, *(" / ".join(map(str, counts[name])) for counts in (script, described))) for name in script
    ]
    return markdown_table(("Low / medium / high", "Script's bounds", "Quantiles of scores"), rows)


def _prompt_figure(frame: RatingsFrame) -> str:
    rows = [
        (prompt, *(" / ".join(number(value, 2) for value in (times * sums).tolist()) for times in (2, 1)))
        for prompt, sums in prompt_sums(frame).items()
    ]
    return (
        "### Severity by prompt (a figure’s bar labels)\n\n"
        "The script’s list contains every term twice, by body part and by error type; its figures by type "
        "and "
        "by part use one half each, the figure by prompt uses both, so its bar labels are twice the "
        "sums.\n\n"
        f"{markdown_table(('Prompt (a / b / c)', 'Script', 'Sums of error fractions'), rows)}"
    )


def per_pair(frame: RatingsFrame) -> str:
    """Return all alphas by pair of annotators, with the script's for single categories."""
    rows = [
        (f"{pair.first}–{pair.second}", str(pair.images), *(number(pair.alphas[kind]) for kind in KINDS))
        for pair in pair_alphas(frame)
    ]
    header = (
        "Pair",
        "Images",
        "Cumulative score",
        "Overall severity, shared images",
        "Overall severity, all images",
        "25 cells",
        "Face cells (script)",
    )
    return f"## Krippendorff’s alpha by pair\n\n{markdown_table(header, rows)}"
