"""The request for a bundle."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

BUNDLED: Final = "bundled"
"""The verb of the Event of a bundle."""

LONGEST_LICENCE: Final = 200
LONGEST_REASON: Final = 400
_IDENTIFIER: Final = re.compile(r"[-A-Za-z0-9._]+")
_ADDRESS: Final = re.compile(r"https?://[^\s<>\"]+")


@dataclass(frozen=True)
class BundleRequest:
    """`pictures`: include image files, not only hashes. `hidden`: pseudonyms instead of codes.

    `licence` is an identifier such as CC-BY-4.0, a URL, or empty. Without `reports`, nothing is computed or
    drawn, which is much faster. `with_faces` is why faces are shown that batches blur; empty: none is.
    """

    pictures: bool = True
    hidden: bool = False
    licence: str = ""
    reports: bool = True
    with_faces: str = ""

    def as_json(self) -> dict[str, Any]:
        """Return the JSON that `from_json` reads."""
        return {**self.told(), "reports": self.reports}

    def told(self) -> dict[str, Any]:
        """Return the choices as recorded in project.json."""
        faces = {"with_faces": self.with_faces} if self.with_faces else {}
        return {"pictures": self.pictures, "pseudonyms": self.hidden, "licence": self.licence, **faces}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> BundleRequest:
        """Return the request that `as_json` wrote."""
        return cls(
            data["pictures"],
            data["pseudonyms"],
            data["licence"],
            data["reports"],
            data.get("with_faces", ""),
        )

    def in_words(self) -> str:
        """Return the choices as text."""
        said = ["with images" if self.pictures else "hashes of images"]
        said += [f"with faces: {self.with_faces}"] * bool(self.with_faces)
        said += ["pseudonyms"] * self.hidden + ["without reports"] * (not self.reports)
        return "; ".join(said + [self.licence] * bool(self.licence))


def read_licence(text: str) -> str:
    """Return the licence to write into the bundle; raise ValueError with the repair."""
    typed = text.strip()
    fits = not typed or _IDENTIFIER.fullmatch(typed) or _ADDRESS.fullmatch(typed)
    if not fits or len(typed) > LONGEST_LICENCE:
        raise ValueError("Enter the licence's short name, such as CC-BY-4.0, or its web address.")
    return typed
