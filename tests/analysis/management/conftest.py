"""The published study, shared with the statistics' tests."""

from __future__ import annotations

from tests.analysis.stats.conftest import study_frame, study_rows, study_tables

__all__ = ["study_frame", "study_rows", "study_tables"]
