"""The report sections a gallery can be opened from, and so the only ones it links back to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from django.urls import reverse


@dataclass(frozen=True)
class Origin:
    """A page, by address name and arguments after the project's slug, and a place on it."""

    title: str
    address: str
    arguments: tuple[str, ...] = ()
    place: str = ""

    def url(self, slug: str) -> str:
        """Return the address in a project."""
        return reverse(self.address, args=[slug, *self.arguments]) + (f"#{self.place}" if self.place else "")


_ORIGINS: Final[dict[str, Origin]] = {}


def register_origin(name: str, origin: Origin) -> None:
    """Let galleries link back to a page as `?from=name`; registering again replaces it."""
    _ORIGINS[name] = origin


def origin_of(name: str) -> Origin | None:
    """Return the page of a name; None if there is none."""
    return _ORIGINS.get(name)
