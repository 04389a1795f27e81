"""A straight reading of the published consolidation, written without the product's module."""

from __future__ import annotations

from fractions import Fraction


def reference(answers: list[int | None]) -> tuple[str, Fraction | None]:
    """Return (branch, score) of an image's answers; None is an invalid vote."""
    if answers.count(None) >= 3:
        return "invalid", None
    r = sorted(answer for answer in answers if answer is not None)
    n = len(r)
    if n < 3:
        return "too_few", None
    if max(r) <= 8:
        return "top_two", Fraction(r[-1] + r[-2], 2)

    def at(numerator: int, denominator: int) -> Fraction:
        whole, rest = divmod((n - 1) * numerator, denominator)
        step = r[whole + 1] - r[whole] if whole + 1 < n else 0
        return r[whole] + Fraction(rest, denominator) * step

    m, iqr = at(1, 2), at(3, 4) - at(1, 4)
    kept = [each for each in r if m - iqr / 2 < each < m + iqr / 2]
    if kept:
        return "kept", Fraction(sum(kept), len(kept))
    return "none_kept", Fraction(sum(r), n)
