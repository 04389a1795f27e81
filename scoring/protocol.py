"""What a protocol is: a value that checks payloads and turns answers into ratings.

A protocol is data, not a class to inherit from. Adding one takes a module that builds a `Protocol`
and a line in `scoring.service`. Its variables say what is measured and on which scale, so that reports and
exports need not know which protocol they are about.
"""

import typing
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

Rating = tuple[str, str, Fraction]
"""(variable, component, value), such as ("error_fraction", "missing.limbs.c", Fraction(1, 4))."""

Payload = dict[str, typing.Any]
"""The JSON object an annotation stores."""

Level = typing.Literal["nominal", "ordinal", "interval", "ratio"]


@dataclass(frozen=True)
class Variable:
    """One measured quantity: its level of measurement and the values it can take.

    `components` are what it is measured for within an image, such as cells; without any it has one value an
    image. A component that an answer does not rate has the value 0. `values` are all values in ascending
    order, where they can be listed. The `headline` is the variable that stands for the whole answer.
    """

    name: str
    title: str
    level_of_measurement: Level
    value_domain: str
    components: tuple[str, ...] = ()
    values: tuple[int, ...] = ()
    headline: bool = False


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
    `ratings(answer, settings)` takes a complete answer of this protocol's own `clean` and the project's
    settings for it, such as the weights of severities; every variable has a rating without a component, or
    one for each component whose value is not 0.
    `empty()` is the payload of an untouched draft.
    `shown_as` turns complete payloads of other protocols, by slug, into this one's, where that is exact.
    Raises ValueError unless exactly one variable is the headline, measured once per image.
    """

    slug: str
    title: str
    version: int
    variables: tuple[Variable, ...]
    clean: Clean
    ratings: Callable[[Answer, Mapping[str, Fraction]], tuple[Rating, ...]]
    empty: Callable[[], Payload]
    shown_as: Mapping[str, Callable[[Payload], Payload]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        headlines = [variable for variable in self.variables if variable.headline]
        if len(headlines) != 1 or headlines[0].components:
            raise ValueError(f"{self.slug}: exactly one variable is the headline, measured once per image")

    @property
    def headline(self) -> Variable:
        """The variable that stands for the whole answer."""
        return next(variable for variable in self.variables if variable.headline)

    def headline_of(self, ratings: Sequence[Sequence[typing.Any]]) -> Fraction:
        """The headline's value among an answer's ratings, as stored or as made; KeyError without one."""
        for variable, component, value in ratings:
            if variable == self.headline.name and component == "":
                return Fraction(value)
        raise KeyError(self.headline.name)
