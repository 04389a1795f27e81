"""Addresses of pictures that work for one person and a short while.

An address names the picture by its public id only, whom it is for and when it ends, under a signature. It
is no right by itself: who follows it must be that person, signed in, and still be allowed to see the image.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from django.core.signing import BadSignature, Signer
from django.urls import reverse

from annotator.models import Image, User

STEP_SECONDS: Final = 30 * 60
"""Ends lie on a grid of half hours, so that a picture fetched ahead is found again under the same address."""

LEAST_SECONDS: Final = 30 * 60
"""An address works for at least this long, and at most for one step longer."""

CLOCK_SKEW_SECONDS: Final = 5 * 60
"""How far the clocks of two servers may be apart."""

# "." is in neither alphabet: the signer's own ":" would be escaped in an address.
_SIGNER: Final = Signer(sep=".", salt="anatomark.pictures")


@dataclass(frozen=True)
class PictureLink:
    """What an address says: which picture, and how many seconds it still works."""

    public_id: UUID
    seconds_left: int


def image_url(image: Image, user: User) -> str:
    """Return the address under which a person sees an image's copy for display. Takes no query."""
    token = _SIGNER.sign_object([image.public_id.hex, user.pk, _end(time.time())])
    return reverse("image_picture", args=[token])


def read_link(token: str, user_pk: int | None) -> PictureLink | None:
    """Return what a token says to this person; None where it is forged, over, or somebody else's.

    A token that ends later than one made now would is refused too: the clock was set back since.
    """
    try:
        match _SIGNER.unsign_object(token):
            case [str(public_id), int(owner), int(end)]:
                link_to = UUID(public_id)
            case _:
                return None
    except (BadSignature, ValueError):
        return None
    left = end - time.time()
    longest = LEAST_SECONDS + STEP_SECONDS + CLOCK_SKEW_SECONDS
    if owner != user_pk or not 0 < left <= longest:
        return None
    return PictureLink(public_id=link_to, seconds_left=int(left))


def _end(now: float) -> int:
    """Return when an address made now ends: the first half hour that leaves the least time, in seconds."""
    return -(-int(now + LEAST_SECONDS) // STEP_SECONDS) * STEP_SECONDS
