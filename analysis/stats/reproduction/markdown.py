"""The reproduction as a Markdown page."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from analysis.stats.frames import RatingsFrame
from analysis.stats.reproduction import additional_numbers, assignment, script
from analysis.stats.reproduction.claims import (
    ABSTRACT,
    CLAIMS,
    HANDED_DOWN,
    MANUAL,
    NOTEBOOK,
    SOURCES,
    PublishedNumber,
)
from analysis.stats.reproduction.computed_values import Figures, figures
from analysis.stats.reproduction.notes import notes, number
from analysis.stats.reproduction.skipped import SkippedTerm
from analysis.stats.reproduction.statements import statements
from analysis.stats.reproduction.tables import markdown_table

PROVENANCE: Final = {
    ABSTRACT: "Read in the abstracts of both versions.",
    HANDED_DOWN: (
        "Figures of the paper as reported to this project. The full text was not available when this table "
        "was made, so no pages are cited and unreported numbers are not checked; the last section lists "
        "our values for them."
    ),
    MANUAL: "The worked example of the classification system's manual, also as reported to this project.",
    NOTEBOOK: "Printed by the notebook in the authors' repository that assigned the images.",
}

HEADER: Final = """\
# The published study, reproduced

P. Muhr, Y. Pan, C. Tumescheit, A.-K. Kübler, H. K. Parmaksiz, C. Chen, P. S. Bolaños Orozco,
S. S. Lienkamp, J. Hastings, *Evaluating Text-to-Image Generated Photorealistic Images of Human Anatomy*
(2024): medRxiv 10.1101/2024.08.21.24312353, Cureus 16(11) e74193, 10.7759/cureus.74193; images and
annotations in the repository hastingslab-org/ai-human-images.

`manage.py reproduce` computes this page from the imported annotations; only the columns named *Printed* are
typed in. A number agrees if ours, rounded to the printed digits, is the same. How ours are computed:
[statistics](statistics.md).
"""


def reproduction(frame: RatingsFrame, skipped: Sequence[SkippedTerm] = ()) -> str:
    """Return the whole page; `skipped` are the unreadable terms of the file, which no score contains."""
    found = figures(frame)
    explained = notes(frame, found, skipped)
    sections = [HEADER, _summary(frame, found, skipped)]
    sections += [_claims(source, found, explained) for source in SOURCES]
    sections += [assignment.dealt_out(frame), _statements(frame)]
    sections += [
        script.differences(frame),
        script.per_pair(frame),
        additional_numbers.further_numbers(frame, found),
    ]
    return "\n".join(sections)


def agrees(claim: PublishedNumber, ours: float | None) -> bool:
    """Return whether our number, rounded to the printed digits, equals the printed one."""
    return ours is not None and f"{ours:.{_digits(claim)}f}" == claim.printed


def _digits(claim: PublishedNumber) -> int:
    return len(claim.printed.partition(".")[2])


def _summary(frame: RatingsFrame, found: Figures, skipped: Sequence[SkippedTerm]) -> str:
    wrong = [claim for claim in CLAIMS if not agrees(claim, found.get(claim.figure))]
    listed = [f"- {claim.says}: {claim.printed} ({claim.source.lower()})" for claim in wrong]
    if assignment.notebook_counts(frame) is not None:
        listed.append("- the notebook's counts by prompt and annotator (below)")
    return "\n".join(
        [
            f"{len(frame)} annotations of {number(found['images'], 0)} images. {len(skipped)} unreadable "
            "terms are left out of every score, as in the authors' script.",
            "",
            f"**{len(CLAIMS) - len(wrong)} of {len(CLAIMS)} printed numbers agree.** These do not:",
            "",
            *listed,
            "",
        ]
    )


def _claims(source: str, found: Figures, explained: dict[str, str]) -> str:
    rows = [_row(claim, found.get(claim.figure), explained) for claim in CLAIMS if claim.source == source]
    header = ("What", "Printed", "Ours", "Unrounded", "Agrees", "Explanation")
    return f"## {source}\n\n{PROVENANCE[source]}\n\n{markdown_table(header, rows)}"


def _row(claim: PublishedNumber, ours: float | None, explained: dict[str, str]) -> Iterable[str]:
    digits = _digits(claim)
    return (
        claim.says,
        claim.printed.replace("-", "−"),
        number(ours, digits),
        number(ours, digits + 4) if digits else "",
        "yes" if agrees(claim, ours) else "**no**",
        explained.get(claim.note, ""),
    )


def _statements(frame: RatingsFrame) -> str:
    rows = statements(frame)
    table = markdown_table(("Statement", "In the published data"), rows)
    return f"## Statements of the abstract without a number\n\n{table}"
