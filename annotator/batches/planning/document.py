"""The stored input of a plan, and the digest that tells two plans apart."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from hashlib import sha256
from typing import Any, Final

from annotator.batches.planning.counts import Counts
from annotator.batches.planning.design import NO_CHECKS, Checks, Design, PlanAnnotator, PlanImage
from annotator.batches.planning.interleaving import WORK

ALGORITHM: Final = "anatomark-plan/1"


@dataclass(frozen=True, slots=True)
class Placement:
    """One annotator's assignment of one image, at a queue position counted from 1 without gaps."""

    image: str
    annotator: str
    position: int
    overlap: bool
    purpose: str = WORK


def plan_document(design: Design, placements: Iterable[Placement]) -> bytes:
    """Return the input of a plan and its overlap images as JSON, the same for the same plan.

    Keys are sorted, and images by key; `shared` lists indexes of the images.
    """
    at = {key: index for index, key in enumerate(sorted(image.key for image in design.images))}
    shared = {at[placement.image] for placement in placements if placement.overlap}
    stored = {"algorithm": ALGORITHM, "design": _design_as_json(design), "shared": sorted(shared)}
    return json.dumps(stored, sort_keys=True, separators=(",", ":")).encode()


def read_document(document: bytes) -> tuple[Design, dict[str, int]]:
    """Return what `plan_document` wrote: the design, and the planned number of annotators of each image."""
    stored = json.loads(document)
    design = _design(stored["design"])
    per_image = dict.fromkeys((image.key for image in design.images), 1)
    return design, per_image | {design.images[index].key: design.per_image for index in stored["shared"]}


def digest(design: Design, placements: Iterable[Placement]) -> str:
    """Return the SHA-256 of a plan's input and all its placements, in hexadecimal."""
    placed = tuple(placements)
    lines = [f"{one.annotator}\t{one.position}\t{one.image}\t{one.purpose}" for one in placed]
    return sha256(b"\n".join([plan_document(design, placed), *map(str.encode, lines)])).hexdigest()


def _design_as_json(design: Design) -> dict[str, Any]:
    overlap, checks, earlier = design.overlap, design.checks, design.earlier
    return {
        "annotators": [[one.code, one.capacity] for one in design.annotators],
        "barred": sorted(design.barred),
        "checks": {"anchors": _rows(checks.anchors), "repeats": str(checks.repeats)} if checks else None,
        "coders": design.per_image,
        # The non-zero counts of earlier batches.
        "earlier": earlier
        and {
            name: sorted([*key, count] for key, count in table.items() if count)
            for name, table in vars(earlier).items()
        },
        "images": sorted(_rows(design.images)),
        # A share is written as text, even if it is 0 or 1, to differ from a number of images.
        "overlap": overlap if isinstance(overlap, int) else str(overlap),
        "seed": design.seed,
    }


def _rows(images: Iterable[PlanImage]) -> list[list[str]]:
    return [[one.key, one.generator, one.prompt] for one in images]


def _design(stored: Mapping[str, Any]) -> Design:
    overlap, checks, earlier = stored["overlap"], stored["checks"], stored["earlier"]
    return Design(
        images=_images(stored["images"]),
        annotators=tuple(PlanAnnotator(*row) for row in stored["annotators"]),
        overlap=overlap if isinstance(overlap, int) else Fraction(overlap),
        per_image=stored["coders"],
        seed=stored["seed"],
        earlier=earlier
        and Counts(**{name: {tuple(row[:-1]): row[-1] for row in rows} for name, rows in earlier.items()}),
        checks=Checks(_images(checks["anchors"]), Fraction(checks["repeats"])) if checks else NO_CHECKS,
        barred=frozenset((key, code) for key, code in stored["barred"]),
    )


def _images(rows: Sequence[Sequence[str]]) -> tuple[PlanImage, ...]:
    return tuple(PlanImage(*row) for row in rows)
