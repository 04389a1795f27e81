"""The page of a protocol, as one value."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Final

from annotator.annotations.given import Given, Outdated
from annotator.models import Assignment, Batch, Project
from annotator.protocols.adjudication_form import AdjudicationForm
from annotator.protocols.base import AnnotationForm, Difference, Suggested
from annotator.protocols.sheet_format import SheetFormat
from scoring.protocol import Payload

ALL_OF_THEM: Final = 100
"""The percentage of a setting that is for every assignment."""


@dataclass(frozen=True)
class BatchSetting:
    """A setting of a batch: a checkbox, one of `choices` (value, title), or a percentage with `is_share`.

    `short` is its name in a list of settings. The default is False, the first choice or 0. One that
    `is_fixed` cannot be changed after the release.
    """

    name: str
    short: str
    title: str
    help: str = ""
    choices: tuple[tuple[str, str], ...] = ()
    is_fixed: bool = False
    is_share: bool = False

    @property
    def default(self) -> bool | str | int:
        """The default value."""
        return self.choices[0][0] if self.choices else 0 if self.is_share else False

    def in_words(self, value: object) -> str:
        """Return a value as text for a list of settings."""
        if self.choices:
            return dict(self.choices).get(str(value), str(value)).lower()
        if self.is_share:
            return f"{value or 0}%"
        return "yes" if value else "no"

    def takes(self, value: object) -> bool:
        """Tell whether a value is valid."""
        if self.choices:
            return value in dict(self.choices)
        if self.is_share:
            return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= ALL_OF_THEM
        return isinstance(value, bool)


@dataclass(frozen=True)
class GuideBlock:
    """One text of a guideline that a project can replace; `text` is ours, as Markdown."""

    key: str
    title: str
    text: str


@dataclass(frozen=True)
class OwnGuide:
    """What a project puts into the guide: HTML by block, examples by block, and whether ours are drawn."""

    texts: Mapping[str, str] = field(default_factory=dict)
    examples: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    drawn: bool = True


@dataclass(frozen=True)
class Guide:
    """The guideline of a protocol: a template and its context.

    `blocks` are the texts that a project can replace. `components` maps each component that an example can
    show to the blocks that define it: `missing.hands` to `missing` and `hands`; `titles` names them. `glance`
    is a template with its gist, if there is one.
    """

    template: str
    context: Callable[[OwnGuide], Mapping[str, Any]]
    blocks: tuple[GuideBlock, ...] = ()
    components: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    titles: Mapping[str, str] = field(default_factory=dict)
    glance: str = ""

    @property
    def topics(self) -> dict[str, str]:
        """What a decision can be about: the titles of the defining blocks and of the components."""
        defining = {key for keys in self.components.values() for key in keys}
        blocks = {block.key: block.title for block in self.blocks if block.key in defining}
        return {**blocks, **self.titles}


@dataclass(frozen=True)
class ShownMark:
    """One mark of a payload for display: its component, its text, and its pins from 0 to 1."""

    component: str
    text: str
    pins: Sequence[Mapping[str, float]] = ()


@dataclass(frozen=True)
class ShownOutcome:
    """What became of the annotations of one image, for leads: its score, and how, as titles and texts."""

    score: Fraction | None
    facts: Sequence[tuple[str, str]]


@dataclass(frozen=True)
class Measure:
    """An answer to “What do you measure?”: its title, and what annotators do.

    `then` are the protocols of later stages. A rating form becomes a protocol once it is written.
    """

    title: str
    words: str
    then: tuple[str, ...] = ()


@dataclass(frozen=True)
class Follows:
    """What a batch must follow: a closed batch of `protocol`, of whose `named` only marked images are drawn.

    `others_only`: nobody gets an image that they annotated under that protocol. `outdated` returns the
    annotations that do not count any more, because what they were made from has changed.
    """

    protocol: str
    named: str
    others_only: bool = False
    outdated: Outdated | None = None


@dataclass(frozen=True)
class ProtocolPage:
    """The user interface of a protocol.

    `headline` is the title of the headline's value. `script` is the page's static script, whose sheet of
    styles has its name, empty if there is only the form; `config` returns its settings for a project.
    `blind`: no batch may show prompt or generator; `needs_prompt`: every batch must show the prompt;
    `faces_blurred`: annotators see the images with faces blurred. `settings` are the settings of a batch;
    `adjudicating` is the adjudication form. `sheet` is the spreadsheet format, if any. `marks` returns the
    marks of a payload, which examples show. `outcome` takes what the protocol's `outcome` takes, and returns
    it for display. `given` is the part of a payload that the server gives, `follows` what it is made from.
    `became` returns how an annotation differs from what later stages made of it, None until they are closed;
    without it, the adjudicated value counts. `suggested` is what may be suggested.
    `pace` is what newcomers are told: seconds per image, at least and at most.
    `measure` is what a new project chooses it by.
    """

    slug: str
    form: type[AnnotationForm]
    headline: str
    script: str = ""
    config: Callable[[Project], Mapping[str, Any]] = lambda _: {}
    blind: bool = False
    needs_prompt: bool = False
    faces_blurred: bool = False
    settings: tuple[BatchSetting, ...] = ()
    adjudicating: type[AdjudicationForm] = AdjudicationForm
    sheet: SheetFormat | None = None
    guide: Guide | None = None
    marks: Callable[[Payload], Sequence[ShownMark]] = lambda _: ()
    outcome: Callable[[Sequence[Payload], int], ShownOutcome] | None = None
    given: Given | None = None
    follows: Follows | None = None
    suggested: Suggested | None = None
    became: Callable[[Assignment], Sequence[Difference] | None] | None = None
    pace: tuple[int, int] = (15, 30)
    measure: Measure | None = None

    @property
    def stylesheets(self) -> tuple[str, ...]:
        """The static sheets of styles of the annotation page."""
        if self.script:
            return (self.script.replace("js", "css"),)
        return ("css/built/plain.css", self.form.stylesheet)

    def checked(self, said: Mapping[str, object]) -> dict[str, bool | str | int]:
        """Return all settings of the protocol with their given or default values, but no share of nothing.

        Raises ValueError for an unknown setting and for an invalid value.
        """
        known = {setting.name: setting for setting in self.settings}
        for name, value in said.items():
            if name not in known:
                raise ValueError(f"The protocol {self.slug!r} has no setting {name!r}.")
            if not known[name].takes(value):
                raise ValueError(f"{known[name].title}: {value!r} is not one of its values.")
        settings = {name: said.get(name, setting.default) for name, setting in known.items()}
        return {name: value for name, value in settings.items() if value or not known[name].is_share}  # type: ignore[misc]


GUIDED = BatchSetting(
    "guided",
    "Guided",
    "Guide annotators through the cells in order",
    "From Missing · Torso to Proportion · Face, as in the published study.",
)
GUIDED_REQUIRED = BatchSetting(
    "guided_required",
    "Order required",
    "Submit only after all cells were visited in order",
    "Each annotation records the cells visited.",
)
IMAGE_ID_SHOWN = BatchSetting(
    "image_id_shown", "Image Id", "Show the Image Id", "It may name the generator and the prompt."
)
SCORE_SHOWN = BatchSetting(
    "score_shown",
    "Running score",
    "Running score while annotating",
    "Each annotation records whether it was shown.",
    tuple((value, str(title)) for value, title in reversed(Batch.ScoreShown.choices)),
)
ZOOM = BatchSetting(
    "zoom",
    "Zoom",
    "Zoom while annotating",
    "The published rule is a first glance without zoom. Each annotation records for how long it was used.",
    (("none", "None"), ("loupe", "Loupe 2×"), ("free", "Free")),
)
SUGGESTIONS = BatchSetting(
    "suggestions",
    "Suggestions",
    "Suggestions while annotating",
    "The latest imported ones, in grey. The plan draws who sees them, so that their effect can be "
    "measured: 50 measures it best. 0 shows none, 100 shows all, and then their effect is unknown.",
    is_fixed=True,
    is_share=True,
)
OUTCOME_SHOWN = BatchSetting(
    "outcome_shown",
    "Outcome",
    "Show annotators what became of their annotations, once the batch is closed",
    "They see what was decided instead of what they said, never by whom.",
)
COLUMNS: Final = frozenset({GUIDED.name, SCORE_SHOWN.name})
"""The settings with a column of their own in Batch."""
