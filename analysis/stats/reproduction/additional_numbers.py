"""Further numbers that the authors' script prints, for readers of the full text."""

from __future__ import annotations

from typing import Final

from analysis.stats.comparison.welch import welch_test
from analysis.stats.frames import RatingsFrame
from analysis.stats.reproduction.authors import student_test
from analysis.stats.reproduction.computed_values import Figures
from analysis.stats.reproduction.notes import BEST, OTHERS, number
from analysis.stats.reproduction.tables import markdown_table

PROMPTS_TESTED: Final = ("five people sunbathing on beach", "mother or father holding baby")


def further_numbers(frame: RatingsFrame, found: Figures) -> str:
    """Return the numbers that the script prints for the text, for readers of the paper."""
    rows = [*_generator_rows(found), *_test_rows(frame, found), *_prompt_rows(frame)]
    return (
        "## Further numbers of the text\n\n"
        "The authors' script prints these quantities too, with the same values, because it reads and scores "
        "the file as we do.\n\n"
        f"{markdown_table(('Quantity', 'Value'), rows)}"
    )


def _generator_rows(found: Figures) -> list[tuple[str, str]]:
    rows = []
    for name in (BEST, *OTHERS):
        values = f"{number(found.get(f'mean.{name}'))}, {number(found.get(f'variance.{name}'))}"
        rows.append((f"{name}: mean, variance of the cumulative score", values))
    return rows


def _test_rows(frame: RatingsFrame, found: Figures) -> list[tuple[str, str]]:
    scores = frame.parts("generator", frame.scores)
    rows = []
    for a, b in ((BEST, OTHERS[0]), (BEST, OTHERS[1]), OTHERS):
        if a not in scores or b not in scores:
            continue
        welch = [found[f"{name}.{a}.{b}"] for name in ("t", "df", "p")]
        student = student_test(scores[a], scores[b])
        rows.append((f"{a} against {b}, Welch: t, df, p", _test(*welch)))
        rows.append((f"{a} against {b}, Student: t, df, p", _test(*student)))
    return rows


def _prompt_rows(frame: RatingsFrame) -> list[tuple[str, str]]:
    by_prompt = frame.parts("prompt", frame.scores)
    if not set(PROMPTS_TESTED) <= set(by_prompt):
        return []
    scores = [by_prompt[name] for name in PROMPTS_TESTED]
    rows = [
        (f"{name}: mean, variance", f"{number(values.mean())}, {number(values.var(ddof=1))}")
        for name, values in zip(PROMPTS_TESTED, scores, strict=True)
    ]
    welch = welch_test(*scores)
    return [*rows, ("these two prompts, Welch: t, df, p", _test(welch["t"], welch["df"], welch["p"]))]


def _test(t: float | None, df: float | None, p: float | None) -> str:
    return f"{number(t)}, {number(df, 1)}, {'–' if p is None else f'{p:.2g}'.replace('-', '−')}"
