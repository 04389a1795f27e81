"""The taxonomy of Muhr et al. (2024): 5 error types x 5 body parts x 3 severities.

Every tuple here is in the published order, which is also the order of the published sheet's columns, of
marks in a payload and of arrays in reports. Never re-sort them.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, Literal

CountKind = Literal["expected", "visible"]

ERROR_TYPES: Final = ("missing", "extra", "configuration", "orientation", "proportion")
BODY_PARTS: Final = ("torso", "limbs", "feet", "hands", "face")
SEVERITIES: Final = ("a", "b", "c")
COUNT_KINDS: Final[tuple[CountKind, ...]] = ("expected", "visible")

ERROR_TYPE_TITLES: Final[Mapping[str, str]] = MappingProxyType({name: name.title() for name in ERROR_TYPES})
BODY_PART_TITLES: Final[Mapping[str, str]] = MappingProxyType({name: name.title() for name in BODY_PARTS})
SEVERITY_TITLES: Final[Mapping[str, str]] = MappingProxyType({"a": "mild", "b": "moderate", "c": "severe"})

# Missing and extra parts are counted against the expected body, all other errors against the visible parts.
COUNT_OF: Final[Mapping[str, CountKind]] = MappingProxyType(
    {
        "missing": "expected",
        "extra": "expected",
        "configuration": "visible",
        "orientation": "visible",
        "proportion": "visible",
    }
)

# singular, plural
BODY_PART_NOUNS: Final[Mapping[str, tuple[str, str]]] = MappingProxyType(
    {
        "torso": ("torso", "torsos"),
        "limbs": ("limb", "limbs"),
        "feet": ("foot", "feet"),
        "hands": ("hand", "hands"),
        "face": ("face", "faces"),
    }
)


@dataclass(frozen=True)
class Cell:
    """One error type on one body part; `CELLS` holds all 25."""

    error_type: str
    body_part: str

    @property
    def key(self) -> str:
        """The name used in payloads and ratings, such as `missing.limbs`."""
        return f"{self.error_type}.{self.body_part}"

    @property
    def heading(self) -> str:
        """The column heading of the published sheet, such as `1. Missing Error-1.2 Limbs`."""
        first = ERROR_TYPES.index(self.error_type) + 1
        second = BODY_PARTS.index(self.body_part) + 1
        error_type, body_part = ERROR_TYPE_TITLES[self.error_type], BODY_PART_TITLES[self.body_part]
        return f"{first}. {error_type} Error-{first}.{second} {body_part}"

    @property
    def title(self) -> str:
        """The title for display, such as `Missing · Limbs`."""
        return f"{ERROR_TYPE_TITLES[self.error_type]} · {BODY_PART_TITLES[self.body_part]}"

    @property
    def count_kind(self) -> CountKind:
        """The count that is the denominator of this cell's marks."""
        return COUNT_OF[self.error_type]


CELLS: Final[tuple[Cell, ...]] = tuple(
    Cell(error_type, body_part) for error_type in ERROR_TYPES for body_part in BODY_PARTS
)
CELL_BY_KEY: Final[Mapping[str, Cell]] = MappingProxyType({cell.key: cell for cell in CELLS})

SHEET_COLUMNS: Final[tuple[str, ...]] = (
    "Image Id",
    "Model",
    "Prompt",
    "Pic Num.",
    *(cell.heading for cell in CELLS),
    "Annotator",
)


def parts_in_words(number: int, body_part: str, kind: CountKind | None = None) -> str:
    """Return a count as text: `3 visible hands`, `1 expected foot`, `2 hands`."""
    noun = BODY_PART_NOUNS[body_part][number != 1]
    return f"{number} {kind} {noun}" if kind else f"{number} {noun}"
