"""The reproduction as a Markdown page."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Final

from analysis.stats.frames import RatingsFrame
from analysis.stats.reproduction import script
from analysis.stats.reproduction.checks import Checked, Outcome, check_all, printed_numbers
from analysis.stats.reproduction.skipped import SkippedTerm
from analysis.stats.reproduction.tables import markdown_table, signed
from analysis.stats.reproduction.values import domains, values

HEADER: Final = """\
# The published study, reproduced

P. Muhr, Y. Pan, C. Tumescheit, A.-K. Kübler, H. K. Parmaksiz, C. Chen, P. S. Bolaños Orozco,
S. S. Lienkamp, J. Hastings, *Evaluating Text-to-Image Generated Photorealistic Images of Human Anatomy*
(2024): medRxiv 10.1101/2024.08.21.24312353, Cureus 16(11) e74193, 10.7759/cureus.74193; images and
annotations in the repository hastingslab-org/ai-human-images.

`manage.py reproduce` makes this page: it takes the numbers and statements of the paper, its supplement, the
annotators’ manual and the notebook that assigned the images from a list
(`analysis/stats/reproduction/numbers.csv`, in our words), and recomputes each from the imported annotations.
A printed number follows if ours, rounded to the printed digits, is the same; a statement, if all
its comparisons hold. How ours are computed: [statistics](statistics.md).
"""
TOLD: Final = {
    Outcome.FITS_ANOTHER: (
        "agree with another value: names of generators were swapped, sums counted twice, or a digit cut off "
        "instead of rounded"
    ),
    Outcome.NO: "do not follow",
    Outcome.NOT_PRINTED: "not printed, added for completeness",
    Outcome.NOT_TESTABLE: "cannot be tested with the published data",
}
_COLUMNS: Final = ("Where", "What", "Printed", "From the data", "Follows", "Explanation")


def reproduction(frame: RatingsFrame, skipped: Sequence[SkippedTerm] = ()) -> str:
    """Return the whole page; `skipped` are the unreadable terms of the file, which no score contains."""
    found = values(frame, skipped)
    checked = check_all(found, domains(frame))
    sections = [HEADER, _data(frame, found["images"], skipped), summary(checked)]
    sections += [_table(part, checked) for part in dict.fromkeys(one.line.part for one in checked)]
    sections += [_figures(), script.differences(frame), script.per_pair(frame)]
    return "\n".join(sections)


def summary(checked: Sequence[Checked]) -> str:
    """Return the count over the list, and what does not follow, as Markdown."""
    counts = Counter(one.outcome for one in checked)
    tested = counts[Outcome.YES] + counts[Outcome.NO] + counts[Outcome.FITS_ANOTHER]
    listed = [
        f"- {count} {words}{'' if outcome not in _NAMED else ':'}"
        + "".join(f"\n  - {_named(one)}" for one in checked if one.outcome is outcome and outcome in _NAMED)
        for outcome, words in TOLD.items()
        if (count := counts[outcome])
    ]
    return "\n".join(
        [
            f"**{counts[Outcome.YES]} of {tested} numbers and statements follow from the published data.** "
            "The others:",
            "",
            *listed,
            "",
        ]
    )


_NAMED: Final = (Outcome.FITS_ANOTHER, Outcome.NO)


def _named(one: Checked) -> str:
    printed = f": {signed(one.line.printed)}" if one.line.printed else ""
    return f"{one.line.quantity}{printed} ({one.line.place or one.line.part})"


def _data(frame: RatingsFrame, images: object, skipped: Sequence[SkippedTerm]) -> str:
    return (
        f"{len(frame)} annotations of {images} images. {len(skipped)} unreadable terms are left out of every "
        "score, as in the authors’ script.\n"
    )


def _table(part: str, checked: Sequence[Checked]) -> str:
    rows = [
        (
            one.line.place,
            one.line.quantity,
            signed(one.line.printed),
            one.computed,
            one.outcome.value,
            one.explanation,
        )
        for one in checked
        if one.line.part == part
    ]
    return f"## {part}\n\n{markdown_table(_COLUMNS, rows)}"


def _figures() -> str:
    rows = [
        (line.place, line.quantity, f"`{line.figure}`", line.explanation)
        for line in printed_numbers()
        if line.figure
    ]
    return (
        "## Figures\n\nThe text describes these figures without numbers. `manage.py figures` draws ours.\n\n"
        f"{markdown_table(('Paper', 'Shows', 'Ours', 'Note'), rows)}"
    )
