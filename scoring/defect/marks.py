"""The protocol *defect-marks*: a mask, a kind and a description of every defect, and their effect.

Source: the annotation of a set of 4,000 generated images with defects; the texts and limits are ours.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import combinations
from typing import Any, Final, TypeVar

from scoring.defect.masks import Mask, MaskRefused, read_mask, read_size, shared_area, union
from scoring.grid.taxonomy import BODY_PART_TITLES, SEVERITY_TITLES
from scoring.payloads import (
    Refusals,
    read_choice,
    read_flag,
    read_list,
    read_object,
    read_remarks,
    read_text,
    read_whole_number,
)
from scoring.protocol import Flaggable, Payload, PayloadWarning, Protocol, Rating, Variable

Found = TypeVar("Found")
KINDS: Final[Mapping[str, str]] = {"structural": "Structural", "logical": "Logical"}
"""Against the build of a thing, or against physics or sense."""
EFFECTS: Final = ("slight", "noticeable", "serious", "unusable")
"""How the defects affect the image, from 0 to 3."""
MOST_DEFECTS: Final = 30
LEAST_PIXELS: Final = 16
SHORTEST_TEXT: Final = 10
LONGEST_DESCRIPTION: Final = 1000
COVERED: Final = Fraction(9, 10)
"""Two masks are warned about if one covers so much of the other."""
_ID: Final = re.compile(r"d[1-9][0-9]{0,2}")
OTHER_PART: Final = "other"
PARTS: Final[Mapping[str, str]] = {**BODY_PART_TITLES, OTHER_PART: "No body part"}
"""Of what a defect is, where a batch asks for it."""
DETAILS: Final[Mapping[str, Mapping[str, str]]] = {
    "part": PARTS,
    "severity": {letter: title.capitalize() for letter, title in SEVERITY_TITLES.items()},
}
"""What a batch may ask of each defect besides, with its answers."""
_ASKED: Final = ("details", "boxes", "elsewhere")
_KEYS: Final = ("size", *_ASKED, "defects", "effect", "no_defect", "note", "flag", "tags")
_DEFECT_KEYS: Final = ("id", "mask", "kind", "text", *DETAILS)

_WHOLE: Final = f"whole numbers from 0 to {MOST_DEFECTS}"
_COUNTS: Final = tuple(range(MOST_DEFECTS + 1))
DEFECTS: Final = Variable("defects", "Defects", "ratio", _WHOLE, values=_COUNTS, headline=True)
OF_KIND: Final = tuple(
    replace(DEFECTS, name=kind, title=f"{title} defects", headline=False) for kind, title in KINDS.items()
)
_COVERED: Final = "the share of the image that any mask covers, from 0 to 1"
AREA: Final = Variable("area", "Marked area", "ratio", _COVERED, limits=(0.0, 1.0))
_GRADES: Final = "0 slight, 1 noticeable, 2 serious, 3 unusable; none without a defect"
EFFECT: Final = Variable(
    "effect", "Effect on the image", "ordinal", _GRADES, values=tuple(range(len(EFFECTS))), optional=True
)


@dataclass(frozen=True)
class Defect:
    """One marked defect; a draft may lack its mask, kind and text. Few batches ask for part and severity."""

    id: str
    mask: Mask | None = None
    kind: str | None = None
    text: str = ""
    part: str | None = None
    severity: str | None = None

    @property
    def number(self) -> int:
        """The number that people see."""
        return int(self.id[1:])

    @property
    def details(self) -> list[str]:
        """Body part and severity in words, as far as they are given."""
        given = ((titles, getattr(self, name)) for name, titles in DETAILS.items())
        return [titles[said].lower() for titles, said in given if said]

    def as_json(self) -> dict[str, Any]:
        """Return the defect as it is stored."""
        mask = self.mask.as_json() if self.mask else None
        details = {name: said for name in DETAILS if (said := getattr(self, name))}
        return {"id": self.id, "mask": mask, "kind": self.kind, "text": self.text, **details}


@dataclass(frozen=True)
class Marks(Flaggable):
    """The checked content of one annotation, built by `clean`.

    The server gives `size`, the grid of the image as (height, width), None if it is not known, and
    `details`, whether body part and severity of each defect are asked; of `boxes` they are description
    enough. Marks made `elsewhere` need nothing but their masks.
    """

    size: tuple[int, int] | None
    defects: tuple[Defect, ...]
    effect: int | None
    no_defect: bool
    details: bool = False
    boxes: bool = False
    elsewhere: bool = False

    @property
    def masked(self) -> list[tuple[Defect, Mask]]:
        """The defects that have a mask, with it; a check numbers them in this order."""
        return [(defect, defect.mask) for defect in self.defects if defect.mask]

    @property
    def share(self) -> Fraction:
        """The share of the image that any mask covers."""
        return union(mask for _, mask in self.masked).share if self.masked else Fraction(0)

    @property
    def warnings(self) -> tuple[PayloadWarning, ...]:
        """Large masks, and pairs of which one nearly covers the other."""
        found = [
            (defect, "mask_large", f"Defect {defect.number} covers more than half of the image.")
            for defect, mask in self.masked
            if 2 * mask.area > mask.height * mask.width
        ] + [
            (other, "mask_covered", f"Defects {one.number} and {other.number} mark nearly the same place.")
            for (one, mask), (other, of_other) in combinations(self.masked, 2)
            if shared_area(mask, of_other) >= COVERED * min(mask.area, of_other.area)
        ]
        return tuple(PayloadWarning(f"defects.{about.id}.mask", code, words) for about, code, words in found)

    def payload(self) -> Payload:
        """Return the canonical payload, ready for JSON."""
        return {
            **({"size": list(self.size)} if self.size else {}),
            **{name: True for name in _ASKED if getattr(self, name)},
            "defects": [defect.as_json() for defect in self.defects],
            "effect": self.effect,
            "no_defect": self.no_defect,
            "note": self.note,
            **self.remarks(),
        }


def clean(payload: object, *, complete: bool = True) -> Marks:
    """Return the checked annotation of a payload. Missing keys have the values of an untouched draft.

    `complete=False` accepts drafts, whose defects may lack mask, kind and text. Raises only InvalidPayload;
    its fields are `effect` and, by the id of a defect, `defects.d1.mask`, `.kind` and `.text`.
    """
    refusals = Refusals()
    given = read_object(payload, _KEYS, "", refusals) or {}
    size = _read(read_size, given.get("size"), "size", "the size of the image", refusals)
    defects = _read_defects(given.get("defects", []), size, refusals)
    no_defect = read_flag(given.get("no_defect", False), "no_defect", refusals)
    effect = given.get("effect")
    annotation = Marks(
        size=size,
        defects=defects,
        # Without a defect nobody is asked for its effect.
        effect=None
        if effect is None or no_defect
        else read_whole_number(effect, 0, len(EFFECTS) - 1, "effect", refusals),
        no_defect=no_defect,
        **read_remarks(given, refusals)
        | {name: read_flag(given.get(name, False), name, refusals) for name in _ASKED},
    )
    refusals.raise_if_any()
    if no_defect and defects:
        marked = _counted(len(defects), "marked defect")
        refusals.add("no_defect", f"“No defect” and {marked} contradict each other.")
    if complete:
        _check_complete(annotation, refusals)
    refusals.raise_if_any()
    return annotation


def _counted(number: int, thing: str) -> str:
    return f"{number} {thing}{'' if number == 1 else 's'}"


def _check_complete(annotation: Marks, refusals: Refusals) -> None:
    if not annotation.defects and not annotation.no_defect:
        refusals.add("", "Not submitted: mark at least one defect, or say that there is none.")
    asked = {"kind": "structural or logical?"}
    if annotation.details:
        asked |= {"part": "which body part?", "severity": "how severe?"}
    for defect in annotation.defects:
        name, at = f"Defect {defect.number}", f"defects.{defect.id}"
        area = defect.mask.area if defect.mask else 0
        if area < LEAST_PIXELS:
            few = f"has {_counted(area, 'pixel')}; mark at least {LEAST_PIXELS}."
            refusals.add(f"{at}.mask", f"{name} {few if area else 'is not marked yet.'}")
        if annotation.elsewhere:
            continue
        for part in (part for part in asked if not getattr(defect, part)):
            refusals.add(f"{at}.{part}", f"{name}: {asked[part]}")
        is_enough = annotation.details and annotation.boxes
        if len(defect.text.strip()) < SHORTEST_TEXT and not is_enough:
            refusals.add(f"{at}.text", f"{name}: say in at least {SHORTEST_TEXT} characters what is wrong.")
    if annotation.defects and annotation.effect is None and not annotation.elsewhere | annotation.no_defect:
        refusals.add("effect", "Say how the defects affect the image.")


def _read(
    read: Callable[[object], Found], value: object, at: str, what: str, refusals: Refusals
) -> Found | None:
    try:
        return None if value is None else read(value)
    except MaskRefused as error:
        refusals.add(at, f"Refused: {what} {error}.")
        return None


def _read_defects(value: object, size: tuple[int, int] | None, refusals: Refusals) -> tuple[Defect, ...]:
    if isinstance(value, list) and len(value) > MOST_DEFECTS:
        refusals.add("", f"An image has at most {MOST_DEFECTS} defects.")
        return ()
    defects: list[Defect] = []
    for entry in read_list(value, MOST_DEFECTS, "defects", refusals):
        given = read_object(entry, _DEFECT_KEYS, "defects", refusals) or {}
        name = given.get("id")
        if not isinstance(name, str) or not _ID.fullmatch(name):
            refusals.add("defects", "Refused: the id of a defect is none of d1 to d999.")
        elif any(defect.id == name for defect in defects):
            refusals.add("defects", f"Refused: two defects have the id {name}.")
        else:
            defects.append(_read_defect(name, given, size, refusals))
            size = size or (defects[-1].mask.size if defects[-1].mask else None)
    return tuple(defects)


def _read_defect(
    name: str, given: Mapping[str, object], size: tuple[int, int] | None, refusals: Refusals
) -> Defect:
    at, number = f"defects.{name}", name[1:]
    text = read_text(given.get("text", ""), f"{at}.text", refusals)
    if len(text) > LONGEST_DESCRIPTION:
        limit = f"{len(text)} characters; the limit is {LONGEST_DESCRIPTION}."
        refusals.add(f"{at}.text", f"Defect {number}: {limit}")
    mask = _read(read_mask, given.get("mask"), f"{at}.mask", f"the mask of defect {number}", refusals)
    if mask and size and mask.size != size:
        sizes = f"{mask.height} × {mask.width}; this image has {size[0]} × {size[1]}"
        refusals.add(f"{at}.mask", f"Refused: the mask of defect {number} is {sizes}.")
    said = {
        part: read_choice(given[part], known, part, f"{at}.{part}", refusals)
        for part, known in {"kind": KINDS, **DETAILS}.items()
        if given.get(part) is not None
    }
    return Defect(name, mask if mask and mask.area else None, text=text, **said)


def ratings(answer: Marks, _: Mapping[str, Fraction]) -> tuple[Rating, ...]:
    """Return the numbers of defects, the marked share of the image, the effect. The settings are ignored."""
    kinds = [defect.kind for defect in answer.defects]
    effect = () if answer.effect is None else ((EFFECT.name, "", Fraction(answer.effect)),)
    return (
        (DEFECTS.name, "", Fraction(len(kinds))),
        *((variable.name, "", Fraction(kinds.count(variable.name))) for variable in OF_KIND),
        (AREA.name, "", answer.share),
        *effect,
    )


MARKS: Final = Protocol(
    slug="defect-marks",
    title="Defects: masks and descriptions",
    version=1,
    variables=(DEFECTS, *OF_KIND, AREA, EFFECT),
    clean=clean,
    ratings=ratings,
    # A check decides, and masks have no single reference.
    adjudicated=False,
)
