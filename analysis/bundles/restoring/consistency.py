"""Check annotations of a bundle against their protocol: stored ratings must follow from the payload."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from analysis.bundles.restoring.archive import BundleRefused
from annotator.models import Annotation, Batch, Project
from scoring.protocol import CheckedAnnotation, InvalidPayload, Protocol, Rating
from scoring.service import get_protocol


def require_annotation(values: Mapping[str, Any], batch: Batch, project: Project, where: str) -> None:
    """Raise BundleRefused for an annotation that is invalid or whose ratings do not follow from it."""
    protocol = get_protocol(batch.protocol)
    try:
        answer = protocol.clean(values["payload"], complete=False)
        made = _made(protocol, answer, project) if values["ratings"] is not None else None
    except (InvalidPayload, ValueError) as error:
        raise BundleRefused(f"{where}: the annotation is invalid: {error}") from error
    submitted = values["status"] == Annotation.Status.SUBMITTED
    if submitted and (values["ratings"] is None or values["submitted_at"] is None):
        raise BundleRefused(f"{where}: a submitted annotation needs “ratings” and “submitted_at”.")
    if made is not None and not _same(values["ratings"], made):
        raise BundleRefused(f"{where}: the ratings do not match the marks.")


def require_adjudicated(values: Mapping[str, Any], project: Project, where: str) -> None:
    """Raise BundleRefused for an adjudicated value that is invalid or whose ratings do not follow from it."""
    protocol = get_protocol(values["protocol"])
    try:
        made = _made(protocol, protocol.clean(values["payload"]), project)
    except (InvalidPayload, ValueError) as error:
        raise BundleRefused(f"{where}: the adjudicated value is invalid: {error}") from error
    if not _same(values["ratings"], made):
        raise BundleRefused(f"{where}: the ratings do not match the marks.")


def _made(protocol: Protocol, answer: CheckedAnnotation, project: Project) -> list[tuple[Rating, bool]]:
    """Return the ratings of an annotation, each with whether it depends on the project's settings."""
    settings = project.exact_weights
    others = protocol.ratings(answer, {name: weight * 2 + 1 for name, weight in settings.items()})
    made = protocol.ratings(answer, settings)
    return [(rating, rating != other) for rating, other in zip(made, others, strict=True)]


def _same(stored: list[list[str]], made: list[tuple[Rating, bool]]) -> bool:
    """Return whether ratings match. Those that depend on settings may come from earlier ones."""
    return len(stored) == len(made) and all(
        (variable, component) == rating[:2] and (varies or Fraction(value) == rating[2])
        for (variable, component, value), (rating, varies) in zip(stored, made, strict=True)
    )
