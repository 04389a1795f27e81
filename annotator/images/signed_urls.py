"""Signed URLs of images, valid for one person and a limited time.

A signed URL holds the image's public id, the account and the expiry; that of a copy with blurred faces also
a key of the decision on them. An annotator's names the assignment instead of the image, so that nobody can
tell a repeat by its address. It grants no access by itself: the account must be signed in and still allowed
to see the image.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from django.core.signing import BadSignature, Signer
from django.urls import reverse
from django.utils.crypto import salted_hmac

from annotator.models import Assignment, Image, User

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
    """The content of a signed URL: the image or the assignment of it, and the remaining seconds.

    `target` is the public id of an image or the primary key of an assignment. `faces` is None for the display
    copy; for the blurred one, the `faces_key` of the decision.
    """

    target: UUID | int
    seconds_left: int
    faces: str | None = None


def image_url(image: Image, user: User, *, blurred: bool = False) -> str:
    """Return the signed URL of an image's display copy, or the blurred one, for an account.

    Needs no query. The blurred copy has a new address after every decision on the faces.
    """
    return _url(image.public_id, image, user, blurred=blurred)


def assigned_url(assignment: Assignment, user: User) -> str:
    """Return the signed URL of the copy that the annotator of an assignment sees, without a query.

    Another assignment of the same image has another address.
    """
    return _url(assignment.pk, assignment.image, user, blurred=assignment.batch.is_blurred)


def faces_key(target: UUID | int, image: Image) -> str:
    """Return the key of the current decision on an image's faces; empty without one.

    It differs between assignments of the image, and does not tell the decision.
    """
    if image.faces is None:
        return ""
    return salted_hmac("anatomark.faces", f"{target} {image.faces}", algorithm="sha256").hexdigest()[:32]


def _url(target: UUID | int, image: Image, user: User, *, blurred: bool) -> str:
    named = target.hex if isinstance(target, UUID) else target
    said: list[str | int] = [named, user.pk, _end(time.time())]
    if blurred:
        said.append(faces_key(target, image))
    return reverse("image_picture", args=[_SIGNER.sign_object(said)])


def read_link(token: str, user_pk: int | None) -> SignedUrl | None:
    """Return the content of a token; None if it is forged, expired, or of another account.

    A token that expires later than a new one is refused as well: the clock was set back.
    """
    faces: str | None = None
    try:
        match _SIGNER.unsign_object(token):
            case [str() | int() as named, int(owner), int(end)]:
                target = UUID(named) if isinstance(named, str) else named
            case [str() | int() as named, int(owner), int(end), str(faces)]:
                target = UUID(named) if isinstance(named, str) else named
            case _:
                return None
    except (BadSignature, ValueError):
        return None
    left = end - time.time()
    longest = LEAST_SECONDS + STEP_SECONDS + CLOCK_SKEW_SECONDS
    if owner != user_pk or not 0 < left <= longest:
        return None
    return SignedUrl(target=target, seconds_left=int(left), faces=faces)


def _end(now: float) -> int:
    """Return the expiry of a URL made now, in seconds: the first half hour after the minimum validity."""
    return -(-int(now + LEAST_SECONDS) // STEP_SECONDS) * STEP_SECONDS
