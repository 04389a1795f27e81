"""The protocols of defects that can be used: so far the marks."""

from __future__ import annotations

from typing import Final

from scoring.defect.marks import MARKS

DEFECT: Final = (MARKS,)
