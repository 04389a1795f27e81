"""How a second stage draws its images from the first."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Final

WAYS: Final[Mapping[str, str]] = {
    "all": "All",
    "sample": "A sample, balanced over generators and prompts",
    "flagged": "Flagged by an annotator",
    "disagreement": "By disagreement: larger disagreements are more likely",
}
TARGETED: Final = frozenset({"flagged", "disagreement"})
"""Draws that depend on annotations: agreement on such images does not generalise to all images."""


@dataclass(frozen=True)
class Draw:
    """The id of the followed batch, and how its images are drawn.

    `way` is one of `WAYS`, `images` the number to draw (None: all available; not with `all`).
    `control` excludes the images without marks, except for this percentage of them, which is drawn
    whatever the way; None excludes none.
    """

    batch: int
    way: str = "all"
    images: int | None = None
    control: int | None = None

    @property
    def targeted(self) -> bool:
        """Whether the draw depends on annotations."""
        return self.way in TARGETED

    def as_json(self) -> dict[str, Any]:
        """Return the draw as JSON values for `Draw(**data)`."""
        return asdict(self)

    def problems(self) -> dict[str, list[str]]:
        """Return the errors of the draw by field: `draw`, `draw_images`, `control`."""
        found: dict[str, list[str]] = {}
        if self.way not in WAYS:
            found["draw"] = [f"The draw must be one of {', '.join(WAYS)}, not {self.way!r}."]
        if self.images is not None and self.images < 1:
            found["draw_images"] = [f"Enter at least 1 image, not {self.images}."]
        elif self.images is not None and self.way == "all":
            found["draw_images"] = ["Leave the number empty to take all images, or choose a sample."]
        elif self.images is None and self.way == "sample":
            found["draw_images"] = ["Enter the number of images of the sample."]
        if self.control is not None and not 0 <= self.control <= 100:
            found["control"] = [f"Enter a control sample from 0 to 100 %, not {self.control} %."]
        return found
