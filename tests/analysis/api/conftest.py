"""A small study and the programs of its people."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest

from annotator.models import Annotation, Assignment, Membership, Project
from tests.analysis.api.callers import Caller, calling
from tests.annotator.acting import submit
from tests.factories import (
    ANNOTATOR,
    LEAD,
    REVIEWER,
    make_assignment,
    make_batch,
    make_member,
    make_project,
    make_stored_image,
)


@dataclass
class Study:
    """Two annotators, three images each, the first of them judged by both."""

    project: Project
    people: dict[str, Membership]
    queue: list[Assignment] = field(default_factory=list)
    of_bob: list[Assignment] = field(default_factory=list)
    answers: list[Annotation] = field(default_factory=list)

    def caller(self, who: str) -> Caller:
        """A program with a new token of somebody."""
        return calling(self.people[who])


@pytest.fixture
def study(db: None) -> Study:
    project = make_project("pilot", name="Pilot")
    roles = {"lee": LEAD, "ada": ANNOTATOR, "bob": ANNOTATOR, "rex": REVIEWER}
    people = {code: make_member(project, role, code=code) for code, role in roles.items()}
    made = Study(project, people)
    batch = make_batch(project, name="first")
    for number in (1, 2, 3):
        image = make_stored_image(
            project,
            generator="secret-generator",
            prompt="secret-prompt",
            prompt_group="secret-group",
            number=number,
        )
        made.queue.append(make_assignment(people["ada"], batch=batch, image=image))
        made.of_bob.append(make_assignment(people["bob"], batch=batch, image=image))
    made.answers = [submit(made.queue[0]), submit(made.of_bob[0])]
    return made


@pytest.fixture
def lee(study: Study) -> Caller:
    """The lead's program."""
    return study.caller("lee")


@pytest.fixture
def ada(study: Study) -> Caller:
    """An annotator's program."""
    return study.caller("ada")
