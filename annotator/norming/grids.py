"""The annotations of one image of a norming session as one grid: per cell, who said what."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from annotator.models import Annotation, NormedImage, NormingComment
from annotator.protocols.adjudication_form import AdjudicationForm
from annotator.protocols.registry import page_of


def grid_of(
    normed: NormedImage,
    protocol: str,
    answers: Sequence[Annotation],
    comments: Sequence[NormingComment] = (),
    data: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Return the cells of an image in published order and by row, and the codes of who has judged it.

    `answers` are the submitted ones, by code; `form` takes the agreed value, and `data` is a submitted form.
    Each cell has what was `said`, from the most frequent on, and what was `agreed`, None for nothing yet.
    """
    form = page_of(protocol).adjudicating(answers, stored=normed.agreed, data=data)
    counts = Counter(comment.component for comment in comments)
    cells = {key: {"key": key, "title": title, "comments": counts[key]} for key, title in form.titles.items()}
    for key, cell in cells.items():
        said, agreed = _values(form, answers, key), normed.agreed
        cell |= {"said": said, "differs": len(said) > 1}
        cell["agreed"] = None if agreed is None else _shown(form.text_of(agreed, key))
    rows = form.rows or [(title, [key]) for key, title in form.titles.items()]
    return {
        "heads": form.heads,
        "rows": [(title, [cells[key] for key in keys]) for title, keys in rows],
        "cells": list(cells.values()),
        "differing": [cell for cell in cells.values() if cell["differs"]],
        "codes": [answer.assignment.annotator.code for answer in answers],
        "form": form,
    }


def _values(form: AdjudicationForm, answers: Sequence[Annotation], key: str) -> list[dict[str, Any]]:
    """Return the values of a cell, an empty text for none, each with the codes of those who gave it."""
    codes: dict[str, list[str]] = {}
    for answer in answers:
        codes.setdefault(form.text_of(answer.payload, key), []).append(answer.assignment.annotator.code)
    ordered = sorted(codes.items(), key=lambda item: (-len(item[1]), item[1]))
    return [{"text": _shown(text), "codes": who} for text, who in ordered]


def _shown(text: str) -> str:
    return text.replace(",", ", ")
