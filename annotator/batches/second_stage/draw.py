"""How a lead wants a second stage to take its images from the first."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Final

WAYS: Final[Mapping[str, str]] = {
    "all": "All",
    "sample": "A sample, even over generators and prompts",
    "flagged": "Flagged by an annotator",
    "disagreement": "By disagreement: the more people differed, the likelier",
}
TARGETED: Final = frozenset({"flagged", "disagreement"})
"""Ways that look at what was said of an image: agreement on such images says nothing of all of them."""


@dataclass(frozen=True)
class Draw:
    """The batch that is followed, by id, and which of its images are taken.

    `way` is one of `WAYS`, `images` how many are drawn (None: as many as there are; not with `all`).
    `control` leaves out the images on which nobody marked anything, but for that many per cent of them,
    which are taken whatever the way; None leaves none out.
    """

    batch: int
    way: str = "all"
    images: int | None = None
    control: int | None = None

    @property
    def targeted(self) -> bool:
        """Whether images are chosen for what was said of them."""
        return self.way in TARGETED

    def as_json(self) -> dict[str, Any]:
        """Return what `Draw(**data)` reads."""
        return asdict(self)

    def problems(self) -> dict[str, list[str]]:
        """Return what is wrong with it in itself, by field: `draw`, `draw_images`, `control`."""
        found: dict[str, list[str]] = {}
        if self.way not in WAYS:
            found["draw"] = [f"Images are drawn {', '.join(WAYS)}; {self.way!r} is none of these."]
        if self.images is not None and self.images < 1:
            found["draw_images"] = [f"At least 1 image is drawn, not {self.images}."]
        elif self.images is not None and self.way == "all":
            found["draw_images"] = ["All images take no number: leave it empty, or choose a sample."]
        elif self.images is None and self.way == "sample":
            found["draw_images"] = ["Say how many images the sample has."]
        if self.control is not None and not 0 <= self.control <= 100:
            found["control"] = [f"The control sample is from 0 to 100 %, not {self.control} %."]
        return found
