"""What a protocol brings to the pages beside its rules, as one value."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from annotator.models import Batch, Project
from annotator.protocols.base import AnswerForm
from annotator.protocols.settling import SettlingForm
from annotator.protocols.sheet import Sheet


@dataclass(frozen=True)
class BatchSetting:
    """One thing that a lead sets for a batch: a tick, or one of `choices` (value, title).

    `short` is its name in a list of facts. The default of a tick is False, otherwise the first choice.
    """

    name: str
    short: str
    title: str
    help: str = ""
    choices: tuple[tuple[str, str], ...] = ()

    @property
    def default(self) -> bool | str:
        """What holds where nobody has said anything."""
        return self.choices[0][0] if self.choices else False

    def in_words(self, value: object) -> str:
        """Return a value as a list of facts says it."""
        if self.choices:
            return dict(self.choices).get(str(value), str(value)).lower()
        return "yes" if value else "no"

    def takes(self, value: object) -> bool:
        """Tell whether a value can be set."""
        if self.choices:
            return value in dict(self.choices)
        return isinstance(value, bool)


@dataclass(frozen=True)
class Guide:
    """The method on one page: a template, and what it draws."""

    template: str
    context: Callable[[], Mapping[str, Any]]


@dataclass(frozen=True)
class ProtocolPage:
    """How a protocol is answered, read and handed over.

    `headline` is the word for the headline's value where an answer is read. `script` is the page's script
    among the static files, empty where there is the form alone; `config` is what it is told of a project;
    `script_stylesheets` are what it needs beside the form's own. `settings` are what a lead sets for a batch;
    `settling` is the form that settles disagreements. `sheet` is how answers stand in a table, None where
    there is none.
    """

    slug: str
    form: type[AnswerForm]
    headline: str
    script: str = ""
    script_stylesheets: tuple[str, ...] = ()
    config: Callable[[Project], Mapping[str, Any]] = lambda _: {}
    settings: tuple[BatchSetting, ...] = ()
    settling: type[SettlingForm] = SettlingForm
    sheet: Sheet | None = None
    guide: Guide | None = None

    def checked(self, said: Mapping[str, object]) -> dict[str, bool | str]:
        """Return every setting of the protocol with its value, said or by default.

        Raises ValueError for a setting that it does not have, and for a value that cannot be.
        """
        known = {setting.name: setting for setting in self.settings}
        for name, value in said.items():
            if name not in known:
                raise ValueError(f"The protocol {self.slug!r} has no setting {name!r}.")
            if not known[name].takes(value):
                raise ValueError(f"{known[name].title}: {value!r} is not one of its values.")
        return {name: said.get(name, setting.default) for name, setting in known.items()}  # type: ignore[misc]


GUIDED = BatchSetting(
    "guided",
    "Guided",
    "Guide through the cells in order",
    "From Missing · Torso to Proportion · Face, as the study’s sheet did.",
)
SCORE_SHOWN = BatchSetting(
    "score_shown",
    "Running score",
    "Running score while labelling",
    "Whether it was on is stored with each answer.",
    tuple((value, str(title)) for value, title in reversed(Batch.ScoreShown.choices)),
)
COLUMNS: Final = frozenset({GUIDED.name, SCORE_SHOWN.name})
"""Settings that a batch has had from the beginning: they have columns of their own."""
