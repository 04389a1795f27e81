"""The published study as a frame, shared with the statistics' tests."""

from tests.analysis.stats.conftest import study_frame, study_rows

__all__ = ["study_frame", "study_rows"]
