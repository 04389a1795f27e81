"""The protocol *defect-check*: reviewers keep or drop each mask and description, and one region remains."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from hashlib import sha256
from itertools import combinations
from string import ascii_uppercase
from typing import Any, Final, NamedTuple

from scoring.defect.description import Described, assemble
from scoring.defect.masks import Mask, iou, read_mask, rectangle, union
from scoring.defect.repeated import MADE_FROM, Repeated, RepeatedAnswers, name_of, thing_of
from scoring.protocol import Payload, Protocol, Rating, Variable
from scoring.rating_form.definition import FormDefinition, Item

LEAST_OVERLAP: Final = Fraction(1, 2)
"""Below this intersection over union, two people mark different regions."""
KEEP, DROP = "keep", "drop"
_CHOICES: Final = ((KEEP, "Keep"), (DROP, "Drop"))
MASK, TEXT = "mask", "text"
EFFECTS_GIVEN: Final = "effects"
REFERENCE: Final = "reference"
"""The key of a reference description that the expert has written."""
CHECK_FORM: Final = Repeated(
    FormDefinition(
        name="check",
        title="Which marks are right?",
        headline=MASK,
        instructions="Keep a mask that covers what is wrong and little else. Keep a description that says "
        "what is wrong there. Judge both apart: a good mask may have a wrong description. If a defect of "
        "the image has no mask at all, flag the image.",
        items=(
            Item(MASK, "choice", "Mask", required=True, options=_CHOICES),
            Item(TEXT, "choice", "Description", required=True, options=_CHOICES),
        ),
    ),
    things="items",
    others=(EFFECTS_GIVEN, REFERENCE),
)
MASKS_KEPT: Final = Variable("masks_kept", "Masks kept", "ratio", "whole numbers from 0", headline=True)
TEXTS_KEPT: Final = replace(MASKS_KEPT, name="texts_kept", title="Descriptions kept", headline=False)
_BINARY: Final = "all votes on an image as one binary number, mask then description of each item; keep is 1"
VOTES: Final = Variable("votes", "All votes", "nominal", _BINARY)


class Vote(NamedTuple):
    """Whether somebody keeps the mask and the description of one item."""

    mask: bool
    text: bool


Votes = Mapping[str, Vote]
"""One person's votes by item: A1, A2, B1."""


@dataclass(frozen=True)
class Checked:
    """What became of the marks of one image. Masks are read when they are asked for.

    `votes` is what is kept: a mask or a description if more than half of the reviewers keep it, or what an
    expert keeps. It is `disputed` if any vote differs, or if somebody has flagged the image. `given` is the
    part of a check that the server gives, `written` a reference by an expert, `outside` one from a file.
    """

    given: Payload
    votes: Votes
    disputed: bool
    written: str = ""
    outside: str = ""

    @property
    def masks(self) -> tuple[str, ...]:
        """The items whose mask is kept."""
        return tuple(key for key, kept in self.votes.items() if kept.mask)

    @property
    def made_from(self) -> str:
        """The key of the marks that were checked."""
        return str(self.given.get(MADE_FROM, ""))

    @property
    def described(self) -> list[Described]:
        """The kept descriptions, with their masks."""
        kept = ((item, self.votes[item["key"]]) for item in CHECK_FORM.listed(self.given))
        return [
            Described(read_mask(item["mask"]), item["kind"], item["text"], item["key"], vote.mask)
            for item, vote in kept
            if vote.text
        ]

    @cached_property
    def region(self) -> Mask:
        """The union of the kept masks."""
        masks = masks_of(self.given)
        kept = [masks[key] for key in self.masks]
        return union(kept) if kept else rectangle(*next(iter(masks.values())).size, (0, 0, 0, 0))

    @property
    def added(self) -> float:
        """How much larger the region is than the largest one of an annotator: 0.2 for a fifth more."""
        return self.region.area / max(own.area for own in regions_of(masks_of(self.given)).values()) - 1

    @property
    def effects(self) -> Sequence[int]:
        """The effects by annotator; none if nothing is kept."""
        kept = any(any(vote) for vote in self.votes.values())
        return self.given.get(EFFECTS_GIVEN, []) if kept else []

    @property
    def reference(self) -> str:
        """The one description of all defects; without another, the kept ones joined."""
        return self.written or self.outside or assemble(self.described, self.effects)

    @property
    def source(self) -> str:
        """Whence the reference comes."""
        return "expert" if self.written else "outside" if self.outside else "assembled"


def checked(
    payloads: Sequence[Payload], expert: Payload | None = None, outside: tuple[str, str] | None = None
) -> Checked | None:
    """Return what the complete checks of one image keep; the expert's votes replace all others.

    `outside` is a reference from a file, after what it was made from: it counts for the same marks. The order
    of the reviewers does not matter. None if there is nothing to keep: no item, or checks of different marks.
    """
    if not payloads or len({payload.get(MADE_FROM) for payload in payloads}) != 1:
        return None
    first = payloads[0]
    if not CHECK_FORM.listed(first):
        return None
    made = first.get(MADE_FROM)
    ruled = expert if expert is not None and expert.get(MADE_FROM) == made else None
    cast = [votes_of(payload) for payload in ([ruled] if ruled else payloads)]
    both = {key: zip(*(own[key] for own in cast), strict=True) for key in cast[0]}
    return Checked(
        given=first,
        votes={key: Vote(*(2 * sum(part) > len(cast) for part in parts)) for key, parts in both.items()},
        disputed=any(vote != cast[0] for vote in cast)
        or (ruled is None and any(payload.get("flag") for payload in payloads)),
        written=str((ruled or {}).get(REFERENCE, "")).strip(),
        outside=outside[1] if outside and outside[0] == made else "",
    )


def masks_of(payload: Mapping[str, Any]) -> dict[str, Mask]:
    """Return the masks of a check by item, which the server has given."""
    return {item["key"]: read_mask(item["mask"]) for item in CHECK_FORM.listed(payload)}


def votes_of(payload: Mapping[str, Any]) -> dict[str, Vote]:
    """Return the votes of a complete check by item."""
    said = payload["answers"]
    return {
        key: Vote(*(said[name_of(key, part)] == KEEP for part in (MASK, TEXT)))
        for key in dict.fromkeys(map(thing_of, said))
    }


def regions_of(masks: Mapping[str, Mask]) -> dict[str, Mask]:
    """Return the union of the masks of each annotator, by the letter that begins the items."""
    by_annotator: dict[str, list[Mask]] = {}
    for key, mask in masks.items():
        by_annotator.setdefault(key.rstrip("0123456789"), []).append(mask)
    return {letter: union(own) for letter, own in by_annotator.items()}


def differing_regions(masks: Mapping[str, Mask]) -> list[str]:
    """Return the letters of two annotators who mark different regions; empty if none do."""
    for (one, region), (other, theirs) in combinations(regions_of(masks).items(), 2):
        overlap = iou(region, theirs)
        if overlap is not None and overlap < LEAST_OVERLAP:
            return [one, other]
    return []


def bits_of(votes: Votes) -> str:
    """Return all votes as binary digits, mask then text of each item; keep is 1."""
    return "".join(f"{vote.mask:d}{vote.text:d}" for vote in votes.values())


def made_from(annotations: Iterable[tuple[int, int]]) -> str:
    """Return 16 hexadecimal digits of (annotation, version) pairs; their order does not matter."""
    text = ";".join(f"{annotation}:{version}" for annotation, version in sorted(annotations))
    return sha256(text.encode()).hexdigest()[:16]


def letters_of(annotations: Iterable[int], image: str, seed: int) -> dict[int, str]:
    """Return the letter of each annotation of an image, in an order drawn for the image by its SHA-256."""
    drawn = sorted(annotations, key=lambda pk: sha256(f"{seed}:{image}:{pk}".encode()).digest())
    return dict(zip(drawn, ascii_uppercase, strict=False))


def decide(payloads: Sequence[Payload], due: int, expert: Fraction | None) -> Fraction | None:
    """Return the number of masks kept; see `Protocol.decide`.

    Checks of different marks leave the image open until they are of the same.
    """
    found = checked(payloads) if len(payloads) >= due else None
    if found is None:
        return None
    return Fraction(len(found.masks)) if expert is None else expert


def ratings(answer: RepeatedAnswers, _: Mapping[str, Fraction]) -> tuple[Rating, ...]:
    """Return the numbers of masks and descriptions kept, and all votes. The settings are ignored."""
    votes = votes_of(answer.payload())
    return (
        (MASKS_KEPT.name, "", Fraction(sum(vote.mask for vote in votes.values()))),
        (TEXTS_KEPT.name, "", Fraction(sum(vote.text for vote in votes.values()))),
        (VOTES.name, "", Fraction(int(bits_of(votes) or "0", 2))),
    )


CHECK: Final = Protocol(
    slug="defect-check",
    title="Defects: check of the marks",
    version=1,
    variables=(MASKS_KEPT, TEXTS_KEPT, VOTES),
    clean=CHECK_FORM.clean,
    ratings=ratings,
    decide=decide,
    raters=3,
)
