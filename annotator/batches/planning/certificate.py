"""The canonical text of a plan, and its digest."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from hashlib import sha256
from typing import Any, Final, TypeVar

from annotator.batches.planning.design import NO_CHECKS, Checks, Design, Earlier, PlanAnnotator, PlanImage
from annotator.batches.planning.interleaving import ANCHOR, REPEAT, WORK

T = TypeVar("T")

ALGORITHM: Final = "anatomark-plan/1"

_DESIGN: Final = '"design":{"annotators":'
_LONGEST_ANNOTATORS: Final = 1024 * 1024
"""Characters of the list of annotators, which pages read: 11,000 of the longest codes."""

MALFORMED: Final = (
    KeyError,
    TypeError,
    IndexError,
    AttributeError,
    UnicodeDecodeError,
    ArithmeticError,
    RecursionError,
)
"""Raised when reading a text that is not a document, besides ValueError."""


@dataclass(frozen=True, slots=True)
class Placement:
    """One annotator's assignment of one image, at a queue position counted from 1 without gaps."""

    image: str
    annotator: str
    position: int
    overlap: bool
    purpose: str = WORK


def canonical(value: object) -> bytes:
    """Return JSON with sorted keys, no whitespace and ASCII only."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True).encode()


def digest(document: bytes) -> str:
    """Return the SHA-256 of a document in hexadecimal."""
    return sha256(document).hexdigest()


def plan_document(design: Design, placements: Iterable[Placement]) -> bytes:
    """Return the canonical text of a plan: algorithm, design (images sorted by key) and the queues.

    A queue lists indexes of that list of images, in the order of positions; anchors follow the images, and
    an index that occurs again is a repeat.
    """
    keys = sorted(image.key for image in design.images)
    keys += [image.key for image in design.checks.anchors]
    at = {key: index for index, key in enumerate(keys)}
    queues: dict[str, list[int]] = {one.code: [] for one in design.annotators}
    shared = set()
    for placement in placements:
        queues[placement.annotator].append(at[placement.image])
        if placement.overlap:
            shared.add(at[placement.image])
    return canonical(
        {
            "algorithm": ALGORITHM,
            "design": design_as_json(design),
            "overlap": sorted(shared),
            "queues": [queues[one.code] for one in design.annotators],
        }
    )


def design_as_json(design: Design) -> dict[str, Any]:
    """Return the design as JSON values."""
    overlap = design.overlap
    return {
        "annotators": [[one.code, one.capacity] for one in design.annotators],
        **({"barred": sorted(design.barred)} if design.barred else {}),
        **checks_as_json(design.checks),
        "coders": design.coders,
        "earlier": earlier_as_json(design.earlier),
        "images": sorted([one.key, one.generator, one.prompt] for one in design.images),
        "overlap": overlap if isinstance(overlap, int) else f"{overlap.numerator}/{overlap.denominator}",
        "seed": design.seed,
    }


def checks_as_json(checks: Checks) -> dict[str, Any]:
    """Return anchors and repeats as an entry of a design; without any there is none, as in earlier plans."""
    if not checks:
        return {}
    share = checks.repeats
    anchors = [[one.key, one.generator, one.prompt] for one in checks.anchors]
    return {"checks": {"anchors": anchors, "repeats": f"{share.numerator}/{share.denominator}"}}


def checks_from_json(design: Mapping[str, Any]) -> Checks:
    """Return the anchors and repeats of a design that `checks_as_json` wrote."""
    found = design.get("checks")
    return Checks(images_from_json(found["anchors"]), _share(found["repeats"])) if found else NO_CHECKS


def earlier_as_json(earlier: Earlier | None) -> dict[str, Any] | None:
    """Return the non-zero counts of earlier batches as sorted rows."""
    if earlier is None:
        return None
    tables = {
        "by_generator": earlier.by_generator,
        "by_prompt": earlier.by_prompt,
        "pairs": earlier.pairs,
        "pair_generator": earlier.pair_generator,
    }
    return {
        name: sorted([*key, count] for key, count in table.items() if count)  # type: ignore[attr-defined]
        for name, table in tables.items()
    }


def read_document(document: bytes) -> tuple[Design, tuple[Placement, ...]]:
    """Return the design and the placements of a plan's document.

    Raises ValueError if it is not a plan's document.
    """
    try:
        found = json.loads(document)
        if found["algorithm"] != ALGORITHM:
            raise ValueError(f"made by {found['algorithm']!r}, this is {ALGORITHM!r}")
        design = _design(found["design"])
        shared = {_natural(index) for index in found["overlap"]}
        codes = [one.code for one in design.annotators]
        images = [*design.images, *design.checks.anchors]
        placements = tuple(
            placement
            for code, queue in zip(codes, found["queues"], strict=True)
            for placement in _queue_from_json(design, images, code, queue, shared)
        )
    except MALFORMED as error:
        raise ValueError(f"this is not the document of a plan ({error!r})") from error
    return design, placements


def _queue_from_json(
    design: Design, images: Sequence[PlanImage], code: str, queue: Sequence[object], shared: Collection[int]
) -> Iterator[Placement]:
    seen: set[int] = set()
    for position, index in enumerate(map(_natural, queue), start=1):
        purpose = ANCHOR if index >= len(design.images) else REPEAT if index in seen else WORK
        if index in seen and not design.checks.repeats:
            raise ValueError(f"annotator {code} has image {index} twice, but the plan has no repeats")
        seen.add(index)
        yield Placement(images[index].key, code, position, index in shared and purpose == WORK, purpose)


def _share(text: object) -> Fraction:
    """Return a share such as `1/5`; Fraction also reads `1e999999999`, which takes hours."""
    numerator, _, denominator = _of(str, text).partition("/")
    return Fraction(int(numerator), int(denominator))


def _of(kind: type[T], value: object) -> T:
    if not isinstance(value, kind) or isinstance(value, bool):
        raise ValueError(f"found {value!r}, expected {kind.__name__}")
    return value


def images_from_json(rows: Sequence[Any]) -> tuple[PlanImage, ...]:
    """Return the images of a document's rows."""
    return tuple(
        PlanImage(_of(str, key), _of(str, generator), _of(str, prompt)) for key, generator, prompt in rows
    )


def annotators_from_json(rows: Sequence[Any]) -> tuple[PlanAnnotator, ...]:
    """Return the annotators of a document's rows."""
    return tuple(
        PlanAnnotator(_of(str, code), None if capacity is None else _of(int, capacity))
        for code, capacity in rows
    )


def annotators_first(pieces: Iterable[bytes]) -> tuple[PlanAnnotator, ...]:
    """Return the annotators of a plan's or a change's document in pieces, reading no further.

    They are at the beginning of the design; quotes inside names are escaped, so the marker is unique.
    Raises ValueError if there are none.
    """
    text, at = "", -1
    for piece in pieces:
        text += piece.decode("ascii")
        at = text.find(_DESIGN) if at < 0 else at
        if at < 0:
            text = text[-len(_DESIGN) :]
            continue
        start = at + len(_DESIGN)
        try:
            rows, _ = json.JSONDecoder().raw_decode(text[start : start + _LONGEST_ANNOTATORS])
        except ValueError:
            if len(text) >= start + _LONGEST_ANNOTATORS:
                break
            continue  # truncated
        return annotators_from_json(rows)
    raise ValueError("no annotators in this document")


def _natural(index: object) -> int:
    if not isinstance(index, int) or index < 0:
        raise ValueError(f"{index!r} is not the position of an image")
    return index


def _design(found: dict[str, Any]) -> Design:
    overlap = found["overlap"]
    return Design(
        images=images_from_json(found["images"]),
        annotators=annotators_from_json(found["annotators"]),
        overlap=_share(overlap) if isinstance(overlap, str) else _of(int, overlap),
        coders=_of(int, found["coders"]),
        seed=_of(int, found["seed"]),
        earlier=earlier_from_json(found["earlier"]),
        checks=checks_from_json(found),
        barred=frozenset((_of(str, key), _of(str, code)) for key, code in found.get("barred", ())),
    )


def earlier_from_json(found: dict[str, Any] | None) -> Earlier | None:
    """Return the counts from `earlier_as_json`."""
    if found is None:
        return None

    def table(name: str) -> dict[Any, int]:
        rows: Sequence[Any] = found[name]
        return {tuple(row[:-1]): _of(int, row[-1]) for row in rows}

    return Earlier(table("by_generator"), table("by_prompt"), table("pairs"), table("pair_generator"))
