"""Answers of a bundle held against their protocol: the ratings beside the marks are those of the marks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Any

from analysis.bundles.opened import BundleRefused
from annotator.models import Annotation, Batch, Project
from scoring.protocol import InvalidPayload
from scoring.service import get_protocol


def require_answer(values: Mapping[str, Any], batch: Batch, project: Project, where: str) -> None:
    """Raise BundleRefused for an answer that its protocol would not take, or with ratings not its own."""
    protocol = get_protocol(batch.protocol)
    try:
        answer = protocol.clean(values["payload"], complete=False)
        made = protocol.ratings(answer, project.exact_weights) if values["ratings"] is not None else None
    except (InvalidPayload, ValueError) as error:
        raise BundleRefused(f"{where}: the answer cannot be used: {error}") from error
    submitted = values["status"] == Annotation.Status.SUBMITTED
    if submitted and (values["ratings"] is None or values["submitted_at"] is None):
        raise BundleRefused(f"{where}: a submitted answer has “ratings” and “submitted_at”.")
    if made is not None and not _same(values["ratings"], made):
        raise BundleRefused(f"{where}: the ratings are not those of the marks.")


def require_settled(values: Mapping[str, Any], project: Project, where: str) -> None:
    """Raise BundleRefused for a settled value that its protocol would not take, or with foreign ratings."""
    protocol = get_protocol(values["protocol"])
    try:
        made = protocol.ratings(protocol.clean(values["payload"]), project.exact_weights)
    except (InvalidPayload, ValueError) as error:
        raise BundleRefused(f"{where}: the settled value cannot be used: {error}") from error
    if not _same(values["ratings"], made):
        raise BundleRefused(f"{where}: the ratings are not those of the marks.")


def _same(stored: list[list[str]], made: Iterable[tuple[str, str, Fraction]]) -> bool:
    """Whether ratings belong to an answer. Its score may be of other weights, which were in use then."""
    (score, *fractions), expected = (stored or [["", "", ""]]), list(made)
    found = [(variable, component, Fraction(value)) for variable, component, value in fractions]
    return score[:2] == list(expected[0][:2]) and found == expected[1:]
