"""The numbers of Muhr et al. (2024), one by one, beside the same numbers from the published data."""

from analysis.stats.reproduction.markdown import reproduction
from analysis.stats.reproduction.skipped import SkippedTerm, skipped_term

__all__ = ["SkippedTerm", "reproduction", "skipped_term"]
