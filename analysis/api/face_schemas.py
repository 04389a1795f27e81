"""The response that tells where the faces of an image are."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from pydantic import BaseModel, Field


class Faces(BaseModel):
    """The decision on the faces of an image that is in force."""

    rectangles: list[list[float]] = Field(
        description="`[x, y, width, height]` in pixels of the upright original; empty if it shows no face."
    )
    source: Literal["file", "drawn"] = Field(description="From a file, or drawn by a person.")
    decided_by: str | None = Field(description="The code of who decided; null for a command.")
    decided_at: datetime
