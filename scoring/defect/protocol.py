"""The protocols of defects, in the order of their stages."""

from __future__ import annotations

from typing import Final

from scoring.defect.consolidation import CHECK
from scoring.defect.marks import MARKS
from scoring.defect.quality import QUALITY
from scoring.defect.verdict import VERDICT

DEFECT: Final = (VERDICT, MARKS, CHECK, QUALITY)
