"""The published study, for the numbers of anatomy."""

from tests.analysis.stats.conftest import study_frame as study_frame
from tests.analysis.stats.conftest import study_rows as study_rows
