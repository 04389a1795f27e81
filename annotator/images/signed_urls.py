"""Signed URLs of images, valid for one person and a limited time.

A signed URL holds the image's public id, the account and the expiry; that of a copy with blurred faces also
the key of the decision on them. It grants no access by itself: the account must be signed in and still
allowed to see the image.
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
"""Expiry times are multiples of half an hour, so that a prefetched image keeps its URL."""

LEAST_SECONDS: Final = 30 * 60
"""Minimum validity of a URL; the maximum is one step longer."""

CLOCK_SKEW_SECONDS: Final = 5 * 60
"""Maximum difference between the clocks of two servers."""

# "." is in neither alphabet; the signer's default ":" would be escaped in a URL.
_SIGNER: Final = Signer(sep=".", salt="anatomark.pictures")


@dataclass(frozen=True)
class SignedUrl:
    """The content of a signed URL: the image, and the remaining seconds.

    `faces` is None for the display copy; for the blurred one, the key of the decision in hexadecimal.
    """

    public_id: UUID
    seconds_left: int
    faces: str | None = None


def image_url(image: Image, user: User, *, blurred: bool = False) -> str:
    """Return the signed URL of an image's display copy, or the blurred one, for an account.

    Needs no query. The blurred copy has a new address after every decision on the faces.
    """
    said: list[str | int] = [image.public_id.hex, user.pk, _end(time.time())]
    if blurred:
        said.append(image.faces.hex if image.faces else "")
    token = _SIGNER.sign_object(said)
    return reverse("image_picture", args=[token])


def read_link(token: str, user_pk: int | None) -> SignedUrl | None:
    """Return the content of a token; None if it is forged, expired, or of another account.

    A token that expires later than a new one is refused as well: the clock was set back.
    """
    faces: str | None = None
    try:
        match _SIGNER.unsign_object(token):
            case [str(public_id), int(owner), int(end)]:
                link_to = UUID(public_id)
            case [str(public_id), int(owner), int(end), str(faces)]:
                link_to = UUID(public_id)
            case _:
                return None
    except (BadSignature, ValueError):
        return None
    left = end - time.time()
    longest = LEAST_SECONDS + STEP_SECONDS + CLOCK_SKEW_SECONDS
    if owner != user_pk or not 0 < left <= longest:
        return None
    return SignedUrl(public_id=link_to, seconds_left=int(left), faces=faces)


def _end(now: float) -> int:
    """Return the expiry of a URL made now, in seconds: the first half hour after the minimum validity."""
    return -(-int(now + LEAST_SECONDS) // STEP_SECONDS) * STEP_SECONDS
