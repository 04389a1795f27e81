"""Comparison of the numbers of Muhr et al. (2024) with ours."""

from analysis.stats.reproduction.markdown import reproduction
from analysis.stats.reproduction.skipped import SkippedTerm, skipped_term

__all__ = ["SkippedTerm", "reproduction", "skipped_term"]
