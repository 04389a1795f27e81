"""What reports compute of a protocol's answers: the face that analysis gives to a protocol."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from scoring.protocol import Protocol

if TYPE_CHECKING:
    from analysis.stats.frames import AnswerTable
    from annotator.models import Project
    from scoring.protocol import Payload

Row = tuple[Any, ...]
"""An answer: what is known of it, its `Numbers.fields`, the image's number, its id, when it was made."""
Compute = Callable[..., Mapping[str, object]]
"""Takes the table and what to tell of the progress; kinds `using_settled` also `adjudicated`, by name."""


@dataclass(frozen=True)
class Numbers:
    """How a protocol's answers are read, and what is computed of them.

    `fields` are what is read of an answer: its ratings, its payload or parts of them. `frame` makes the table
    of rows that are read, for a project, of answers made under one protocol (`source`) and shown as another.
    `computation` gives the function of a kind of report, and imports the numeric stack. `decided` reads what
    a report needs of an adjudication: its protocol's slug, its payload, its ratings. Kinds `using_settled`
    put it in the place of an image's mean. `names_itself`: a result says which protocol it is about. `told`
    is the protocol as data for a bundle, such as what annotators were asked and how answers become numbers.
    """

    fields: tuple[Any, ...]
    frame: Callable[[Iterable[list[Row]], Project, str, str], AnswerTable]
    computation: Callable[[str], Compute]
    decided: Callable[[str, Payload, list[list[str]]], Any]
    told: Callable[[Protocol, Project], dict[str, Any]]
    using_settled: frozenset[str] = frozenset()
    names_itself: bool = True
