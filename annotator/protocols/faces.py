"""What a protocol needs beside its rules before anybody may judge images under it.

A package says in `AppConfig.ready` for which protocols it has a face. A batch whose protocol lacks one is not
released: otherwise an annotator would find out, or answers would be in no number.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Final

FACES: Final[Mapping[str, str]] = {
    "page": "page to answer on",
    "report": "report that counts its answers",
    "export": "export that holds its answers",
}
"""Every face by its slug, in words."""

_HAVING: dict[str, frozenset[str]] = {}


def register_face(face: str, protocols: Collection[str]) -> None:
    """Say which protocols, by slug, have a face; raises KeyError for a face that is none of `FACES`."""
    FACES[face]
    _HAVING[face] = frozenset(protocols)


def missing_faces(slug: str) -> tuple[str, ...]:
    """Return the faces that the protocol of this slug lacks."""
    return tuple(face for face in FACES if slug not in _HAVING.get(face, ()))
