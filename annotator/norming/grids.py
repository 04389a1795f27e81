"""The annotations of one image of a norming session as one grid: per cell, who said what."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from annotator.models import Annotation, NormedImage, NormingComment
from annotator.protocols.adjudication_form import AdjudicationForm
from annotator.protocols.registry import page_of


@dataclass(frozen=True)
class Said:
    """One value of a cell, empty for none, and the codes of those who gave it."""

    text: str
    codes: Sequence[str]


@dataclass(frozen=True)
class NormingCell:
    """One cell: what was said, from the most frequent on, and what was agreed (None: nothing yet)."""

    key: str
    title: str
    said: Sequence[Said]
    agreed: str | None
    comments: int = 0

    @property
    def differs(self) -> bool:
        """Whether two participants said different things."""
        return len(self.said) > 1

    @property
    def marked(self) -> list[Said]:
        """The values other than none."""
        return [value for value in self.said if value.text]


@dataclass(frozen=True)
class NormingGrid:
    """All cells of an image by row, and who has judged it; `form` takes the agreed value."""

    heads: Sequence[str]
    rows: Sequence[tuple[str, Sequence[NormingCell]]]
    codes: Sequence[str]
    form: AdjudicationForm

    @property
    def cells(self) -> list[NormingCell]:
        """Return all cells in published order."""
        by_key = {cell.key: cell for _, cells in self.rows for cell in cells}
        return [by_key[key] for key in self.form.titles if key in by_key]

    @property
    def differing(self) -> list[NormingCell]:
        """Return the cells on which the participants differ."""
        return [cell for cell in self.cells if cell.differs]


def grid_of(
    normed: NormedImage,
    protocol: str,
    answers: Sequence[Annotation],
    comments: Sequence[NormingComment] = (),
    data: Mapping[str, Any] | None = None,
) -> NormingGrid:
    """Return the grid of an image from its submitted `answers`, by code; `data` is a submitted form."""
    form = page_of(protocol).adjudicating(answers, stored=normed.agreed, data=data)
    counts: dict[str, int] = {}
    for comment in comments:
        counts[comment.component] = counts.get(comment.component, 0) + 1

    def cell(key: str) -> NormingCell:
        return NormingCell(
            key,
            form.titles[key],
            _values(form, answers, key),
            None if normed.agreed is None else _shown(form.text_of(normed.agreed, key)),
            counts.get(key, 0),
        )

    rows = form.rows or [(title, [key]) for key, title in form.titles.items()]
    return NormingGrid(
        form.heads,
        [(title, [cell(key) for key in keys]) for title, keys in rows],
        [answer.assignment.annotator.code for answer in answers],
        form,
    )


def _values(form: AdjudicationForm, answers: Sequence[Annotation], key: str) -> list[Said]:
    codes: dict[str, list[str]] = {}
    for answer in answers:
        codes.setdefault(form.text_of(answer.payload, key), []).append(answer.assignment.annotator.code)
    ordered = sorted(codes.items(), key=lambda item: (-len(item[1]), item[1]))
    return [Said(_shown(text), who) for text, who in ordered]


def _shown(text: str) -> str:
    return text.replace(",", ", ")
