"""The annotators, as one program of its own: lines of JSON say what to do, lines of JSON what came of it.

    python -m benchmarks.load.client PORT CERTIFICATE

A phase is `{"walk": "labelling", "saves": 1, "annotators": 32, "pace": "closed", "seconds": 15}`; `people`
(cookie and first assignment) come before the first one. Nothing here imports Django: the clients have the
processor in common with the server.
"""

from __future__ import annotations

import json
import random
import resource
import ssl
import sys
import time
from pathlib import Path
from typing import Any

from benchmarks.load.lines import Line
from benchmarks.load.loop import Lane, Run, figures
from benchmarks.load.pacing import pace_of
from benchmarks.load.walk import Person, Unexpected, Walk, bare, labelling

STEPS = 4
"""Next, picture, draft, submission. At a fixed rate all annotators would take the same step in a row, and
nobody's requests come like that."""


class Crowd:
    """All annotators of a study, and their phases."""

    def __init__(self, port: int, certificate: Path) -> None:
        self.port = port
        self.tls = ssl.create_default_context(cafile=str(certificate))
        self.people: list[Person] = []
        self.everybody: list[Person] = []

    def meet(self, people: list[dict[str, Any]]) -> None:
        """Replace the annotators."""
        self.people = [Person(each["cookie"], each["at"]) for each in people]
        self.everybody = list(self.people)

    def phase(self, told: dict[str, Any]) -> dict[str, Any]:
        """Run a number of annotators for some seconds, and wait for open requests at the end."""
        lanes = [self._lane(told) for _ in range(told["annotators"])]
        if told["pace"] == "open":
            for place, lane in enumerate(lanes):
                lane.go_ahead(place % STEPS)
        begun, spent = time.monotonic(), _processor()
        run = Run(lanes, pace_of(told, begun), begun + told["seconds"], lambda lane: self._next(lane, told))
        seen = run.until_over()
        over = time.monotonic()
        for lane in lanes:
            lane.line.close()
            self.people.append(lane.person)
        return {
            "seconds": over - begun,
            "cpu": _processor() - spent,
            "kinds": {kind: figures(found) for kind, found in seen.seconds.items()},
            "errors": seen.errors[:5],
            "failed": len(seen.errors),
        }

    def acknowledged(self) -> dict[str, Any]:
        """Return the assignments with an acknowledged submission, and the number of acknowledged drafts."""
        return {
            "submitted": [pk for person in self.everybody for pk in person.submitted],
            "saves": sum(person.saves for person in self.everybody),
        }

    def _lane(self, told: dict[str, Any]) -> Lane:
        person = self._somebody()
        return Lane(Line(self.port, self.tls), person, _walk(person, told))

    def _next(self, lane: Lane, told: dict[str, Any]) -> None:
        """Replace annotators whose queue is empty."""
        lane.person = self._somebody()
        lane.walk = _walk(lane.person, told)

    def _somebody(self) -> Person:
        while self.people:
            person = self.people.pop(0)
            if person.at is not None:
                return person
        raise Unexpected("nobody has anything left to do: the study is too small for this run")


def _walk(person: Person, told: dict[str, Any]) -> Walk:
    if told["walk"] == "labelling":
        saves: int = told["saves"]
        already = random.randrange(saves + 1) if told["pace"] == "thinking" else 0
        return labelling(person, saves, pictures=told["pictures"], already=already)
    return bare(person, insert=told["walk"] == "bare insert")


def _processor() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def main() -> None:
    """Carry out the commands."""
    crowd = Crowd(int(sys.argv[1]), Path(sys.argv[2]))
    for line in sys.stdin:
        told = json.loads(line)
        if "people" in told:
            crowd.meet(told["people"])
            said: dict[str, Any] = {"people": len(crowd.people)}
        else:
            said = crowd.phase(told) if "walk" in told else crowd.acknowledged()
        print(json.dumps(said), flush=True)


if __name__ == "__main__":
    main()
