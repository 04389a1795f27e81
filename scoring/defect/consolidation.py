"""What several reviewers make of the marks of an image: kept masks and descriptions, and one region."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from hashlib import sha256
from string import ascii_uppercase
from typing import Final

from scoring.defect.masks import Mask, empty_mask, iou, union

LEAST_OVERLAP: Final = Fraction(1, 2)
"""Below this intersection over union, two people mark different regions."""


@dataclass(frozen=True)
class Vote:
    """Whether a reviewer keeps the mask and the description of one item."""

    mask: bool
    text: bool


Votes = Mapping[str, Vote]
"""One reviewer's votes by item: A1, A2, B1."""


@dataclass(frozen=True)
class Consolidated:
    """The kept items of an image in their order, their region, and whether an expert has to look.

    `region` is the union of the kept masks.
    """

    masks: tuple[str, ...]
    texts: tuple[str, ...]
    region: Mask
    disputed: bool


def consolidate(masks: Mapping[str, Mask], votes: Sequence[Votes], *, flagged: bool = False) -> Consolidated:
    """Return what the votes of the reviewers keep of the masks, by item.

    A mask or a description is kept if more than half of the reviewers keep it. The image is disputed if any
    vote differs, or if somebody has `flagged` it. The order of the reviewers does not matter. Raises
    ValueError without masks or votes, and KeyError if a reviewer has not judged an item.
    """
    if not masks or not votes:
        raise ValueError("nothing to consolidate: expected masks and votes")
    kept_masks = tuple(key for key in masks if _majority(vote[key].mask for vote in votes))
    kept_texts = tuple(key for key in masks if _majority(vote[key].text for vote in votes))
    size = next(iter(masks.values())).size
    return Consolidated(
        masks=kept_masks,
        texts=kept_texts,
        region=union([masks[key] for key in kept_masks]) if kept_masks else empty_mask(*size),
        disputed=flagged or any(len({vote[key] for vote in votes}) > 1 for key in masks),
    )


def differ_in_region(masks: Mapping[str, Mask]) -> bool:
    """Return whether any two annotators mark different regions; the letter of an item names its annotator."""
    by_annotator: dict[str, list[Mask]] = {}
    for key, mask in masks.items():
        by_annotator.setdefault(key[0], []).append(mask)
    regions = [union(each) for each in by_annotator.values()]
    overlaps = [iou(one, other) for at, one in enumerate(regions) for other in regions[at + 1 :]]
    return any(overlap is not None and overlap < LEAST_OVERLAP for overlap in overlaps)


def votes_in_one_number(votes: Votes, keys: Iterable[str]) -> int:
    """Return all votes as a binary number in the order of the keys, mask then text."""
    number = 0
    for key in keys:
        number = number * 4 + votes[key].mask * 2 + votes[key].text
    return number


def made_from(annotations: Iterable[tuple[int, int]]) -> str:
    """Return 16 hexadecimal digits of (annotation, version) pairs; their order does not matter."""
    text = ";".join(f"{annotation}:{version}" for annotation, version in sorted(annotations))
    return sha256(text.encode()).hexdigest()[:16]


def letters_of(annotations: Iterable[int], image_sha256: str, seed: int) -> dict[int, str]:
    """Return the letter of each annotation, in an order drawn for this image."""
    drawn = sorted(annotations, key=lambda pk: sha256(f"{seed}|{image_sha256}|{pk}".encode()).hexdigest())
    return dict(zip(drawn, ascii_uppercase, strict=False))


def _majority(kept: Iterable[bool]) -> bool:
    votes = list(kept)
    return 2 * sum(votes) > len(votes)
