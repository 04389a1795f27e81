"""Protocols: values that check payloads and turn annotations into ratings.

To add a protocol, build a `Protocol` in a module of its own and register it in `scoring.service`. Reports
and exports work from its variables and do not depend on the protocol.
"""

import math
import typing
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from scoring.causes import Cause, Proposal
from scoring.comparison import Compared
from scoring.qualification_rules import GENERIC_TERMS, RuleTerm

PREFIX: typing.Final = "form-"
"""What the slug of every rating form begins with."""

Rating = tuple[str, str, Fraction]
"""(variable, component, value), such as ("error_fraction", "missing.limbs.c", Fraction(1, 4))."""

Payload = dict[str, typing.Any]
"""The JSON object an annotation stores; `people` is the number of people, if the annotator counted them."""

Level = typing.Literal["nominal", "ordinal", "interval", "ratio"]


@dataclass(frozen=True)
class Variable:
    """One measured quantity: its level of measurement and the values it can take.

    `components` are the parts of an image it is measured for, such as cells; without any it has one value per
    image. An unrated component has the value 0. `values` lists all values in ascending order, if finite. The
    `headline` is the variable that summarises the annotation. An `optional` variable may be missing from an
    annotation, such as the rating of an image that cannot be rated; it then enters no number. A ranking takes
    lower values for better unless `higher_is_better`. `limits` are the least and the greatest possible value
    of a variable with more values in between than `values` could list.
    """

    name: str
    title: str
    level_of_measurement: Level
    value_domain: str
    components: tuple[str, ...] = ()
    values: tuple[int, ...] = ()
    headline: bool = False
    optional: bool = False
    higher_is_better: bool = False
    limits: tuple[float, float] | None = None

    @property
    def range(self) -> tuple[float, float]:
        """The least and the greatest possible value. Unless they are known it is 0 or more: an amount."""
        if self.values:
            return float(self.values[0]), float(self.values[-1])
        return self.limits or (0.0, math.inf)


@dataclass(frozen=True)
class PayloadWarning:
    """An unusual entry that is kept; `field` is named as in `InvalidPayload.errors`."""

    field: str
    code: str
    message: str


class InvalidPayload(ValueError):
    """A refused payload; `errors` maps each field to its messages.

    Fields are paths (`people`, `counts.visible.hands`, `marks.missing.limbs`); the empty string is the
    payload as a whole.
    """

    def __init__(self, errors: Mapping[str, list[str]]) -> None:
        super().__init__("; ".join(message for messages in errors.values() for message in messages))
        self.errors: dict[str, list[str]] = dict(errors)


class CheckedAnnotation(typing.Protocol):
    """A checked payload: immutable, and equal for equivalent payloads."""

    @property
    def warnings(self) -> tuple[PayloadWarning, ...]: ...

    @property
    def flagged(self) -> bool:
        """Whether the annotator doubts that the image can be judged."""
        ...

    def payload(self) -> Payload:
        """Return the canonical payload, ready for JSON; cleaning it gives an equal annotation."""
        ...


@dataclass(frozen=True, kw_only=True)
class Flaggable:
    """What checked annotations share: flag, note, tags, and no warnings unless their protocol has some."""

    flag: Mapping[str, str] | None
    note: str
    tags: tuple[int, ...] = ()

    @property
    def warnings(self) -> tuple[PayloadWarning, ...]:
        """Unusual entries that are kept."""
        return ()

    @property
    def flagged(self) -> bool:
        """Whether the annotator doubts that the image can be judged."""
        return self.flag is not None

    def remarks(self) -> Payload:
        """Return the part of the payload that protocols share: the flag, and tags if any are ticked."""
        tagged: Payload = {"tags": list(self.tags)} if self.tags else {}
        return {"flag": None if self.flag is None else dict(self.flag), **tagged}


class Clean(typing.Protocol):
    """Check any JSON value; raises only InvalidPayload."""

    def __call__(self, payload: object, *, complete: bool = True) -> CheckedAnnotation: ...


@dataclass(frozen=True)
class Causes:
    """How a protocol names the causes of disagreements.

    `offered` are the causes that can occur under it, in the order of `scoring.causes.CAUSES`. `propose` takes
    the complete annotations of one image and returns a proposal for each component on which they differ, in
    published order. `marked` returns the components that a complete annotation marks.
    """

    offered: tuple[Cause, ...]
    propose: Callable[[Sequence[typing.Any]], Mapping[str, Proposal]]
    marked: Callable[[typing.Any], Collection[str]]


INVALID_FROM: typing.Final = 3
"""From how many people who say that an image cannot be judged it has no score; a project can change it."""


@dataclass(frozen=True)
class Outcome:
    """What became of the annotations of one image: its score, or without one the reason in a word.

    `votes` are the reasons for which people said that it cannot be judged.
    """

    score: Fraction | None
    reason: str = ""
    votes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Protocol:
    """How images are annotated: the form of an annotation, and the variables measured by it.

    `clean(payload, complete=False)` accepts a draft, which may be empty or lack totals.
    `ratings(answer, settings)` takes a complete answer of this protocol's `clean` and the project's settings
    for it, such as the weights of severities; each variable has one rating without a component (none if it is
    optional and missing), or one for each component with a value other than 0.
    `shown_as` converts complete payloads of other protocols, by slug, into this one's, if that is exact.
    `compare(reference, answer)` compares two complete answers; a protocol without it has no references.
    `rule_terms` are what a qualification can require of annotations compared with references.
    `adjudicated`: a lead may decide an image on which answers differ; otherwise all of them count.
    `outcome(payloads)` consolidates the complete payloads of one image by different people into a score from
    1 to 10, or the reason why it has none; a protocol with it makes data sets, in which the score of a real
    image is fixed. `raters` people should judge each image for it; fewer than `scored_from` give no score.
    `decide(payloads, due, expert)` decides the headline of an image from the complete payloads of different
    people, of whom `due` should answer, and from the headline of its adjudication, if any; None while it is
    open. Without it the value of an image is its adjudicated headline, or the mean.
    `on_cells`: annotations mark the 25 cells of the body.
    `form` is the definition of a rating form as JSON.
    `causes` names why annotators disagreed; adjudications under a protocol without it record none.
    Raises ValueError unless exactly one variable is the headline, measured once per image.
    """

    slug: str
    title: str
    version: int
    variables: tuple[Variable, ...]
    clean: Clean
    ratings: Callable[[typing.Any, Mapping[str, Fraction]], tuple[Rating, ...]]
    shown_as: Mapping[str, Callable[[Payload], Payload]] = field(default_factory=dict)
    compare: Callable[[typing.Any, typing.Any], Compared] | None = None
    rule_terms: tuple[RuleTerm, ...] = GENERIC_TERMS
    adjudicated: bool = True
    causes: Causes | None = None
    # Takes the annotations of one image, and the project's INVALID_FROM.
    outcome: Callable[[Sequence[Payload], int], Outcome] | None = None
    decide: Callable[[Sequence[Payload], int, Fraction | None], Fraction | None] | None = None
    raters: int = 0
    scored_from: int = 0
    on_cells: bool = False
    form: Mapping[str, typing.Any] | None = None

    def __post_init__(self) -> None:
        headlines = [variable for variable in self.variables if variable.headline]
        if len(headlines) != 1 or headlines[0].components:
            raise ValueError(f"{self.slug}: exactly one variable is the headline, measured once per image")

    def empty(self) -> Payload:
        """Return the payload of an untouched draft."""
        return self.clean({}, complete=False).payload()

    @property
    def makes_data_sets(self) -> bool:
        """Whether images have a score from which a data set can be made."""
        return self.outcome is not None

    @property
    def headline(self) -> Variable:
        """The variable that summarises the annotation."""
        return next(variable for variable in self.variables if variable.headline)

    def headline_of(self, ratings: Sequence[Sequence[typing.Any]]) -> Fraction | None:
        """Return the headline's value among ratings, stored or computed.

        None without one if it is optional; otherwise raises KeyError.
        """
        for variable, component, value in ratings:
            if variable == self.headline.name and component == "":
                return Fraction(value)
        if self.headline.optional:
            return None
        raise KeyError(self.headline.name)
