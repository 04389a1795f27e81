"""What a protocol is: a value that checks payloads and turns answers into ratings.

A protocol is data, not a class to inherit from. Adding one takes a module that builds a `Protocol`
and a line in `scoring.service`.
"""

import typing
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction

Rating = tuple[str, str, Fraction]
"""(variable, component, value), such as ("error_fraction", "missing.limbs.c", Fraction(1, 4))."""

Payload = dict[str, typing.Any]
"""The JSON object an annotation stores."""

Level = typing.Literal["nominal", "ordinal", "interval", "ratio"]


@dataclass(frozen=True)
class Variable:
    """One measured quantity: its level of measurement and the values it can take."""

    name: str
    title: str
    level_of_measurement: Level
    value_domain: str


@dataclass(frozen=True)
class PayloadWarning:
    """Something unusual that is kept; `field` is named as in `InvalidPayload.errors`."""

    field: str
    code: str
    message: str


class InvalidPayload(ValueError):
    """A payload that is refused; `errors` maps each field to its messages.

    Fields are written as paths (`people`, `counts.visible.hands`, `marks.missing.limbs`); the empty
    text stands for the payload as a whole.
    """

    def __init__(self, errors: Mapping[str, list[str]]) -> None:
        super().__init__("; ".join(message for messages in errors.values() for message in messages))
        self.errors: dict[str, list[str]] = dict(errors)


class Answer(typing.Protocol):
    """A checked payload: immutable, and equal for payloads that say the same."""

    @property
    def warnings(self) -> tuple[PayloadWarning, ...]: ...

    @property
    def flagged(self) -> bool:
        """Whether the annotator doubts that the image can be judged."""
        ...

    def payload(self) -> Payload:
        """The canonical payload, ready for JSON; cleaning it gives an equal answer."""
        ...


class Clean(typing.Protocol):
    """Checks any JSON value; raises InvalidPayload and nothing else."""

    def __call__(self, payload: object, *, complete: bool = True) -> Answer: ...


@dataclass(frozen=True)
class Protocol:
    """How images are judged: what an answer must look like, and what is measured by it.

    `clean(payload, complete=False)` accepts a draft, which may be empty or lack totals.
    `ratings(answer, weights)` takes a complete answer of this protocol's own `clean`.
    `empty()` is the payload of an untouched draft.
    """

    slug: str
    title: str
    version: int
    variables: tuple[Variable, ...]
    clean: Clean
    ratings: Callable[[Answer, Mapping[str, Fraction]], tuple[Rating, ...]]
    empty: Callable[[], Payload]
