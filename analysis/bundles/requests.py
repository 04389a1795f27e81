"""What somebody wants a bundle to hold."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

BUNDLED: Final = "bundled"
"""The verb of the Event of a bundle."""

LONGEST_LICENCE: Final = 200
_IDENTIFIER: Final = re.compile(r"[-A-Za-z0-9._]+")
_ADDRESS: Final = re.compile(r"https?://[^\s<>\"]+")


@dataclass(frozen=True)
class BundleRequest:
    """`pictures`: the files themselves, not only their hashes. `hidden`: pseudonyms instead of codes.

    `licence` is an identifier such as CC-BY-4.0, an address, or empty. Without `reports` nothing is computed
    and drawn: the data alone, in a fraction of the time.
    """

    pictures: bool = True
    hidden: bool = False
    licence: str = ""
    reports: bool = True

    def as_json(self) -> dict[str, Any]:
        """Return what `from_json` reads."""
        return {**self.told(), "reports": self.reports}

    def told(self) -> dict[str, Any]:
        """Return what project.json says of the choices."""
        return {"pictures": self.pictures, "pseudonyms": self.hidden, "licence": self.licence}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> BundleRequest:
        """Return the request that `as_json` wrote."""
        return cls(data["pictures"], data["pseudonyms"], data["licence"], data.get("reports", True))

    def in_words(self) -> str:
        """Return the choice as people read it."""
        said = ["with images" if self.pictures else "hashes of images"]
        said += ["pseudonyms"] * self.hidden + ["without reports"] * (not self.reports)
        return "; ".join(said + [self.licence] * bool(self.licence))


def read_licence(text: str) -> str:
    """Return a licence as it is written into the bundle; raises ValueError with what to type."""
    typed = text.strip()
    fits = not typed or _IDENTIFIER.fullmatch(typed) or _ADDRESS.fullmatch(typed)
    if not fits or len(typed) > LONGEST_LICENCE:
        raise ValueError("Type the licence's short name, such as CC-BY-4.0, or its address on the web.")
    return typed
