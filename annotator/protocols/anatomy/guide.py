"""The anatomy guideline, with a drawn example of every error type and severity."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from annotator.protocols.anatomy.examples import BLURRED, EXAMPLES, PICTURE_SIZE, WORKED, Example
from annotator.protocols.anatomy.guide_texts import (
    BODY_PART_DEFINITIONS,
    COUNT_DEFINITIONS,
    ERROR_TYPE_DEFINITIONS,
    FACE_BLUR,
    GENERAL_REMINDERS,
    SEVERITY_DEFINITIONS,
)
from annotator.protocols.anatomy.keys import KEYS
from scoring.grid.notation import Term
from scoring.grid.scores import DEFAULT_WEIGHTS, cell_score, cumulative_score
from scoring.grid.taxonomy import (
    BODY_PART_TITLES,
    CELL_BY_KEY,
    COUNT_OF,
    ERROR_TYPE_TITLES,
    ERROR_TYPES,
    SEVERITY_TITLES,
    parts_in_words,
)


@dataclass(frozen=True)
class Chapter:
    """One error type with its definition, its count, and its examples from mild to severe.

    `rule` introduces a second row of examples, `further`, also from mild to severe.
    """

    name: str
    title: str
    definition: str
    count_kind: str
    examples: tuple[Example, ...]
    rule: str = ""
    further: tuple[Example, ...] = ()


@dataclass(frozen=True)
class Step:
    """One term of the worked example: share times weight gives the product."""

    title: str
    term: str
    share: str
    weight: str
    product: Fraction


def context() -> dict[str, Any]:
    """Return the context of the guideline's template."""
    return {
        "chapters": chapters(),
        "counts": [(kind, _types_with(kind), text) for kind, text in COUNT_DEFINITIONS.items()],
        "keys": KEYS,
        "parts": [(BODY_PART_TITLES[name], text) for name, text in BODY_PART_DEFINITIONS.items()],
        "picture_size": PICTURE_SIZE,
        "reminders": GENERAL_REMINDERS,
        "severities": [
            (letter, SEVERITY_TITLES[letter], text, _plain(DEFAULT_WEIGHTS[letter]))
            for letter, text in SEVERITY_DEFINITIONS.items()
        ],
        "steps": steps(WORKED),
        "total": cumulative_score(WORKED),
        "worked_counts": _counted(WORKED),
    }


def chapters() -> list[Chapter]:
    """Return the five error types in their published order."""
    return [
        Chapter(
            name=name,
            title=ERROR_TYPE_TITLES[name],
            definition=_sentence(ERROR_TYPE_DEFINITIONS[name]),
            count_kind=COUNT_OF[name],
            examples=tuple(example for example in EXAMPLES if example.cell.error_type == name),
            rule=FACE_BLUR if name == "configuration" else "",
            further=BLURRED if name == "configuration" else (),
        )
        for name in ERROR_TYPES
    ]


def steps(answer: Mapping[str, tuple[Term, ...]]) -> list[Step]:
    """Return every term of an answer with its contribution to the cumulative score (Equations 1 and 2)."""
    return [
        Step(
            title=CELL_BY_KEY[key].title,
            term=f"{term.affected}/{term.total}{term.severity}",
            share=f"{term.affected}/{term.total}",
            weight=_plain(DEFAULT_WEIGHTS[term.severity]),
            product=cell_score([term]),
        )
        for key, terms in answer.items()
        for term in terms
    ]


def _counted(answer: Mapping[str, tuple[Term, ...]]) -> str:
    """Return the expected counts of an answer: `4 limbs, 3 hands and 2 faces`."""
    cells = [CELL_BY_KEY[key] for key in answer]
    *first, last = (
        parts_in_words(answer[cell.key][0].total, cell.body_part)
        for cell in cells
        if cell.count_kind == "expected"
    )
    return f"{', '.join(first)} and {last}"


def _types_with(kind: str) -> str:
    *first, last = (ERROR_TYPE_TITLES[name] for name in ERROR_TYPES if COUNT_OF[name] == kind)
    return f"{', '.join(first)} and {last}"


def _plain(weight: Fraction) -> str:
    return f"{float(weight):g}"


def _sentence(text: str) -> str:
    return text[0].upper() + text[1:]
