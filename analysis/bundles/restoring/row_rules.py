"""Rules for the rows of a bundle's `restore/`, by file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from analysis.bundles.restoring import rules
from analysis.bundles.restoring.rules import Rule, maybe, one_of, text, truth, whole
from annotator.images.decoding import FORMATS
from annotator.models import Adjudication, Annotation, Assignment

IMAGE_RULES: Final[Mapping[str, Rule]] = {
    "sha256": rules.content,
    "source_name": text(400),
    "format": one_of(FORMATS),
    "width": whole(1),
    "height": whole(1),
    "generator": text(120),
    "prompt": text(400),
    "prompt_group": text(80),
    "number": maybe(whole(0)),
    "attributes": rules.an_object,
    "scaled_from": maybe(rules.original_of_scaled),
    "file": maybe(text(200, 1)),
}
ASSIGNMENT_RULES: Final[Mapping[str, Rule]] = {
    "position": maybe(whole(0)),
    "status": one_of(Assignment.Status.values),
    "purpose": one_of(Assignment.Purpose.values),
    "drawn": one_of(Assignment.Drawn.values),
    "pass_no": whole(0, 32767),
}
ANNOTATION_RULES: Final[Mapping[str, Rule]] = {
    "payload": rules.an_object,
    "status": one_of(Annotation.Status.values),
    "version": whole(1),
    "warnings": rules.warnings,
    "ratings": maybe(rules.ratings),
    "source": maybe(rules.row_as_it_was),
    "capture": rules.an_object,
    "flagged": truth,
    "active_ms": maybe(whole(0, 2**63 - 1)),
    "saved_at": rules.moment,
    "submitted_at": maybe(rules.moment),
}
ADJUDICATION_RULES: Final[Mapping[str, Rule]] = {
    "protocol": rules.protocol,
    "payload": rules.an_object,
    "ratings": rules.ratings,
    "status": one_of(Adjudication.Status.values),
    "version": whole(1),
    "note": text(2000),
    "settled_from": rules.lines_and_versions,
    "decided_at": rules.moment,
}
