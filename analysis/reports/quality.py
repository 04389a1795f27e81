"""The quality report of a project: what is read, its digest, and the result.

Only `QualityInput.result` imports the numeric stack, because web processes import this module too.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from analysis.data.quality import SAMPLE, load_people
from analysis.data.versions import code_version
from analysis.protocols.registry import numbers_of
from annotator.models import Project
from annotator.work.execution import WorkRefused
from scoring.protocol import Protocol
from scoring.service import get_protocol

if TYPE_CHECKING:
    from analysis.stats.quality.records import Person

NOTHING: Final = (
    "No annotator has submitted work here under “{title}” yet; imported annotations are not watched."
)


@dataclass(frozen=True)
class QualityInput:
    """What a quality report is computed from, and a digest that changes whenever the report would."""

    protocol: Protocol
    people: Sequence[Person]
    digest: str

    @property
    def annotations(self) -> int:
        """The number of annotations examined."""
        return sum(len(person.anchors) + len(person.repeats) + len(person.work) for person in self.people)

    def result(self) -> dict[str, Any]:
        """Compute the report; raise WorkRefused if there is nothing to look at."""
        from analysis.stats.quality.report import quality

        if not self.annotations:
            raise WorkRefused(NOTHING.format(title=self.protocol.title))
        headline, numbers = self.protocol.headline, numbers_of(self.protocol.slug)
        return quality(self.people, headline, numbers.severity_names, sample=SAMPLE, fast_ms=numbers.fast_ms)


def quality_input(project: Project, protocol: str) -> QualityInput:
    """Read what a quality report is computed from."""
    people = load_people(project, protocol)
    settings = json.dumps(project.weights, sort_keys=True)
    digest = hashlib.sha256(f"{code_version()}|{settings}|{people!r}".encode()).hexdigest()
    return QualityInput(get_protocol(protocol), people, digest)
